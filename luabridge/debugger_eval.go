package luabridge

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

// EvalError is why an evaluation failed.
type EvalError struct {
	Value  Value // what was raised; nil where the code does not compile or was stopped
	Syntax bool  // the code does not compile
	text   string
}

// Error is Lua's text; of an error table, its field err.
func (e *EvalError) Error() string { return e.text }

// Eval runs code where frame number level (0: the innermost) is: its locals, upvalues, varargs (...) and globals may be read, and all but globals assigned to. An
// expression gives its values, a statement what it returns. A negative level sees globals only. The error is an *[EvalError]; its text is Lua's, with chunk as the
// name of the code as loadstring takes it.
//
// The code may define locals of its own and may call print, which [Debugger] is told of; of the rest that it does, only of redis.debug and redis.breakpoint. Functions
// that it makes share the variables that functions of the script hold already; of others they get copies when the evaluation ends. The script's own position does not
// change. The limits of steps and memory hold, and end only the evaluation; see [Stack.CancelEval] for others who want that.
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
				fn.Upvalues[i] = machine.Cell(s.l.NewFunction(s.vm.debugPrint))
			}
		}
		if !c.Function().IsG {
			for i := range c.Varargs() {
				args = append(args, c.Vararg(i))
			}
		}
	}
	return s.vm.evaluate(s.l, fn, args)
}

// CancelEval ends the evaluation that is in progress, if any, with an error of this text. It may be called from any goroutine.
func (s *Stack) CancelEval(text string) {
	if s.vm.stop.CompareAndSwap(nil, &stopOrder{text: text, eval: true}) {
		s.vm.attention.Store(true)
	}
}

// evaluation is code that has been compiled to be evaluated in a frame.
type evaluation struct {
	proto    *lua.FunctionProto
	upvalues []binding
	frame    *Frame // nil: it sees only globals
}

// binding is what an upvalue of evaluated code stands for: a register or upvalue of the frame, or print.
type binding struct{ register, upvalue int }

// evalKey tells evaluations apart that are compiled differently.
type evalKey struct {
	in          *lua.FunctionProto
	pc          int
	chunk, code string
}

// keptEvals is how many evaluations a run keeps compiled.
const keptEvals = 256

func (s *Stack) evaluation(level int, chunk, code string) (*evaluation, error) {
	vm := s.vm
	key := evalKey{chunk: chunk, code: code}
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
	if have := vm.compiled[key]; have != nil && (have.frame != nil) == (level >= 0) {
		return &evaluation{have.proto, have.upvalues, e.frame}, nil
	}
	depth := vm.machine.Nesting().Depth()
	t, err := e.compile("return "+code, chunk, depth)
	if err != nil {
		t, err = e.compile(code, chunk, depth)
	}
	if err != nil {
		return nil, &EvalError{text: err.Error(), Syntax: true}
	}
	if vm.loaded == nil {
		vm.loaded = debugInfo{}
	}
	for p, o := range t.debug {
		o.chunk = cString(chunk)
		vm.loaded[p] = o
	}
	if vm.compiled == nil || len(vm.compiled) >= keptEvals {
		vm.compiled = map[evalKey]*evaluation{}
	}
	vm.compiled[key] = e
	return e, nil
}

var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)

func (e *evaluation) compile(source, name string, depth int) (traits, error) {
	if e.frame == nil {
		var t traits
		var err error
		e.proto, t, err = compileChunk(source, name, nil, luac.Options{Depth: depth})
		return t, err
	}
	bound := &boundScope{varargs: strings.Contains(source, "...")}
	bindings := e.frame.visible(identifier.FindAllString(source, -1))
	bound.names = slices.Sorted(maps.Keys(bindings))
	proto, t, err := compileChunk(source, name, bound, luac.Options{Depth: depth})
	if err != nil {
		return t, err
	}
	e.proto = proto.FunctionPrototypes[0]
	e.proto.IsVarArg &^= lua.VarArgNeedsArg
	e.upvalues = nil
	for _, name := range e.proto.DbgUpvalues {
		e.upvalues = append(e.upvalues, bindings[name])
	}
	return t, nil
}

// visible finds what names stand for in a frame. Those of globals are left out.
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

// boundScope is the scope that evaluated code stands in.
type boundScope struct {
	varargs bool
	names   []string // of variables
}

// enclose makes a function of the code, in a scope that has the names; only the function is going to be called.
func (r *rewriter) enclose(b *boundScope, stmts []ast.Stmt) []ast.Stmt {
	like := &ast.ReturnStmt{}
	like.SetLine(1)
	like.SetLastLine(1)
	var out []ast.Stmt
	if len(b.names) > 0 {
		out = append(out, at(&ast.LocalAssignStmt{Names: b.names}, like))
		r.declare(b.names...)
	}
	fn := at(&ast.FunctionExpr{ParList: &ast.ParList{HasVargs: b.varargs}, Stmts: stmts}, like)
	r.open(true)
	if b.varargs {
		r.declare("arg")
	}
	fn.Stmts = r.block(fn.Stmts)
	r.close()
	like.Exprs = []ast.Expr{fn}
	return append(out, like)
}

// evaluate calls a function on a thread of its own, so that whatever it does leaves the threads of the script as they are.
func (vm *VM) evaluate(L *lua.LState, fn *lua.LFunction, args []lua.LValue) ([]Value, error) {
	before, meant := vm.running, vm.sandbox.handler
	scratch, buf := vm.args, vm.buf
	vm.args, vm.buf = nil, nil
	vm.evals++
	vm.raising, vm.again, vm.steps = false, false, 0
	resume := vm.machine.Pause()
	th := vm.thread(L)
	th.Push(vm.guardEntry)
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
	vm.args, vm.buf = scratch, buf
	after := vm.running
	vm.running = before // but for what the code was meant to change:
	vm.proto, vm.loaded, vm.threads, vm.compiled = after.proto, after.loaded, after.threads, after.compiled
	if err != nil {
		return nil, vm.evalError(err)
	}
	if order := vm.stop.Load(); order != nil && order.eval && vm.evals == 0 { // the order was for this evaluation, which has just ended
		vm.stop.CompareAndSwap(order, nil)
	}
	values := make([]Value, th.GetTop())
	for i := range values {
		values[i] = vm.value(th.Get(i + 1))
	}
	vm.release(th)
	return values, nil
}

func (vm *VM) evalError(err error) *EvalError {
	problem := vm.noteBroken(err)
	if order := vm.order(); order != nil {
		if order.eval {
			vm.stop.CompareAndSwap(order, nil)
		}
		return &EvalError{text: order.text}
	}
	if problem != "" {
		return &EvalError{text: problem}
	}
	v := err.(*lua.ApiError).Object
	text, ok := str(v)
	if tb, isTable := v.(*lua.LTable); isTable {
		text, ok = str(tb.RawGetString("err"))
	}
	if !ok {
		text = "(error object is not a string)"
	}
	return &EvalError{Value: vm.value(v), text: text}
}
