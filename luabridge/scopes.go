package luabridge

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// local is a local variable as Lua has it: where it is kept, and the instructions before which it is in scope.
type local struct {
	name     string
	register int
	table    string // what the register holds, for one that is spilled; or ""
	key      string // of that table
	from, to int    // instructions: the first, and the one behind the last
}

// scopes learns from the tree that is compiled which locals its functions have. gopher-lua's own list has the names, in this order, and where
// they begin, but wrong ends, and it counts some in where Lua does not yet.
type scopes struct {
	spills    map[ast.Stmt][]spilledLocal
	functions map[int]*scopeFunction // by the number of the node
	names     map[string]string      // of spilled locals, by their key
	fn        *scopeFunction
}

// scopeFunction is what is known of a function before it is compiled.
type scopeFunction struct {
	outer     *scopeFunction
	spilled   map[string][]spilledLocal // those of outer functions that are used, by the name of the table
	first     int                       // the number of the first node in it
	declares  []declaration
	active    []int // the declarations whose scope is open
	blocks    []scopeBlock
	registers int // of the active ones
}

// declaration is one that the compiler makes too, and those of spilled locals. first and last are the numbers of the first node of its block, and of the one behind the block.
type declaration struct {
	name        string
	register    int
	base        int // the first register of its block
	spilled     *spilledLocal
	kind        declarationKind
	first, last int
	after       int // the number of the node behind the statement that declares it
}

type declarationKind int8

const (
	plainLocal     declarationKind = iota
	numericLoop                    // what a numeric loop keeps for itself
	genericLoop                    // what a generic loop keeps for itself
	parameter                      // of a function
	functionOfName                 // "local function": in scope only when the function has been made
)

type scopeBlock struct {
	first     int // node
	active    int // how many were active before
	registers int // how many registers they have
}

func (sc *scopes) chunk(first int) {
	sc.functions, sc.names = map[int]*scopeFunction{}, map[string]string{}
	sc.enter(0, first)
}

func (sc *scopes) enter(id, first int) {
	sc.fn = &scopeFunction{outer: sc.fn, first: first}
	sc.functions[id] = sc.fn
	sc.open(first)
}

// function begins the function of a node, which has its number already.
func (sc *scopes) function(e *ast.FunctionExpr, first int) {
	sc.enter(e.Line(), first)
	for _, name := range e.ParList.Names {
		if name == "(arg)" {
			name = "arg"
		}
		sc.declare(name, parameter, first)
	}
	if e.ParList.HasVargs {
		sc.declare("arg", parameter, first)
	}
}

// end ends a function.
func (sc *scopes) end(last int) {
	sc.close(last)
	sc.fn = sc.fn.outer
}

func (sc *scopes) open(first int) {
	sc.fn.blocks = append(sc.fn.blocks, scopeBlock{first, len(sc.fn.active), sc.fn.registers})
}

func (sc *scopes) close(last int) {
	f := sc.fn
	b := f.blocks[len(f.blocks)-1]
	f.blocks = f.blocks[:len(f.blocks)-1]
	for _, i := range f.active[b.active:] {
		f.declares[i].last = last
	}
	f.active = f.active[:b.active]
	f.registers = b.registers
}

func (sc *scopes) declare(name string, kind declarationKind, after int) {
	f := sc.fn
	register := f.registers
	f.registers++
	b := f.blocks[len(f.blocks)-1]
	base := register
	if len(f.active) > b.active {
		base = f.declares[f.active[b.active]].base
	}
	f.active = append(f.active, len(f.declares))
	f.declares = append(f.declares, declaration{name: name, register: register, base: base, kind: kind, first: b.first, after: after})
}

// declared is told of each statement when its parts are done; after is the number of the next node.
func (sc *scopes) declared(s ast.Stmt, after int) {
	if l, ok := s.(*ast.LocalAssignStmt); ok {
		kind := plainLocal
		if len(l.Names) == 1 && len(l.Exprs) == 1 {
			if _, ok := l.Exprs[0].(*ast.FunctionExpr); ok {
				kind = functionOfName
			}
		}
		for _, name := range l.Names {
			sc.declare(name, kind, after)
		}
	}
	for _, l := range sc.spills[s] {
		sc.names[l.key] = l.name
		register := sc.fn.registerOf(l.table)
		sc.declare(l.name, plainLocal, after)
		sc.fn.registers--
		d := &sc.fn.declares[len(sc.fn.declares)-1]
		d.register, d.spilled = register, &l
	}
}

// registerOf is the register of a local in scope, -1 where the function has no such local.
func (f *scopeFunction) registerOf(name string) int {
	for i := len(f.active) - 1; i >= 0; i-- {
		if d := f.declares[f.active[i]]; d.name == name && d.spilled == nil {
			return d.register
		}
	}
	return -1
}

// uses is told of each field that is read or written: it may be a spilled local of an outer function.
func (sc *scopes) uses(e *ast.AttrGetExpr) {
	if !isSpill(e.Object) {
		return
	}
	table, key := e.Object.(*ast.IdentExpr).Value, e.Key.(*ast.StringExpr).Value
	for f := sc.fn; f != nil && f.registerOf(table) < 0; f = f.outer {
		if f.spilled == nil {
			f.spilled = map[string][]spilledLocal{}
		}
		used := slices.ContainsFunc(f.spilled[table], func(l spilledLocal) bool { return l.key == key })
		if name, ok := sc.names[key]; ok && !used {
			f.spilled[table] = append(f.spilled[table], spilledLocal{name, table, key})
		}
	}
}

// block is a block of statements.
func (a *annotator) block(ss []ast.Stmt) {
	a.scopes.open(len(a.sites))
	a.stmts(ss)
	a.scopes.close(len(a.sites))
}

// loop is the body of a for loop, with the variables that the loop declares.
func (a *annotator) loop(ss []ast.Stmt, kind declarationKind, names ...string) {
	own := [...]string{"(for index)", "(for limit)", "(for step)"}
	if kind == genericLoop {
		own = [...]string{"(for generator)", "(for state)", "(for control)"}
	}
	a.scopes.open(len(a.sites))
	for _, name := range own {
		a.scopes.declare(name, kind, len(a.sites))
	}
	for _, name := range names {
		a.scopes.declare(name, plainLocal, len(a.sites))
	}
	a.stmts(ss)
	a.scopes.close(len(a.sites))
}

// inventedName reports whether the rewriter made a name up.
func inventedName(name string) bool {
	return strings.HasPrefix(name, "(t") || strings.HasPrefix(name, "(p") || strings.HasPrefix(name, spillMark)
}

// settle gives the locals of a function that has been compiled, while its instructions still have the numbers of their nodes.
func (sc *scopes) settle(p *lua.FunctionProto) (locals []local, spilled map[string][]spilledLocal) {
	f := sc.functions[p.LineDefined]
	if f == nil {
		return nil, nil
	}
	next := 0 // among the compiler's
	begun := 0
	for i, d := range f.declares {
		l := local{name: d.name, register: d.register}
		if d.spilled != nil {
			l.table, l.key = d.spilled.table, d.spilled.key
			l.from = behind(p, begun, d.first, d.after)
		} else {
			if next >= len(p.DbgLocals) || p.DbgLocals[next].Name != d.name && p.DbgLocals[next].Name != "(arg)" {
				return locals, f.spilled // the compiler has other locals: better none than wrong ones
			}
			l.from = p.DbgLocals[next].StartPc
			next++
		}
		begun = l.from
		switch d.kind {
		case functionOfName:
			l.from = behind(p, l.from, d.first, d.after)
		case parameter:
			l.from = 0
		case numericLoop, genericLoop:
			variable := next - 1
			for j := i; f.declares[j].kind == d.kind; j++ {
				variable++
			}
			l.from, l.to = loopSpan(p, p.DbgLocals[variable].StartPc-1)
		}
		switch {
		case l.to > 0:
		case d.first == f.first:
			l.to = len(p.Code)
		default:
			l.to = behind(p, l.from, d.first, d.last)
			if l.to > l.from && int(p.Code[l.to-1]>>26) == lua.OP_CLOSE && int(p.Code[l.to-1]>>18&0xff) == d.base {
				l.to-- // Lua ends the scopes first
			}
		}
		if !inventedName(l.name) {
			locals = append(locals, l)
		}
	}
	return locals, f.spilled
}

// behind is the instruction that follows those of the nodes first to last-1, from the instruction pc on.
func behind(p *lua.FunctionProto, pc, first, last int) int {
	end := pc
	for ; pc < len(p.DbgSourcePositions); pc++ {
		switch id := p.DbgSourcePositions[pc]; {
		case id >= first && id < last:
			end = pc + 1
		case id != 0: // a number that the compiler has made up has none
			return end
		}
	}
	return end
}

// loopSpan is the instructions from the jump at the beginning of a for loop to its end.
func loopSpan(p *lua.FunctionProto, pc int) (from, to int) {
	to = pc + 1 + int(p.Code[pc]&0x3ffff) - maxJump
	if int(p.Code[to]>>26) == lua.OP_TFORLOOP {
		return pc, to + 2
	}
	return pc, to + 1
}
