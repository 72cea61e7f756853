package luac

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// compiler emits code while it reads a text, as Lua's own compiler does (LexState). It builds no
// tree, and recurses no deeper than the syntax levels that Lua allows. So it reports errors at the
// same token as Lua.
type compiler struct {
	syntax.Lexer
	name   string
	fs     *funcState // of the innermost function
	depth  int        // syntax levels, plus the C calls in progress
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
	// Places has the places of each function, with Options.Places. The functions are in the order in
	// which they begin in the text.
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

// Compile (luaY_parser) compiles a text. name is the chunk's name in error positions. The error is
// a *[syntax.Error], one of the above, or an error of o.Poll or o.Reserve.
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
	c.openFunc(0)
	c.fs.proto.IsVarArg = lua.VarArgIsVarArg
	c.Next()
	c.chunk()
	c.Check(syntax.EOS)
	chunk = &Chunk{Proto: c.closeFunc()}
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
	c.openFunc(0)
	for _, name := range s.Locals {
		c.newLocalVar(name)
	}
	c.fs.adjustLocalVars(len(s.Locals))
	c.fs.reserveRegs(len(s.Locals))
}

// openFunc begins a function that starts at line.
func (c *compiler) openFunc(line int) {
	c.budget.take(functionSize)
	c.fs = &funcState{
		proto: &lua.FunctionProto{SourceName: c.name, LineDefined: line},
		prev:  c.fs, c: c, base: c.code.n, lastTarget: -1, jpc: noJump, maxStack: 2,
	}
	if c.places != nil {
		c.places.begin(c.fs)
	}
}

// closeFunc ends the current function.
func (c *compiler) closeFunc() *lua.FunctionProto {
	fs := c.fs
	fs.removeVars(0)
	fs.ret(0, 0)
	fs.proto.NumUpvalues = uint8(len(fs.upvalues))
	fs.proto.NumUsedRegisters = uint8(fs.maxStack)
	fs.proto.Code, fs.proto.DbgSourcePositions = c.code.take(fs.base)
	c.fs = fs.prev
	return fs.proto
}

// enterLevel counts a syntax level.
func (c *compiler) enterLevel() {
	if c.depth++; c.depth > maxLevels {
		c.Fail("chunk has too many syntax levels", 0)
	}
}

func (c *compiler) leaveLevel() { c.depth-- }

// checkLimit fails if a function has more than most of something.
func (c *compiler) checkLimit(fs *funcState, n, most int, what string) {
	if n <= most {
		return
	}
	if fs.proto.LineDefined == 0 {
		c.Fail(fmt.Sprintf("main function has more than %d %s", most, what), 0)
	}
	c.Fail(fmt.Sprintf("function at line %d has more than %d %s", fs.proto.LineDefined, most, what), 0)
}

// newLocalVar declares a local. It comes into scope with the next call of adjustLocalVars.
func (c *compiler) newLocalVar(name string) {
	fs := c.fs
	c.checkLimit(fs, len(fs.actVar)+1, maxLocals, "local variables")
	if len(fs.proto.DbgLocals) >= maxVariables {
		syntax.Stop(ErrVariables)
	}
	c.budget.take(variableSize)
	fs.actVar = append(fs.actVar, len(fs.proto.DbgLocals))
	fs.proto.DbgLocals = append(fs.proto.DbgLocals, &lua.DbgLocalInfo{Name: name})
}

// adjustLocalVars brings the next n declared locals into scope.
func (fs *funcState) adjustLocalVars(n int) {
	for range n {
		fs.proto.DbgLocals[fs.actVar[fs.nActVar]].StartPc = fs.pc()
		fs.nActVar++
	}
}

// removeVars ends the scope of all locals except the first n.
func (fs *funcState) removeVars(n int) {
	for fs.nActVar > n {
		fs.nActVar--
		fs.proto.DbgLocals[fs.actVar[fs.nActVar]].EndPc = fs.pc()
	}
	fs.actVar = fs.actVar[:n]
}

// enterBlock begins a block. loop is set if break leaves it.
func (fs *funcState) enterBlock(loop bool) *blockCnt {
	fs.bl = &blockCnt{previous: fs.bl, breakable: loop, nActVar: fs.nActVar, breakList: noJump}
	return fs.bl
}

// leaveBlock ends the innermost block: its locals, their upvalues and its breaks.
func (fs *funcState) leaveBlock() {
	b := fs.bl
	fs.bl = b.previous
	fs.removeVars(b.nActVar)
	if b.upval {
		fs.codeABC(lua.OP_CLOSE, b.nActVar, 0, 0)
	}
	fs.freeReg = fs.nActVar
	fs.patchToHere(b.breakList)
}

// singleVar returns the operand for a name.
func (fs *funcState) singleVar(name string) expDesc {
	v := fs.singleVarAux(name, true)
	if v.kind == vGlobal {
		v.info = fs.stringK(name)
	}
	return v
}

// singleVarAux looks for a variable. own reports whether fs itself uses it,
// not a function inside it.
func (fs *funcState) singleVarAux(name string, own bool) expDesc {
	if fs == nil {
		return initExp(vGlobal, 0)
	}
	for i := fs.nActVar - 1; i >= 0; i-- {
		if fs.proto.DbgLocals[fs.actVar[i]].Name == name {
			if !own {
				b := fs.bl
				for b != nil && b.nActVar > i {
					b = b.previous
				}
				if b != nil {
					b.upval = true
				}
			}
			return initExp(vLocal, i)
		}
	}
	v := fs.prev.singleVarAux(name, false)
	if v.kind == vGlobal {
		return v
	}
	u := upvalue{v.kind == vLocal, v.info}
	for at, have := range fs.upvalues {
		if have == u {
			return initExp(vUpval, at)
		}
	}
	fs.c.checkLimit(fs, len(fs.upvalues)+1, maxUpvalues, "upvalues")
	fs.upvalues = append(fs.upvalues, u)
	fs.proto.DbgUpvalues = append(fs.proto.DbgUpvalues, name)
	return initExp(vUpval, len(fs.upvalues)-1)
}
