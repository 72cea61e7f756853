package luac

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// chunk compiles statements up to the end of their block.
func (c *compiler) chunk() {
	c.enterLevel()
	for last := false; !last && !c.BlockEnds(); {
		last = c.statement()
		c.Accept(';')
		c.fs.freeReg = c.fs.nActVar
	}
	c.leaveLevel()
}

// block compiles a block that is not the body of a loop.
func (c *compiler) block() {
	c.fs.enterBlock(false)
	c.chunk()
	if c.places != nil {
		c.fs.padPoint()
	}
	c.fs.leaveBlock()
}

// statement compiles a statement. It reports whether the statement is the last of its block.
func (c *compiler) statement() bool {
	line := c.Line
	if c.places != nil {
		c.markStatement()
	}
	switch c.Kind {
	case syntax.If:
		c.ifStat(line)
	case syntax.While:
		c.whileStat(line)
	case syntax.Do:
		c.Next()
		c.block()
		c.Match(syntax.End, syntax.Do, line)
	case syntax.For:
		c.forStat(line)
	case syntax.Repeat:
		c.repeatStat(line)
	case syntax.Function:
		c.funcStat(line)
	case syntax.Local:
		c.Next()
		if c.Accept(syntax.Function) {
			c.localFunc()
		} else {
			c.localStat()
		}
	case syntax.Return:
		c.retStat()
		return true
	case syntax.Break:
		c.Next()
		c.fs.breakStat()
		return true
	default:
		c.exprStat()
	}
	return false
}

// cond compiles the condition of a statement and returns the list of jumps that are taken if
// it is false.
func (c *compiler) cond(of BranchKind) int {
	e := c.expr()
	if e.kind == vNil {
		e.kind = vFalse
	}
	jump := c.fs.goIfTrue(&e)
	if c.places != nil {
		c.markBranch(of, jump, false)
	}
	return e.f
}

// testThenBlock compiles from "if" or "elseif" to the end of the block.
func (c *compiler) testThenBlock(of BranchKind) (otherwise int) {
	if c.places != nil && of == BranchElseif {
		c.fs.addPoint(c.From)
	}
	c.Next()
	otherwise = c.cond(of)
	c.Expect(syntax.Then)
	c.block()
	return otherwise
}

func (c *compiler) ifStat(line int) {
	fs := c.fs
	done := noJump
	otherwise := c.testThenBlock(BranchIf)
	for c.Kind == syntax.Elseif {
		fs.concat(&done, fs.jump())
		fs.patchToHere(otherwise)
		otherwise = c.testThenBlock(BranchElseif)
	}
	if c.Kind == syntax.Else {
		fs.concat(&done, fs.jump())
		fs.patchToHere(otherwise)
		c.Next()
		c.block()
	} else {
		fs.concat(&done, otherwise)
	}
	fs.patchToHere(done)
	c.Match(syntax.End, syntax.If, line)
}

func (c *compiler) whileStat(line int) {
	fs, from := c.fs, c.From
	c.Next()
	if c.places != nil {
		fs.padPoint()
	}
	begin := fs.getLabel()
	if c.places != nil {
		fs.addPoint(from)
	}
	out := c.cond(BranchWhile)
	fs.enterBlock(true)
	c.Expect(syntax.Do)
	c.block()
	fs.patchList(fs.jump(), begin)
	c.Match(syntax.End, syntax.While, line)
	fs.leaveBlock()
	fs.patchToHere(out)
}

func (c *compiler) repeatStat(line int) {
	fs := c.fs
	if c.places != nil {
		fs.padPoint()
	}
	begin := fs.getLabel()
	fs.enterBlock(true)
	scope := fs.enterBlock(false)
	c.Next()
	c.chunk()
	c.Match(syntax.Until, syntax.Repeat, line)
	if c.places != nil {
		fs.addPoint(c.From)
	}
	again := c.cond(BranchUntil) // it sees the locals of the body
	if c.places != nil {
		fs.padPoint()
	}
	if !scope.upval {
		fs.leaveBlock()
		fs.patchList(again, begin)
	} else {
		fs.breakStat()
		fs.patchToHere(again)
		fs.leaveBlock()
		fs.patchList(fs.jump(), begin)
	}
	fs.leaveBlock()
}

func (fs *funcState) breakStat() {
	b := fs.bl
	upval := false
	for ; b != nil && !b.breakable; b = b.previous {
		upval = upval || b.upval
	}
	if b == nil {
		fs.c.SyntaxError("no loop to break")
	}
	if upval {
		fs.codeABC(lua.OP_CLOSE, b.nActVar, 0, 0)
	}
	fs.concat(&b.breakList, fs.jump())
}

func (c *compiler) forStat(line int) {
	from := c.From
	c.fs.enterBlock(true)
	c.Next()
	name := c.Identifier()
	switch c.Kind {
	case '=':
		c.forNum(name, line, from)
	case ',', syntax.In:
		c.forList(name, from)
	default:
		c.SyntaxError("'=' or 'in' expected")
	}
	c.Match(syntax.End, syntax.For, line)
	c.fs.leaveBlock()
}

// exp1 compiles an expression into the next register. It reports whether that is a number.
func (c *compiler) exp1() (numeral bool) {
	e := c.expr()
	numeral = e.isNumeral()
	c.fs.exp2NextReg(&e)
	return numeral
}

func (c *compiler) forNum(name string, line, from int) {
	fs := c.fs
	base := fs.freeReg
	for _, name := range []string{"(for index)", "(for limit)", "(for step)", name} {
		c.newLocalVar(name)
	}
	c.Next()
	fixed := c.exp1()
	c.Expect(',')
	fixed = c.exp1() && fixed
	if c.Accept(',') {
		fixed = c.exp1() && fixed
	} else {
		fs.codeABx(lua.OP_LOADK, fs.freeReg, fs.numberK(1))
		fs.reserveRegs(1)
	}
	fs.adjustLocalVars(3)
	to := c.Past
	c.Expect(syntax.Do)
	prepare := fs.codeABx(lua.OP_FORPREP, base, noJump+maxArgSBx)
	c.forBody(1)
	fs.patchToHere(prepare)
	again := fs.codeABx(lua.OP_FORLOOP, base, noJump+maxArgSBx)
	fs.fixLine(line)
	fs.patchList(again, prepare+1)
	if c.places != nil && !fixed {
		c.markFor(from, to, prepare, again)
	}
}

func (c *compiler) forList(name string, from int) {
	fs := c.fs
	base := fs.freeReg
	for _, name := range []string{"(for generator)", "(for state)", "(for control)", name} {
		c.newLocalVar(name)
	}
	names := 1
	for c.Accept(',') {
		c.newLocalVar(c.Identifier())
		names++
	}
	c.Expect(syntax.In)
	line := c.Line
	n, e := c.expList1()
	if n == 1 {
		c.iterates(&e)
	}
	fs.adjustAssign(3, n, &e)
	fs.checkStack(3)
	fs.adjustLocalVars(3)
	to := c.Past
	c.Expect(syntax.Do)
	if c.places != nil {
		fs.padJumpTarget()
	}
	prepare := fs.jump()
	c.forBody(names)
	fs.patchToHere(prepare)
	again := fs.codeABC(lua.OP_TFORLOOP, base, 0, names)
	fs.fixLine(line)
	fs.patchList(fs.jump(), prepare+1)
	if c.places != nil {
		c.markFor(from, to, prepare, again)
	}
}

// forBody compiles the body of a for loop, which sees the next n locals. Its callers emit the
// instructions around it.
func (c *compiler) forBody(n int) {
	c.fs.enterBlock(false)
	c.fs.adjustLocalVars(n)
	c.fs.reserveRegs(n)
	c.block()
	c.fs.leaveBlock()
}

func (c *compiler) funcStat(line int) {
	c.Next()
	from := c.From
	target := c.fs.singleVar(c.Identifier())
	method := false
	for !method && (c.Kind == '.' || c.Kind == ':') {
		method = c.Kind == ':'
		c.field(&target)
	}
	c.nextFunction(c.textFrom(from))
	e := c.body(method, line)
	c.fs.storeVar(&target, &e)
	c.fs.fixLine(line)
}

func (c *compiler) localFunc() {
	fs := c.fs
	c.nextFunction(c.Text)
	c.newLocalVar(c.Identifier())
	to := initExp(vLocal, fs.freeReg)
	fs.reserveRegs(1)
	fs.adjustLocalVars(1)
	e := c.body(false, c.Line)
	fs.storeVar(&to, &e)
	fs.proto.DbgLocals[fs.actVar[fs.nActVar-1]].StartPc = fs.pc() // it has no value before
}

func (c *compiler) localStat() {
	names, first := 0, c.Text
	for more := true; more; more = c.Accept(',') {
		c.newLocalVar(c.Identifier())
		names++
	}
	n, e := 0, initExp(vVoid, 0)
	if c.Accept('=') {
		c.nameFunction(first)
		n, e = c.expList1()
	}
	c.fs.adjustAssign(names, n, &e)
	c.fs.adjustLocalVars(names)
}

// adjustAssign (adjust_assign) makes n values match the number of variables. last is the last
// value, which is not in a register yet.
func (fs *funcState) adjustAssign(variables, n int, last *expDesc) {
	more := variables - n
	if last.hasMultRet() {
		more = max(more+1, 0)
		fs.setReturns(last, more)
		if more > 1 {
			fs.reserveRegs(more - 1)
		}
		return
	}
	if last.kind != vVoid {
		fs.exp2NextReg(last)
	}
	if more > 0 {
		at := fs.freeReg
		fs.reserveRegs(more)
		fs.codeNil(at, more)
	}
}

func (c *compiler) retStat() {
	fs := c.fs
	c.Next()
	first, n := 0, 0
	if !c.BlockEnds() && c.Kind != ';' {
		var e expDesc
		n, e = c.expList1()
		switch {
		case e.hasMultRet():
			fs.setReturns(&e, multRet)
			if e.kind == vCall && n == 1 {
				*fs.at(e.info) = *fs.at(e.info)&^(63<<26) | uint32(lua.OP_TAILCALL)<<26
			}
			first, n = fs.nActVar, multRet
		case n == 1:
			first = fs.exp2AnyReg(&e)
		default:
			fs.exp2NextReg(&e)
			first = fs.nActVar
		}
	}
	fs.ret(first, n)
}

// exprStat compiles a call or an assignment.
func (c *compiler) exprStat() {
	from := c.From
	e := c.primaryExp()
	if e.kind == vCall {
		c.fs.setArgC(e.info, 1) // no results
		return
	}
	if c.Kind == '=' && (e.kind == vLocal || e.kind == vUpval || e.kind == vGlobal || e.kind == vIndexed) {
		c.assignOne(e, from)
		return
	}
	first := e // so that e does not escape to the heap
	c.assignment([]*expDesc{&first})
}

// assignOne compiles an assignment after its only target, which begins at from.
func (c *compiler) assignOne(to expDesc, from int) {
	name := c.textFrom(from)
	c.Next()
	c.nameFunction(name)
	n, e := c.expList1()
	if n == 1 {
		c.fs.setOneRet(&e)
		c.fs.storeVar(&to, &e)
		return
	}
	c.fs.adjustAssign(1, n, &e)
	c.fs.freeReg -= max(n-1, 0)
	value := initExp(vNonReloc, c.fs.freeReg-1)
	c.fs.storeVar(&to, &value)
}

// assignment compiles an assignment after its first target.
func (c *compiler) assignment(targets []*expDesc) {
	fs := c.fs
	for {
		if k := targets[len(targets)-1].kind; k != vLocal && k != vUpval && k != vGlobal && k != vIndexed {
			c.SyntaxError("syntax error")
		}
		if !c.Accept(',') {
			break
		}
		e := c.primaryExp()
		if e.kind == vLocal {
			fs.checkConflict(targets, &e)
		}
		c.checkLimit(fs, len(targets), maxLevels-c.depth, "variables in assignment")
		targets = append(targets, &e)
	}
	c.Expect('=')
	n, e := c.expList1()
	rest := len(targets)
	if n == len(targets) {
		fs.setOneRet(&e)
		rest--
		fs.storeVar(targets[rest], &e)
	} else {
		fs.adjustAssign(len(targets), n, &e)
		fs.freeReg -= max(n-len(targets), 0)
	}
	for rest--; rest >= 0; rest-- {
		value := initExp(vNonReloc, fs.freeReg-1)
		fs.storeVar(targets[rest], &value)
	}
}

// checkConflict copies a local that is about to be assigned if an earlier target is a field of it,
// or a field named by it.
func (fs *funcState) checkConflict(targets []*expDesc, e *expDesc) {
	used := false
	for _, t := range targets {
		if t.kind != vIndexed {
			continue
		}
		if t.info == e.info {
			used, t.info = true, fs.freeReg
		}
		if t.aux == e.info {
			used, t.aux = true, fs.freeReg
		}
	}
	if used {
		fs.codeABC(lua.OP_MOVE, fs.freeReg, e.info, 0)
		fs.reserveRegs(1)
	}
}
