package luabridge

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
	"github.com/redmoon-lua/redmoon/reply"
)

// Tool runs the Lua code of a program itself, such as tests, on the Lua of scripts: the same
// compiler, the same libraries, the same numbers, texts and tables. It differs from a [VM] for
// scripts in that
//
//   - the globals and libraries can be changed, and missing globals are nil;
//   - functions, closures and globals live as long as the Tool;
//   - pcall returns the error value, as in Lua;
//   - code can call functions of the program ([Tool.Func]), which can call Lua code ([Tool.Call]).
//
// Code cannot end the process: its memory and its steps can be limited, and [Tool.Interrupt] stops
// it. A Tool belongs to one goroutine at a time, except for Interrupt.
type Tool struct {
	vm      *VM
	l       *lua.LState // the thread of the innermost function of the program; nil: none runs
	call    []lua.LValue
	results []Value
	problem string // the Go panic that broke the state, or ""

	raisedValue lua.LValue // the last error and where it was raised
	raisedAt    []spot
	keep        []spot // where the error that is raised next was raised first

	attention atomic.Bool
	timer     *time.Timer // sets attention
}

// ToolOptions configure a [Tool]. The zero value works.
type ToolOptions struct {
	Logger *slog.Logger // for redis.log; nil: slog.Default()
	Server string       // as in [Options]

	MaxMemory    int64  // as in [Options]
	MaxSteps     int64  // as in [Options], for each call of Lua code that no Lua code has called
	ShufflePairs uint64 // as in [Options]
}

// lookEvery is the interval in which running code looks at its memory.
const lookEvery = 20 * time.Millisecond

// NewTool returns a Tool. The caller must close it. It panics if [Supported] returns an error.
func NewTool(opt ToolOptions) *Tool {
	t := &Tool{}
	t.timer = time.AfterFunc(lookEvery, func() { t.attention.Store(true) })
	t.timer.Stop()
	t.vm = New(Options{Logger: opt.Logger, Server: opt.Server, MaxMemory: opt.MaxMemory, MaxSteps: opt.MaxSteps,
		ShufflePairs: opt.ShufflePairs, Attention: &t.attention, Attend: func() { t.timer.Reset(lookEvery) }, tool: t})
	t.vm.script = &Script{compiledText: &compiledText{}}
	t.vm.redis.Convert.Proto = 2
	return t
}

// environment describes the globals of the VM to the machine; nil if they can be written.
func (vm *VM) environment() *machine.Environment {
	if vm.opt.tool != nil {
		return nil
	}
	return environment
}

// Close frees the Lua state. The Tool and its values must not be used afterwards.
func (t *Tool) Close() {
	t.timer.Stop()
	t.vm.Close()
}

// SetHost sets what the functions of the library redis reach. It must be called before code that
// calls them.
func (t *Tool) SetHost(h Host) { t.vm.redis.Host = h }

// Broken returns why the Lua state is not to be trusted any more: a Go panic, or an overflow of the
// stack that the machine did not foresee. It returns "" if it is sound.
func (t *Tool) Broken() string {
	if t.problem == "" && t.vm.broken {
		return "stack overflow"
	}
	return t.problem
}

// Interrupt stops the running code with an error with the text reason that no pcall catches; see
// [ToolError].Stopped. If no code runs, it stops the next call, unless [Tool.ClearInterrupt] is
// called before. It may be called from any goroutine.
func (t *Tool) Interrupt(reason string) { t.vm.Interrupt(reason) }

// ClearInterrupt withdraws an Interrupt that has not stopped code yet.
func (t *Tool) ClearInterrupt() { t.vm.ClearInterrupt() }

// Load compiles a text to a function that runs it. name stands in error positions. A first line
// that begins with # is left out, as by the interpreter lua. The error is a *[ToolError] with Lua's
// text.
func (t *Tool) Load(name, source string) (Value, error) {
	if source != "" && source[0] == '#' {
		source = "--" + source[1:]
	}
	size := int64(0)
	limits := CompileLimits{MaxMemory: t.vm.opt.MaxMemory}
	o := limits.options(&size)
	if t.l != nil {
		o.Depth = t.vm.machine.Nesting().Depth()
	}
	c, err := compileIn(nil, source, name, o)
	if err != nil {
		return Value{}, &ToolError{Value: t.String(err.Error()), text: err.Error()}
	}
	t.vm.chunks.remember(c, name, nil)
	return t.vm.value(t.vm.L.NewFunctionFromProto(c.proto)), nil
}

// Lines returns the lines of a text that have code, sorted; see [Script.Lines]. It returns nil if
// the text does not compile.
func (t *Tool) Lines(source string) []int {
	if source != "" && source[0] == '#' {
		source = "--" + source[1:]
	}
	c, err := compileIn(nil, source, luatext.ScriptChunk, luac.Options{})
	if err != nil {
		return nil
	}
	s := Script{compiledText: &compiledText{code: c}}
	return s.Lines()
}

// Call calls a function, or a table that can be called, and returns its results. A function of the
// program may call it while Lua code runs. The error is a *[ToolError]. If the code that runs must
// stop, a call within it does not return.
func (t *Tool) Call(fn Value, values ...Value) ([]Value, error) {
	if problem := args.NotCallable(fn.raw()); problem != "" {
		return nil, &ToolError{Value: t.String(problem), text: problem}
	}
	if t.l != nil {
		return t.nested(fn, values)
	}
	vm, L := t.vm, t.vm.L
	t.call = append(t.call[:0], fn.raw())
	for _, v := range values {
		t.call = append(t.call, v.raw())
	}
	vm.limits.BeginRun()
	vm.machine.Unwind(machine.Nesting{})
	vm.line = 0
	t.timer.Reset(lookEvery)
	err := machine.Begin(L, vm.common.entry, t.enter)
	t.timer.Stop()
	var failure error
	if err != nil {
		failure = t.failure(err)
	}
	results := t.results
	t.l, t.results, t.raisedValue, t.raisedAt, t.keep = nil, nil, nil, nil, nil
	clear(t.call)
	vm.limits.EndRun()
	vm.base.Forget()
	vm.string.Forget()
	vm.redis.Forget()
	vm.machine.Forget(L)
	return results, failure
}

// enter is the frame below the code of a call.
func (t *Tool) enter(L *lua.LState) {
	for _, v := range t.call {
		L.Push(v)
	}
	L.Call(len(t.call)-1, lua.MultRet)
	t.results = t.stack(L)
}

// stack returns the values on a thread's stack.
func (t *Tool) stack(L *lua.LState) []Value {
	values := make([]Value, L.GetTop())
	for i := range values {
		values[i] = t.vm.value(L.Get(i + 1))
	}
	return values
}

// nested is Call within a function of the program.
func (t *Tool) nested(fn Value, values []Value) ([]Value, error) {
	L := t.l
	top := L.GetTop()
	L.Push(fn.raw())
	for _, v := range values {
		L.Push(v.raw())
	}
	t.vm.handler = nil
	th, err := t.vm.protected(L, top+1, 1+len(values))
	L.SetTop(top)
	if err != nil {
		t.vm.release(th)
		return nil, t.failure(err)
	}
	results := t.stack(th)
	t.vm.release(th)
	return results, nil
}

// failure returns the error of a call.
func (t *Tool) failure(err error) *ToolError {
	vm := t.vm
	if order := vm.limits.Order(); order != nil && t.depth() == 0 {
		vm.ClearInterrupt()
		return &ToolError{text: order.Text, Stopped: true, trace: t.raisedAt}
	}
	if problem := vm.noteBroken(err); problem != "" {
		t.problem = problem
		return &ToolError{text: problem, trace: t.raisedAt}
	}
	value := err.(*lua.ApiError).Object
	e := &ToolError{Value: vm.value(value)}
	if value == t.raisedValue {
		e.trace = t.raisedAt
	}
	switch v := value.(type) {
	case lua.LString, lua.LNumber:
		e.text, _ = args.Text(v)
	case *lua.LTable:
		if text, ok := args.Text(v.RawGetString("err")); ok {
			e.text = text
		}
	}
	if e.text == "" && value.Type() != lua.LTString {
		e.text = fmt.Sprintf("(error object is a %s value)", value.Type())
	}
	return e
}

// depth returns the number of nested calls in progress.
func (t *Tool) depth() int { return len(t.vm.guarded) }

// SetProto sets the protocol, 2 or 3, of the replies that [Tool.FromReply] and [Tool.ToReply]
// convert, as redis.setresp does.
func (t *Tool) SetProto(proto int) { t.vm.redis.Convert.Proto = proto }

// FromReply returns the value that redis.call returns for a reply; for an error reply the table
// that redis.pcall returns.
func (t *Tool) FromReply(v reply.Value) Value {
	return t.vm.value(t.vm.redis.Convert.FromReply(t.thread(), v))
}

// ToReply returns the reply of a script that returns v.
func (t *Tool) ToReply(v Value) reply.Value {
	return t.vm.redis.Convert.ToReply(t.thread(), v.raw())
}

// thread returns the thread that runs.
func (t *Tool) thread() *lua.LState {
	if t.l != nil {
		return t.l
	}
	return t.vm.L
}

// Words returns values as the words of a command, as redis.call passes them: strings and numbers.
// ok is false if there is another value.
func Words(values []Value) (words []string, ok bool) {
	words = make([]string, len(values))
	for i, v := range values {
		if words[i], ok = word(v); !ok {
			return nil, false
		}
	}
	return words, true
}
