package luabridge

import (
	"maps"
	"regexp"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

// EvalError is the error of a failed evaluation.
type EvalError struct {
	Value  Value // the error value; nil if the code does not compile or was stopped
	Syntax bool  // the code does not compile
	text   string
}

// Error returns Lua's text, or the field err of an error table.
func (e *EvalError) Error() string { return e.text }

// Eval runs code in frame number level (0: the innermost). The code can read the frame's locals,
// upvalues, varargs (...) and globals, and assign to all of these except globals. An expression
// returns its values; a statement returns what its return statement does. With a negative level the
// code sees only globals. The error is an *[EvalError] with Lua's text. chunk is the name of the
// code as loadstring takes it.
//
// The code may define locals of its own and may call print. The [Debugger] is notified of print,
// redis.debug and redis.breakpoint, and of nothing else that the code does. Functions that the code
// makes share the variables that functions of the script hold already; they get copies of the
// others when the evaluation ends. The script's own position does not change. The limits of steps
// and memory hold, but end only the evaluation; see also [Stack.CancelEval].
func (s *Stack) Eval(level int, chunk, code string) ([]Value, error) {
	e, err := s.evaluation(level, chunk, code)
	if err != nil {
		return nil, err
	}
	fn := s.l.NewFunctionFromProto(e.proto)
	var args []lua.LValue
	if e.frame != nil {
		c := e.frame.call
		for i, up := range e.upvalues {
			var shared bool
			switch {
			case up.upvalue >= 0:
				fn.Upvalues[i] = c.Function().Upvalues[up.upvalue]
			case up.register >= 0:
				if fn.Upvalues[i], shared = c.Capture(up.register); !shared {
					defer fn.Upvalues[i].Close()
				}
			default:
				fn.Upvalues[i] = machine.Cell(s.l.NewFunction(s.vm.redis.Print))
			}
		}
		if !c.Function().IsG {
			for i := range c.Varargs() {
				args = append(args, c.Vararg(i))
			}
		}
	}
	return s.vm.debug.evaluate(s.l, fn, args)
}

// CancelEval ends the evaluation in progress, if any, with an error with this text. It may be
// called from any goroutine.
func (s *Stack) CancelEval(text string) { s.vm.limits.EndEval(text) }

// evaluation is compiled code to evaluate in a frame.
type evaluation struct {
	proto    *lua.FunctionProto
	upvalues []binding
	frame    *Frame // nil: the code sees only globals
}

// binding is what an upvalue of evaluated code stands for: a register or an upvalue of the frame,
// or print.
type binding struct{ register, upvalue int }

// evalKey identifies compiled code. The same text compiles differently in different scopes.
type evalKey struct {
	in          *lua.FunctionProto
	pc          int
	chunk, text string
}

// keptEvals is the number of evaluations that a run keeps compiled.
const keptEvals = 256

func (s *Stack) evaluation(level int, chunk, text string) (*evaluation, error) {
	vm := s.vm
	key := evalKey{chunk: chunk, text: text}
	e := &evaluation{}
	if level >= 0 {
		left := level
		s.each(func(c machine.Call) bool {
			if left == 0 {
				e.frame = &Frame{stack: s, call: c}
			}
			left--
			return left >= 0
		})
		if e.frame == nil {
			return nil, &EvalError{text: "no such frame"}
		}
		if fn := e.frame.call.Function(); !fn.IsG {
			key.in, key.pc = fn.Proto, e.frame.call.At()
		}
	}
	if have := vm.debug.compiled[key]; have != nil && (have.frame != nil) == (level >= 0) {
		return &evaluation{have.proto, have.upvalues, e.frame}, nil
	}
	depth := vm.machine.Nesting().Depth()
	c, err := e.compile("return "+text, chunk, depth)
	if err != nil {
		c, err = e.compile(text, chunk, depth)
	}
	if err != nil {
		return nil, &EvalError{text: err.Error(), Syntax: true}
	}
	vm.chunks.remember(c, chunk, nil)
	if vm.debug.compiled == nil || len(vm.debug.compiled) >= keptEvals {
		vm.debug.compiled = map[evalKey]*evaluation{}
	}
	vm.debug.compiled[key] = e
	return e, nil
}

var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)

func (e *evaluation) compile(source, name string, depth int) (code, error) {
	o := luac.Options{Depth: depth}
	if e.frame == nil {
		c, err := compileChunk(environment, source, name, o)
		e.proto = c.proto
		return c, err
	}
	bindings := e.frame.visible(identifier.FindAllString(source, -1))
	o.Scope = &luac.Scope{Locals: slices.Sorted(maps.Keys(bindings))}
	c, err := compileChunk(environment, source, name, o)
	if err != nil {
		return c, err
	}
	e.proto, e.upvalues = c.proto, nil
	for _, name := range e.proto.DbgUpvalues {
		e.upvalues = append(e.upvalues, bindings[name])
	}
	return c, nil
}

// visible returns what names stand for in a frame. It leaves out globals.
func (f *Frame) visible(names []string) map[string]binding {
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	vars := map[string]binding{}
	bind := func(name string, b binding) {
		if wanted[name] {
			vars[name] = b
		}
	}
	bind("print", binding{-1, -1})
	if fn := f.call.Function(); !fn.IsG {
		for i, name := range fn.Proto.DbgUpvalues {
			bind(name, binding{-1, i})
		}
	}
	f.eachLocal(func(l *local) { bind(l.name, binding{l.register, -1}) })
	return vars
}

// evaluate calls a function on a thread of its own, so that it does not change the threads of the
// script.
func (w *debugging) evaluate(L *lua.LState, fn *lua.LFunction, args []lua.LValue) ([]Value, error) {
	vm := w.vm
	before, meant, raising, again := vm.running, vm.sandbox.handler, w.raising, w.again
	endNest, endEval := vm.redis.Nest(), vm.limits.BeginEval()
	w.raising, w.again = false, false
	resume := vm.machine.Pause()
	th := vm.thread(L)
	th.Push(vm.common.guardEntry)
	th.Push(fn)
	for _, v := range args {
		th.Push(v)
	}
	current, nesting, depth := L.G.CurrentThread, vm.machine.Nesting(), len(vm.guarded)
	noted := vm.noted
	vm.handler = nil
	vm.guarded = append(vm.guarded, guard{thread: th, caller: L})
	vm.machine.Below(L)
	err := th.PCall(len(args)+1, lua.MultRet, nil)
	vm.guarded = vm.guarded[:depth]
	vm.machine.Unwind(nesting)
	L.G.CurrentThread = current
	resume()
	vm.noted, vm.handler = noted, meant
	endNest()
	endEval()
	w.raising, w.again = raising, again
	vm.running = before
	if err != nil {
		return nil, w.evalError(err)
	}
	if order := vm.limits.Order(); order != nil && order.Eval && vm.limits.Evals == 0 { // it was for this evaluation
		vm.limits.Withdraw(order)
	}
	values := make([]Value, th.GetTop())
	for i := range values {
		values[i] = vm.value(th.Get(i + 1))
	}
	vm.release(th)
	return values, nil
}

func (w *debugging) evalError(err error) *EvalError {
	vm := w.vm
	problem := vm.noteBroken(err)
	if order := vm.limits.Order(); order != nil {
		if order.Eval {
			vm.limits.Withdraw(order)
		}
		return &EvalError{text: order.Text}
	}
	if problem != "" {
		return &EvalError{text: problem}
	}
	v := err.(*lua.ApiError).Object
	text, ok := args.Text(v)
	if tb, isTable := v.(*lua.LTable); isTable {
		text, ok = args.Text(tb.RawGetString("err"))
	}
	if !ok {
		text = "(error object is not a string)"
	}
	return &EvalError{Value: vm.value(v), text: text}
}
