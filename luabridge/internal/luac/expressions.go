package luac

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// expList1 compiles expressions separated by commas. It returns their number and the last one,
// which is not in a register yet.
func (c *compiler) expList1() (n int, last expDesc) {
	n, last, _ = c.lentExpList1(keeper)
	return n, last
}

// lentExpList1 is expList1 for the arguments of a function. It reports whether the function gets
// KEYS or ARGV and does not keep it.
func (c *compiler) lentExpList1(to borrower) (n int, last expDesc, lent bool) {
	last = c.expr()
	for n = 1; c.Accept(','); n++ {
		if n == 1 && to != keeper {
			lent = c.fs.lend(&last)
		}
		c.fs.exp2NextReg(&last)
		last = c.expr()
	}
	return n, last, lent
}

// expr compiles an expression.
func (c *compiler) expr() expDesc { return c.subExpr(0) }

// subExpr compiles an expression up to an operator that does not bind tighter than limit.
func (c *compiler) subExpr(limit int) expDesc {
	c.enterLevel()
	from, first := c.From, c.Kind
	var e expDesc
	switch op := first; op {
	case syntax.Not, '-', '#':
		c.Next()
		e = c.subExpr(syntax.UnaryPriority)
		if c.places != nil {
			c.markUnary(op, from, &e)
		}
		c.fs.prefix(op, &e)
	default:
		e = c.simpleExp()
		if c.places != nil {
			c.markSimple(first, from)
		}
	}
	for {
		op := c.Kind
		left, right := syntax.Priority(op)
		if left <= limit {
			c.leaveLevel()
			return e
		}
		c.Next()
		if c.places != nil && (op == syntax.And || op == syntax.Or) {
			c.markShortCircuit(op, &e)
		} else {
			c.fs.infix(op, &e)
		}
		r := c.subExpr(right)
		if c.places != nil {
			c.markBinary(op, from)
		}
		c.fs.postfix(op, &e, &r)
	}
}

// simpleExp compiles an expression without operators.
func (c *compiler) simpleExp() expDesc {
	var e expDesc
	switch c.Kind {
	case syntax.Number:
		e = initExp(vKNum, 0)
		e.nval = c.Number
	case syntax.String:
		e = initExp(vK, c.fs.stringK(c.Text))
	case syntax.Nil:
		e = initExp(vNil, 0)
	case syntax.True:
		e = initExp(vTrue, 0)
	case syntax.False:
		e = initExp(vFalse, 0)
	case syntax.Dots:
		if c.fs.proto.IsVarArg == 0 {
			c.SyntaxError("cannot use '...' outside a vararg function")
		}
		c.fs.proto.IsVarArg &^= lua.VarArgNeedsArg
		e = initExp(vVararg, c.fs.codeABC(lua.OP_VARARG, 0, 1, 0))
	case '{':
		return c.constructor()
	case syntax.Function:
		c.Next()
		return c.body(false, c.Line)
	default:
		return c.primaryExp()
	}
	c.Next()
	return e
}

// primaryExp (primaryexp, with prefixexp) compiles a variable, or an expression in parentheses, and
// the fields, indexes and calls after it.
func (c *compiler) primaryExp() expDesc {
	fs, from, parenthesis := c.fs, c.From, -1
	var e expDesc
	switch c.Kind {
	case '(':
		line := c.Line
		c.Next()
		e = c.expr()
		c.Match(')', '(', line)
		fs.dischargeVars(&e)
		parenthesis = c.Past
	case syntax.Name:
		e = fs.singleVar(c.Identifier())
	default:
		c.SyntaxError("unexpected symbol")
	}
	for {
		switch c.Kind {
		case '.':
			c.field(&e)
		case '[':
			fs.lend(&e)
			fs.exp2AnyReg(&e)
			key := c.yIndex()
			fs.indexed(&e, &key)
		case ':':
			c.Next()
			fs.self(&e, fs.stringK(c.Identifier()))
			c.funcArgs(&e, keeper)
		case '(', syntax.String, '{':
			to := fs.borrowerOf(&e)
			fs.exp2NextReg(&e)
			c.funcArgs(&e, to)
		default:
			if c.places != nil && c.Past != parenthesis {
				c.places.operand = span{from: from, to: c.Past}
			}
			return e
		}
	}
}

// field compiles a dot or colon and a name after a value.
func (c *compiler) field(e *expDesc) {
	c.fs.lend(e)
	c.fs.exp2AnyReg(e)
	c.Next()
	key := initExp(vK, c.fs.stringK(c.Identifier()))
	c.fs.indexed(e, &key)
}

// yIndex compiles a key in brackets.
func (c *compiler) yIndex() expDesc {
	c.Next()
	key := c.expr()
	c.fs.exp2Val(&key)
	c.Expect(']')
	return key
}

// funcArgs compiles the arguments of e, which is in the last register. to says what e does with the
// first one.
func (c *compiler) funcArgs(e *expDesc, to borrower) {
	fs := c.fs
	line := c.Line
	args := initExp(vVoid, 0)
	lent, lendLast := false, false
	switch c.Kind {
	case '(':
		if line != c.Last {
			c.SyntaxError("ambiguous syntax (function call x new statement)")
		}
		c.Next()
		if c.Kind != ')' {
			var count int
			count, args, lent = c.lentExpList1(to)
			lendLast = count == 1 && to != keeper
			fs.setReturns(&args, multRet)
		}
		c.Match(')', '(', line)
	case '{':
		args = c.constructor()
	case syntax.String:
		args = initExp(vK, fs.stringK(c.Text))
		c.Next()
	default:
		c.SyntaxError("function arguments expected")
	}
	base, n := e.info, multRet
	if !args.hasMultRet() {
		if args.kind != vVoid {
			if lendLast {
				lent = fs.lend(&args)
			}
			fs.exp2NextReg(&args)
		}
		n = fs.freeReg - (base + 1)
	}
	*e = initExp(vCall, fs.codeABC(lua.OP_CALL, base, n+1, 2))
	fs.fixLine(line)
	if lent && to == iterator {
		c.lent = append(c.lent, lentCall{fs, e.info})
	}
	fs.freeReg = base + 1
}

// consControl (ConsControl) is the state of a constructor that is being read.
type consControl struct {
	t       int     // the register of the table
	v       expDesc // the last field without a key
	na      int     // number of fields without a key
	nh      int     // number of fields with a key
	toStore int     // fields without a key that are not stored yet
}

// constructor compiles a table constructor.
func (c *compiler) constructor() expDesc {
	fs := c.fs
	line := c.Line
	pc := fs.codeABC(lua.OP_NEWTABLE, 0, 0, 0)
	table := initExp(vRelocable, pc)
	fs.exp2NextReg(&table)
	t := &consControl{t: table.info, v: initExp(vVoid, 0)}
	c.Expect('{')
	for c.Kind != '}' {
		fs.closeListField(t)
		switch {
		case c.Kind == '[', c.Kind == syntax.Name && c.Lookahead() == '=':
			c.recField(t)
		default:
			t.v = c.expr()
			t.na++
			t.toStore++
		}
		if !c.Accept(',') && !c.Accept(';') {
			break
		}
	}
	c.Match('}', '{', line)
	fs.lastListField(t)
	fs.setArgB(pc, int2fb(t.na))
	fs.setArgC(pc, int2fb(t.nh))
	return table
}

// recField compiles a field with a key.
func (c *compiler) recField(t *consControl) {
	fs := c.fs
	free, name := fs.freeReg, ""
	var key expDesc
	if c.Kind == '[' {
		key = c.yIndex()
	} else {
		name = c.Text
		key = initExp(vK, fs.stringK(c.Identifier()))
	}
	t.nh++
	c.Expect('=')
	c.nameFunction(name)
	at := fs.exp2RK(&key)
	value := c.expr()
	fs.codeABC(lua.OP_SETTABLE, t.t, at, fs.exp2RK(&value))
	fs.freeReg = free
}

// closeListField puts a field without a key into its register.
func (fs *funcState) closeListField(t *consControl) {
	if t.v.kind == vVoid {
		return
	}
	fs.exp2NextReg(&t.v)
	t.v.kind = vVoid
	if t.toStore == fieldsPerFlush {
		fs.setList(t, t.toStore)
		t.toStore = 0
	}
}

// lastListField stores the fields that wait, when the constructor ends.
func (fs *funcState) lastListField(t *consControl) {
	switch {
	case t.toStore == 0:
	case t.v.hasMultRet():
		fs.setReturns(&t.v, multRet)
		fs.setList(t, multRet)
		t.na--
	default:
		if t.v.kind != vVoid {
			fs.exp2NextReg(&t.v)
		}
		fs.setList(t, t.toStore)
	}
}

// setList stores the n fields that wait; multRet: all values.
func (fs *funcState) setList(t *consControl, n int) {
	batch := (t.na-1)/fieldsPerFlush + 1
	n = max(n, 0)
	if batch <= maxArgC {
		fs.codeABC(lua.OP_SETLIST, t.t, n, batch)
	} else {
		fs.codeABC(lua.OP_SETLIST, t.t, n, 0)
		fs.code(uint32(batch))
	}
	fs.freeReg = t.t + 1
}

// int2fb (luaO_int2fb) encodes a size, rounded up, in nine bits: mantissa and exponent in one
// number.
func int2fb(n int) int {
	e := 0
	for ; n >= 16; e++ {
		n = (n + 1) >> 1
	}
	if n < 8 {
		return n
	}
	return (e+1)<<3 | (n - 8)
}

// body compiles a function from its parameters to its end.
func (c *compiler) body(method bool, line int) expDesc {
	c.openFunc(line)
	fs := c.fs
	c.Expect('(')
	if method {
		c.newLocalVar("self")
		fs.adjustLocalVars(1)
	}
	n := c.parList()
	c.Expect(')')
	fs.adjustLocalVars(n)
	fs.proto.NumParameters = uint8(fs.nActVar)
	if fs.proto.IsVarArg != 0 {
		fs.proto.NumParameters--
	}
	fs.reserveRegs(fs.nActVar)
	c.chunk()
	fs.proto.LastLineDefined = c.Line
	c.Match(syntax.End, syntax.Function, line)
	proto := c.closeFunc()
	return c.fs.pushClosure(proto, fs.upvalues)
}

// parList declares the parameters of the current function and returns their number.
func (c *compiler) parList() (n int) {
	if c.Kind == ')' {
		return 0
	}
	for {
		n++
		switch c.Kind {
		case syntax.Name:
			c.newLocalVar(c.Identifier())
		case syntax.Dots:
			c.Next()
			c.newLocalVar("arg")
			c.fs.proto.IsVarArg = lua.VarArgHasArg | lua.VarArgIsVarArg | lua.VarArgNeedsArg
			return n
		default:
			c.SyntaxError("<name> or '...' expected")
		}
		if !c.Accept(',') {
			return n
		}
	}
}

// pushClosure emits the instructions that make a closure and take its upvalues.
func (fs *funcState) pushClosure(proto *lua.FunctionProto, upvalues []upvalue) expDesc {
	if len(fs.proto.FunctionPrototypes) == maxConstants {
		syntax.Stop(ErrConstants)
	}
	fs.proto.FunctionPrototypes = append(fs.proto.FunctionPrototypes, proto)
	e := initExp(vRelocable, fs.codeABx(lua.OP_CLOSURE, 0, len(fs.proto.FunctionPrototypes)-1))
	for _, u := range upvalues {
		op := lua.OP_GETUPVAL
		if u.local {
			op = lua.OP_MOVE
		}
		fs.codeABC(op, 0, u.index, 0)
	}
	return e
}
