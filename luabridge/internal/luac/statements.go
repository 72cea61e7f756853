package luac

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

func (c *compiler) chunk() {
	c.enterLevel()
	for last := false; !last && !c.BlockEnds(); {
		last = c.statement()
		c.Accept(';')
		c.fn.free = c.fn.active
	}
	c.leaveLevel()
}

func (c *compiler) block() {
	c.fn.open(false)
	c.chunk()
	if c.places != nil {
		c.fn.settle()
	}
	c.fn.close()
}

// statement compiles a statement. It reports whether the statement is the last of its block.
func (c *compiler) statement() bool {
	line := c.Line
	if c.places != nil {
		c.markStatement()
	}
	switch c.Kind {
	case syntax.If:
		c.ifStatement(line)
	case syntax.While:
		c.while(line)
	case syntax.Do:
		c.Next()
		c.block()
		c.Match(syntax.End, syntax.Do, line)
	case syntax.For:
		c.forStatement(line)
	case syntax.Repeat:
		c.repeat(line)
	case syntax.Function:
		c.functionStatement(line)
	case syntax.Local:
		c.Next()
		if c.Accept(syntax.Function) {
			c.localFunction()
		} else {
			c.local()
		}
	case syntax.Return:
		c.returnStatement()
		return true
	case syntax.Break:
		c.Next()
		c.fn.breakOut()
		return true
	default:
		c.expressionStatement()
	}
	return false
}

// condition compiles the condition of a statement and returns the list of jumps that are taken if
// it is false.
func (c *compiler) condition(of BranchKind) int {
	e := c.expression()
	if e.kind == nilValue {
		e.kind = falseValue
	}
	jump := c.fn.goIfTrue(&e)
	if c.places != nil {
		c.markBranch(of, jump, false)
	}
	return e.ifFalse
}

// branch compiles from "if" or "elseif" to the end of the block.
func (c *compiler) branch(of BranchKind) (otherwise int) {
	if c.places != nil && of == BranchElseif {
		c.fn.reach(c.From)
	}
	c.Next()
	otherwise = c.condition(of)
	c.Expect(syntax.Then)
	c.block()
	return otherwise
}

func (c *compiler) ifStatement(line int) {
	f := c.fn
	done := noJump
	otherwise := c.branch(BranchIf)
	for c.Kind == syntax.Elseif {
		f.join(&done, f.jump())
		f.leadHere(otherwise)
		otherwise = c.branch(BranchElseif)
	}
	if c.Kind == syntax.Else {
		f.join(&done, f.jump())
		f.leadHere(otherwise)
		c.Next()
		c.block()
	} else {
		f.join(&done, otherwise)
	}
	f.leadHere(done)
	c.Match(syntax.End, syntax.If, line)
}

func (c *compiler) while(line int) {
	f, from := c.fn, c.From
	c.Next()
	if c.places != nil {
		f.settle()
	}
	begin := f.label()
	if c.places != nil {
		f.reach(from)
	}
	out := c.condition(BranchWhile)
	f.open(true)
	c.Expect(syntax.Do)
	c.block()
	f.lead(f.jump(), begin)
	c.Match(syntax.End, syntax.While, line)
	f.close()
	f.leadHere(out)
}

func (c *compiler) repeat(line int) {
	f := c.fn
	if c.places != nil {
		f.settle()
	}
	begin := f.label()
	f.open(true)
	scope := f.open(false)
	c.Next()
	c.chunk()
	c.Match(syntax.Until, syntax.Repeat, line)
	if c.places != nil {
		f.reach(c.From)
	}
	again := c.condition(BranchUntil) // it sees the locals of the body
	if c.places != nil {
		f.settle()
	}
	if !scope.upval {
		f.close()
		f.lead(again, begin)
	} else {
		f.breakOut()
		f.leadHere(again)
		f.close()
		f.lead(f.jump(), begin)
	}
	f.close()
}

func (f *function) breakOut() {
	b := f.block
	upval := false
	for ; b != nil && !b.loop; b = b.outer {
		upval = upval || b.upval
	}
	if b == nil {
		f.c.SyntaxError("no loop to break")
	}
	if upval {
		f.abc(lua.OP_CLOSE, b.active, 0, 0)
	}
	f.join(&b.breaks, f.jump())
}

func (c *compiler) forStatement(line int) {
	from := c.From
	c.fn.open(true)
	c.Next()
	name := c.Identifier()
	switch c.Kind {
	case '=':
		c.numericFor(name, line, from)
	case ',', syntax.In:
		c.genericFor(name, from)
	default:
		c.SyntaxError("'=' or 'in' expected")
	}
	c.Match(syntax.End, syntax.For, line)
	c.fn.close()
}

// pushed compiles an expression into the next register. It reports whether that is a number.
func (c *compiler) pushed() (numeral bool) {
	e := c.expression()
	numeral = e.isNumeral()
	c.fn.push(&e)
	return numeral
}

func (c *compiler) numericFor(name string, line, from int) {
	f := c.fn
	base := f.free
	for _, name := range []string{"(for index)", "(for limit)", "(for step)", name} {
		c.declare(name)
	}
	c.Next()
	fixed := c.pushed()
	c.Expect(',')
	fixed = c.pushed() && fixed
	if c.Accept(',') {
		fixed = c.pushed() && fixed
	} else {
		f.abx(lua.OP_LOADK, f.free, f.number(1))
		f.reserve(1)
	}
	f.enter(3)
	to := c.Past
	c.Expect(syntax.Do)
	prepare := f.abx(lua.OP_FORPREP, base, noJump+jumpBias)
	c.loopBody(1)
	f.leadHere(prepare)
	again := f.abx(lua.OP_FORLOOP, base, noJump+jumpBias)
	f.fixLine(line)
	f.lead(again, prepare+1)
	if c.places != nil && !fixed {
		c.markFor(from, to, prepare, again)
	}
}

func (c *compiler) genericFor(name string, from int) {
	f := c.fn
	base := f.free
	for _, name := range []string{"(for generator)", "(for state)", "(for control)", name} {
		c.declare(name)
	}
	names := 1
	for c.Accept(',') {
		c.declare(c.Identifier())
		names++
	}
	c.Expect(syntax.In)
	line := c.Line
	n, e := c.list()
	if n == 1 {
		c.iterates(&e)
	}
	f.adjust(3, n, &e)
	f.room(3)
	f.enter(3)
	to := c.Past
	c.Expect(syntax.Do)
	if c.places != nil {
		f.land()
	}
	prepare := f.jump()
	c.loopBody(names)
	f.leadHere(prepare)
	again := f.abc(lua.OP_TFORLOOP, base, 0, names)
	f.fixLine(line)
	f.lead(f.jump(), prepare+1)
	if c.places != nil {
		c.markFor(from, to, prepare, again)
	}
}

// loopBody compiles a loop body that sees the next n locals.
func (c *compiler) loopBody(n int) {
	c.fn.open(false)
	c.fn.enter(n)
	c.fn.reserve(n)
	c.block()
	c.fn.close()
}

func (c *compiler) functionStatement(line int) {
	c.Next()
	from := c.From
	target := c.fn.variable(c.Identifier())
	method := false
	for !method && (c.Kind == '.' || c.Kind == ':') {
		method = c.Kind == ':'
		c.field(&target)
	}
	c.nextFunction(c.textFrom(from))
	e := c.body(method, line)
	c.fn.store(&target, &e)
	c.fn.fixLine(line)
}

func (c *compiler) localFunction() {
	f := c.fn
	c.nextFunction(c.Text)
	c.declare(c.Identifier())
	to := made(local, f.free)
	f.reserve(1)
	f.enter(1)
	e := c.body(false, c.Line)
	f.store(&to, &e)
	f.proto.DbgLocals[f.declared[f.active-1]].StartPc = f.pc() // it has no value before
}

func (c *compiler) local() {
	names, first := 0, c.Text
	for more := true; more; more = c.Accept(',') {
		c.declare(c.Identifier())
		names++
	}
	n, e := 0, made(none, 0)
	if c.Accept('=') {
		c.nameFunction(first)
		n, e = c.list()
	}
	c.fn.adjust(names, n, &e)
	c.fn.enter(names)
}

// adjust makes n values match the number of variables. last is the last value, which is not in a
// register yet.
func (f *function) adjust(variables, n int, last *operand) {
	more := variables - n
	if last.multi() {
		more = max(more+1, 0)
		f.results(last, more)
		if more > 1 {
			f.reserve(more - 1)
		}
		return
	}
	if last.kind != none {
		f.push(last)
	}
	if more > 0 {
		at := f.free
		f.reserve(more)
		f.nils(at, more)
	}
}

func (c *compiler) returnStatement() {
	f := c.fn
	c.Next()
	first, n := 0, 0
	if !c.BlockEnds() && c.Kind != ';' {
		var e operand
		n, e = c.list()
		switch {
		case e.multi():
			f.results(&e, -1)
			if e.kind == called && n == 1 {
				*f.at(e.info) = *f.at(e.info)&^(63<<26) | uint32(lua.OP_TAILCALL)<<26
			}
			first, n = f.active, -1
		case n == 1:
			first = f.anywhere(&e)
		default:
			f.push(&e)
			first = f.active
		}
	}
	f.abc(lua.OP_RETURN, first, n+1, 0)
}

// expressionStatement compiles a call or an assignment.
func (c *compiler) expressionStatement() {
	from := c.From
	e := c.primary()
	if e.kind == called {
		c.fn.setC(e.info, 1) // no results
		return
	}
	if c.Kind == '=' && (e.kind == local || e.kind == upval || e.kind == global || e.kind == indexed) {
		c.assignOne(e, from)
		return
	}
	first := e // so that e does not escape to the heap
	c.assignment([]*operand{&first})
}

// assignOne compiles an assignment after its only target, which begins at from.
func (c *compiler) assignOne(to operand, from int) {
	name := c.textFrom(from)
	c.Next()
	c.nameFunction(name)
	n, e := c.list()
	if n == 1 {
		c.fn.oneResult(&e)
		c.fn.store(&to, &e)
		return
	}
	c.fn.adjust(1, n, &e)
	c.fn.free -= max(n-1, 0)
	value := made(settled, c.fn.free-1)
	c.fn.store(&to, &value)
}

// assignment compiles an assignment after its first target.
func (c *compiler) assignment(targets []*operand) {
	f := c.fn
	for {
		if k := targets[len(targets)-1].kind; k != local && k != upval && k != global && k != indexed {
			c.SyntaxError("syntax error")
		}
		if !c.Accept(',') {
			break
		}
		e := c.primary()
		if e.kind == local {
			f.keepTargets(targets, &e)
		}
		c.limit(f, len(targets), maxLevels-c.depth, "variables in assignment")
		targets = append(targets, &e)
	}
	c.Expect('=')
	n, e := c.list()
	rest := len(targets)
	if n == len(targets) {
		f.oneResult(&e)
		rest--
		f.store(targets[rest], &e)
	} else {
		f.adjust(len(targets), n, &e)
		f.free -= max(n-len(targets), 0)
	}
	for rest--; rest >= 0; rest-- {
		value := made(settled, f.free-1)
		f.store(targets[rest], &value)
	}
}

// keepTargets copies a local that is about to be assigned if an earlier target is a field of it, or
// a field named by it.
func (f *function) keepTargets(targets []*operand, e *operand) {
	used := false
	for _, t := range targets {
		if t.kind != indexed {
			continue
		}
		if t.info == e.info {
			used, t.info = true, f.free
		}
		if t.key == e.info {
			used, t.key = true, f.free
		}
	}
	if used {
		f.abc(lua.OP_MOVE, f.free, e.info, 0)
		f.reserve(1)
	}
}
