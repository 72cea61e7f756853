package backend

import (
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// Target is a script that is debugged by package debugger or by a server.
type Target interface {
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

	// Eval runs code in a frame and returns its values as text. A replay runs the code again.
	Eval(level int, code string) ([]string, error)
	// EvalJSON is like Eval, but the text is indented JSON. It returns an error if a value has no
	// JSON form.
	EvalJSON(level int, code string) ([]string, error)
	// EvalQuietly is like eval for code that changes nothing. Values are cut.
	EvalQuietly(level int, code string) ([]string, error)
	// Scopes returns the variables that a frame sees.
	Scopes(level int) ([]Scope, error)
	// Frames returns the functions in progress, the innermost first.
	Frames() ([]Frame, error)
}

// Scope holds variables of one kind.
type Scope struct {
	Title     string
	Variables []Variable
}

// Variable is a variable and its value as text.
type Variable struct{ Name, Value string }

// Frame is a function in progress.
type Frame struct {
	Name    string
	Line    int // 0 if it has none
	Library bool
}

// ValueLimit is about the maximum length in bytes of one value among several.
const ValueLimit = 200

// NewTarget returns the target of a session in this process.
func NewTarget(s *debugger.Session) Target { return session{s} }

// session is a target in this process.
type session struct{ *debugger.Session }

func (s session) SetStops(o debugger.Stops) error {
	s.Session.SetStops(o)
	return nil
}

func (s session) Eval(level int, code string) ([]string, error) {
	return evaluate(s.Change, level, code, inLua(0))
}

func (s session) EvalJSON(level int, code string) ([]string, error) {
	return evaluate(s.Change, level, code, func(v engine.LuaValue) (string, error) { return debugger.JSON(v, "  ") })
}

func (s session) EvalQuietly(level int, code string) ([]string, error) {
	return evaluate(s.At, level, code, inLua(ValueLimit))
}

// inLua returns a function that formats a value in Lua's notation.
func inLua(limit int) func(engine.LuaValue) (string, error) {
	return func(v engine.LuaValue) (string, error) { return debugger.Format(v, limit), nil }
}

func evaluate(
	at func(func(*engine.Stack)) error, level int, code string, format func(engine.LuaValue) (string, error),
) (texts []string, err error) {
	atErr := at(func(stack *engine.Stack) {
		var values []engine.LuaValue
		values, err = stack.Eval(level, "@lua", code)
		texts = nil
		for _, v := range values {
			text, problem := format(v)
			if problem != nil {
				err = problem
				return
			}
			texts = append(texts, text)
		}
	})
	if atErr != nil {
		err = atErr
	}
	return texts, err
}

func (s session) Frames() (all []Frame, err error) {
	err = s.At(func(stack *engine.Stack) {
		for _, f := range stack.Frames() {
			all = append(all, Frame{Name: frameName(f), Line: f.Line, Library: f.Kind == engine.FrameOfLibrary})
		}
	})
	return all, err
}

func (s session) Scopes(level int) (all []Scope, err error) {
	err = s.At(func(stack *engine.Stack) {
		frames := stack.Frames()
		if level < len(frames) {
			f := &frames[level]
			all = append(all, Scope{"locals", variables(f.Locals())}, Scope{"upvalues", variables(f.Upvalues())},
				Scope{"varargs", variables(f.Varargs())})
		}
		globals := Scope{Title: "globals"}
		for _, f := range stack.Globals().Fields() {
			globals.Variables = append(globals.Variables, Variable{f.Key.Text(), debugger.Format(f.Value, ValueLimit)})
		}
		all = append(all, globals)
	})
	return all, err
}

// variables formats variables. If several have the same name, code sees the last one.
func variables(of []engine.Variable) []Variable {
	all := make([]Variable, 0, len(of))
	for _, v := range of {
		if v.Hidden() {
			continue
		}
		all = append(all, Variable{v.Name, debugger.Format(v.Value, ValueLimit)})
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
