package luabridge

import (
	"errors"
	"fmt"
	"strconv"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

// ToolFunc is a function of the program that the code of a [Tool] calls. An error of it is raised:
// a *[ToolError] as the same value, any other one as a text with the position of the caller.
type ToolFunc func(c *ToolCall) ([]Value, error)

// ToolCall is a call of a [ToolFunc]. It is valid until the function returns.
type ToolCall struct {
	Tool *Tool
	Args []Value

	l *lua.LState
}

// Arg returns argument i, from 0; nil if there is none.
func (c *ToolCall) Arg(i int) Value {
	if i < len(c.Args) {
		return c.Args[i]
	}
	return Value{}
}

// From returns the arguments from argument i on, from 0.
func (c *ToolCall) From(i int) []Value { return c.Args[min(i, len(c.Args)):] }

// BadArgument returns Lua's error about argument i, from 0, such as "bad argument #1 to 'f'
// (problem)".
func (c *ToolCall) BadArgument(i int, problem string) error {
	return errors.New(c.Tool.vm.argumentError(c.l, i+1, problem))
}

// Where returns the position of the caller at a level, 1 for the function that made the call, as
// error texts begin with it: "file:3: ". It is "" if that is not a Lua function.
func (c *ToolCall) Where(level int) string { return c.Tool.vm.where(c.l, level) }

// Caught reports whether an error that the function returns will be caught: by pcall, a coroutine
// or a call of the program within Lua code.
func (c *ToolCall) Caught() bool { return c.Tool.vm.catches(c.l) }

// Trace returns the functions in progress, the caller first.
func (c *ToolCall) Trace() []TraceLine {
	trace := c.Tool.describe(c.Tool.spots(c.l))
	if len(trace) > 0 {
		trace = trace[1:] // the function of the program itself
	}
	return trace
}

// maxToolResults is the largest number of results of a function of the program.
const maxToolResults = args.MaxResults

// Func returns a function of the program as a value of the tool.
func (t *Tool) Func(f ToolFunc) Value {
	return t.vm.value(t.vm.L.NewFunction(func(L *lua.LState) int {
		outer := t.l
		t.l = L
		defer func() { t.l = outer }()
		results, err := f(&ToolCall{Tool: t, Args: t.stack(L), l: L})
		if err != nil {
			t.raise(L, err)
		}
		if len(results) > maxToolResults {
			t.vm.fail(L, "too many results")
		}
		for _, v := range results {
			L.Push(v.raw())
		}
		return len(results)
	}))
}

// raise raises the error of a function of the program.
func (t *Tool) raise(L *lua.LState, err error) {
	var raised *ToolError
	if !errors.As(err, &raised) {
		t.vm.fail(L, "%s", err.Error())
	}
	if raised.Stopped {
		t.vm.limits.Check(L)
	}
	t.keep = raised.trace
	t.vm.raise(L, raised.Value.raw())
}

// ToolError is an error of Lua code.
type ToolError struct {
	Value   Value // the error value; nil if the code was stopped
	Stopped bool  // the code was stopped, or exceeded a limit

	text  string
	trace []spot
}

// Raise returns an error with which a [ToolFunc] raises a value. text is what Error returns.
func Raise(v Value, text string) *ToolError { return &ToolError{Value: v, text: text} }

// Error returns the text of the error: a string, the field err of a table, or what kind of value it
// is.
func (e *ToolError) Error() string { return e.text }

// TraceLine is a function in progress, as Lua's traceback shows it.
type TraceLine struct {
	Chunk    string // the name of its text; "": a function of the program or of a library
	Line     int    // the line being run; 0 if Chunk is ""
	Function string // such as "function 'f'", "main chunk" or "function <a.lua:3>"
	Left     int    // instead of a function: the number of functions that are left out here
}

// String returns the line of a traceback.
func (l TraceLine) String() string {
	switch {
	case l.Left > 0:
		return fmt.Sprintf("... %d more functions", l.Left)
	case l.Chunk == "":
		return "[C]: in " + l.Function
	}
	return l.Chunk + ":" + strconv.Itoa(l.Line) + ": in " + l.Function
}

// Trace returns the functions that were in progress when the error was raised, the innermost first.
func (e *ToolError) Trace(t *Tool) []TraceLine { return t.describe(e.trace) }

// spot is a function in progress: its instruction, and that of its caller, which shows its name.
type spot struct {
	fn       *lua.LFunction
	pc       int
	caller   *lua.FunctionProto // nil: unknown, or a library function
	callerPC int
	left     int // instead of a function: the number of functions that are left out here
}

// Functions of a long traceback that are kept, at each end.
const (
	keptInner = 24
	keptOuter = 24
)

// raised notes where an error is raised.
func (t *Tool) raised(L *lua.LState, v lua.LValue) {
	t.raisedValue, t.raisedAt = v, t.keep
	if t.keep == nil {
		t.raisedAt = t.spots(L)
	}
	t.keep = nil
}

// spots returns the functions in progress, the innermost first.
func (t *Tool) spots(L *lua.LState) (list []spot) {
	var outer []spot
	n := 0
	(&Stack{vm: t.vm, l: L}).each(func(c machine.Call) bool {
		s := spot{fn: c.Function(), pc: c.At()}
		if caller := c.Outer(); !caller.IsZero() && !caller.Function().IsG && !c.Replaced() {
			s.caller, s.callerPC = caller.Function().Proto, caller.At()
		}
		n++
		if len(list) < keptInner {
			list = append(list, s)
		} else {
			outer = append(outer, s)
			if len(outer) >= 2*keptOuter {
				outer = outer[:copy(outer, outer[len(outer)-keptOuter:])]
			}
		}
		return true
	})
	if len(outer) > keptOuter {
		outer = outer[len(outer)-keptOuter:]
	}
	if left := n - len(list) - len(outer); left > 0 {
		list = append(list, spot{left: left})
	}
	return append(list, outer...)
}

// describe returns the lines of a traceback.
func (t *Tool) describe(spots []spot) []TraceLine {
	lines := make([]TraceLine, 0, len(spots))
	for _, s := range spots {
		if s.left > 0 {
			lines = append(lines, TraceLine{Left: s.left})
			continue
		}
		name := t.calledAs(s)
		if s.fn.IsG {
			lines = append(lines, TraceLine{Function: "function " + orUnknown(name)})
			continue
		}
		p := s.fn.Proto
		line := TraceLine{Chunk: t.chunkOf(p), Line: lineAt(p, s.pc), Function: "function " + name}
		switch {
		case p.LineDefined == 0:
			line.Function = "main chunk"
		case name == "":
			line.Function = fmt.Sprintf("function <%s:%d>", line.Chunk, p.LineDefined)
		}
		lines = append(lines, line)
	}
	return lines
}

func orUnknown(name string) string {
	if name == "" {
		return "?"
	}
	return name
}

// calledAs returns the quoted name by which the caller knows a function.
func (t *Tool) calledAs(s spot) string {
	if s.caller == nil || s.callerPC < 0 || t.vm.originOf(s.caller) == nil {
		return ""
	}
	switch int(s.caller.Code[s.callerPC] >> 26) {
	case lua.OP_CALL, lua.OP_TAILCALL:
		_, name := cutKind(nameAt(luac.NamesOf(s.caller, s.callerPC), 0))
		return name
	}
	return ""
}

// chunkOf returns the name of a function's text.
func (t *Tool) chunkOf(p *lua.FunctionProto) string {
	if o := t.vm.chunks.loaded[p]; o != nil && o.text == nil {
		return o.chunk // as it was given to Load
	}
	return p.SourceName
}
