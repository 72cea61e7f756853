package luac

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// compiler emits code while it reads a text, as Lua's own compiler does. It builds no tree, and
// recurses no deeper than the syntax levels that Lua allows. So it reports errors at the same token
// as Lua.
type compiler struct {
	syntax.Lexer
	name   string
	fn     *function
	depth  int // syntax levels, plus the C calls in progress
	budget budget
	code   tape
	given  Given
	lent   []lentCall
	places *recorder // nil: coverage is not counted
}

// Options of a compilation.
type Options struct {
	Depth int // number of C calls in progress, to which Lua adds the syntax levels
	// Poll is called every few thousand tokens. Compile stops at its error and returns it.
	// Optional.
	Poll func() error
	// Reserve is called before about n bytes are allocated. Compile stops at its error and returns
	// it. Optional.
	Reserve func(n int) error
	// Scope is the scope around the text. Optional: without it the text is a chunk of its own.
	Scope *Scope
	// Places makes Compile collect the places at which coverage is counted. It cannot be combined with
	// Scope.
	Places bool
}

// Scope names the variables around a text. The text becomes a function that has the variables it
// uses as upvalues. It is called with the values of "...".
type Scope struct {
	Locals []string
}

// Chunk is a compiled text. The names of its upvalues are in Proto.DbgUpvalues.
type Chunk struct {
	Proto *lua.FunctionProto
	Given Given
	// Places are those of each function, in the order in which the functions begin in the text, with
	// Options.Places.
	Places []*Places
}

// Limits of Lua 5.1 as Redis builds it.
const (
	maxLevels    = 200
	maxLocals    = 200
	maxUpvalues  = 60
	maxVariables = 1<<15 - 1 // locals that a function declares, in scope or not
	maxConstants = 1<<18 - 1
	maxRegisters = 250
)

// Errors of functions that are too large. Lua raises them like run-time errors, without a place in
// the text.
var (
	ErrConstants = errors.New("constant table overflow")
	ErrVariables = errors.New("too many local variables")
)

// Compile compiles a text. name is the chunk's name in error positions. The error is a
// *[syntax.Error], one of the above, or an error of o.Poll or o.Reserve.
func Compile(source, name string, o Options) (chunk *Chunk, err error) {
	c := &compiler{Lexer: syntax.NewLexer(source, name, o.Poll), name: name, depth: o.Depth, budget: budget{reserve: o.Reserve}}
	c.code.budget = &c.budget
	defer func() {
		if err != nil {
			chunk = nil
		}
	}()
	defer c.Recover(&err)
	if o.Places {
		c.places = &recorder{source: source}
	}
	if o.Scope != nil {
		c.around(o.Scope)
	}
	c.open(0)
	c.fn.proto.IsVarArg = lua.VarArgIsVarArg
	c.Next()
	c.chunk()
	c.Check(syntax.EOS)
	chunk = &Chunk{Proto: c.finish()}
	chunk.Given = c.given
	if len(c.lent) > 0 {
		chunk.Given.Kept = true
	}
	if c.places != nil {
		chunk.Places = c.places.functions
	}
	if o.Scope != nil {
		chunk.Proto.LineDefined, chunk.Proto.LastLineDefined = 1, 1
	}
	c.budget.flush()
	return chunk, nil
}

// around begins the function that has the locals of a scope.
func (c *compiler) around(s *Scope) {
	c.open(0)
	for _, name := range s.Locals {
		c.declare(name)
	}
	c.fn.enter(len(s.Locals))
	c.fn.reserve(len(s.Locals))
}

// open begins a function that starts at line.
func (c *compiler) open(line int) {
	c.budget.take(functionSize)
	c.fn = &function{
		proto: &lua.FunctionProto{SourceName: c.name, LineDefined: line},
		outer: c.fn, c: c, base: c.code.n, target: -1, here: noJump, most: 2,
	}
	if c.places != nil {
		c.places.begin(c.fn)
	}
}

// finish ends the current function.
func (c *compiler) finish() *lua.FunctionProto {
	f := c.fn
	f.leave(0)
	f.abc(lua.OP_RETURN, 0, 1, 0)
	f.proto.NumUpvalues = uint8(len(f.upvalues))
	f.proto.NumUsedRegisters = uint8(f.most)
	f.proto.Code, f.proto.DbgSourcePositions = c.code.take(f.base)
	c.fn = f.outer
	return f.proto
}

// enterLevel counts a syntax level.
func (c *compiler) enterLevel() {
	if c.depth++; c.depth > maxLevels {
		c.Fail("chunk has too many syntax levels", 0)
	}
}

func (c *compiler) leaveLevel() { c.depth-- }

// limit fails if a function has more than most of something.
func (c *compiler) limit(f *function, n, most int, what string) {
	if n <= most {
		return
	}
	if f.proto.LineDefined == 0 {
		c.Fail(fmt.Sprintf("main function has more than %d %s", most, what), 0)
	}
	c.Fail(fmt.Sprintf("function at line %d has more than %d %s", f.proto.LineDefined, most, what), 0)
}

// declare declares a local. It comes into scope with the next call of enter.
func (c *compiler) declare(name string) {
	f := c.fn
	c.limit(f, len(f.declared)+1, maxLocals, "local variables")
	if len(f.proto.DbgLocals) >= maxVariables {
		syntax.Stop(ErrVariables)
	}
	c.budget.take(variableSize)
	f.declared = append(f.declared, len(f.proto.DbgLocals))
	f.proto.DbgLocals = append(f.proto.DbgLocals, &lua.DbgLocalInfo{Name: name})
}

// enter brings the next n declared locals into scope.
func (f *function) enter(n int) {
	for range n {
		f.proto.DbgLocals[f.declared[f.active]].StartPc = f.pc()
		f.active++
	}
}

// leave ends the scope of all locals except the first n.
func (f *function) leave(n int) {
	for f.active > n {
		f.active--
		f.proto.DbgLocals[f.declared[f.active]].EndPc = f.pc()
	}
	f.declared = f.declared[:n]
}

func (f *function) open(loop bool) *block {
	f.block = &block{outer: f.block, loop: loop, active: f.active, breaks: noJump}
	return f.block
}

func (f *function) close() {
	b := f.block
	f.block = b.outer
	f.leave(b.active)
	if b.upval {
		f.abc(lua.OP_CLOSE, b.active, 0, 0)
	}
	f.free = f.active
	f.leadHere(b.breaks)
}

// variable returns the operand for a name.
func (f *function) variable(name string) operand {
	v := f.find(name, true)
	if v.kind == global {
		v.info = f.text(name)
	}
	return v
}

// find looks for a variable. own reports whether f itself uses it, not a function inside f.
func (f *function) find(name string, own bool) operand {
	if f == nil {
		return made(global, 0)
	}
	for i := f.active - 1; i >= 0; i-- {
		if f.proto.DbgLocals[f.declared[i]].Name == name {
			if !own {
				b := f.block
				for b != nil && b.active > i {
					b = b.outer
				}
				if b != nil {
					b.upval = true
				}
			}
			return made(local, i)
		}
	}
	v := f.outer.find(name, false)
	if v.kind == global {
		return v
	}
	u := upvalue{v.kind == local, v.info}
	for at, have := range f.upvalues {
		if have == u {
			return made(upval, at)
		}
	}
	f.c.limit(f, len(f.upvalues)+1, maxUpvalues, "upvalues")
	f.upvalues = append(f.upvalues, u)
	f.proto.DbgUpvalues = append(f.proto.DbgUpvalues, name)
	return made(upval, len(f.upvalues)-1)
}
