package repl

import (
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// target is a script that is debugged by package debugger or by a server.
type target interface {
	Events() <-chan debugger.Event
	SetBreakpoints(b []debugger.Breakpoint) []debugger.Breakpoint
	SetStops(o debugger.Stops) error
	Continue() error
	StepIn() error
	StepOver() error
	StepOut() error
	StepBack() error
	ContinueBack() error
	BackTo(index int) error
	Restart() error
	Diverged() error
	Pause()
	// Interrupt ends code that is being evaluated.
	Interrupt()
	Abort()
	Close()
	Do(args ...string) (engine.Value, error)
	Calls() ([]debugger.Call, error)
	Touched() ([]engine.TouchedKey, error)

	// eval runs code in a frame and returns its values as text. A replay runs the code again.
	eval(level int, code string) ([]string, error)
	// evalQuietly is like eval for code that changes nothing. Values are cut.
	evalQuietly(level int, code string) ([]string, error)
	// scopes returns the variables that a frame sees.
	scopes(level int) ([]scope, error)
	// frames returns the functions in progress, the innermost first.
	frames() ([]frame, error)
}

// scope holds variables of one kind.
type scope struct {
	title     string
	variables []variable
}

type variable struct{ name, value string }

// frame is a function in progress.
type frame struct {
	name    string
	line    int // 0 if it has none
	library bool
}

// valueLimit is about the maximum length in bytes of one value among several.
const valueLimit = 200

// session is a target in this process.
type session struct{ *debugger.Session }

func (s session) SetStops(o debugger.Stops) error {
	s.Session.SetStops(o)
	return nil
}

func (s session) eval(level int, code string) ([]string, error) {
	return evaluate(s.Change, level, code, 0)
}

func (s session) evalQuietly(level int, code string) ([]string, error) {
	return evaluate(s.At, level, code, valueLimit)
}

func evaluate(at func(func(*engine.Stack)) error, level int, code string, limit int) (texts []string, err error) {
	atErr := at(func(stack *engine.Stack) {
		var values []engine.LuaValue
		values, err = stack.Eval(level, "@lua", code)
		texts = nil
		for _, v := range values {
			texts = append(texts, debugger.Format(v, limit))
		}
	})
	if atErr != nil {
		err = atErr
	}
	return texts, err
}

func (s session) frames() (all []frame, err error) {
	err = s.At(func(stack *engine.Stack) {
		for _, f := range stack.Frames() {
			all = append(all, frame{name: frameName(f), line: f.Line, library: f.Kind == engine.FrameOfLibrary})
		}
	})
	return all, err
}

func (s session) scopes(level int) (all []scope, err error) {
	err = s.At(func(stack *engine.Stack) {
		frames := stack.Frames()
		if level < len(frames) {
			f := &frames[level]
			all = append(all, scope{"locals", variables(f.Locals())}, scope{"upvalues", variables(f.Upvalues())},
				scope{"varargs", variables(f.Varargs())})
		}
		globals := scope{title: "globals"}
		for _, f := range stack.Globals().Fields() {
			globals.variables = append(globals.variables, variable{f.Key.Text(), debugger.Format(f.Value, valueLimit)})
		}
		all = append(all, globals)
	})
	return all, err
}

// variables formats variables. If several have the same name, code sees the last one.
func variables(of []engine.Variable) []variable {
	all := make([]variable, 0, len(of))
	for _, v := range of {
		all = append(all, variable{v.Name, debugger.Format(v.Value, valueLimit)})
	}
	return all
}

func frameName(f engine.Frame) string {
	switch {
	case f.Name != "":
		return f.Name
	case f.Kind == engine.FrameOfMainChunk:
		return "main chunk"
	}
	return "function"
}
