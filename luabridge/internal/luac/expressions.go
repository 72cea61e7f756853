package luac

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// list compiles expressions separated by commas. It returns their number and the last one, which is
// not in a register yet.
func (c *compiler) list() (n int, last operand) {
	n, last, _ = c.lentList(keeper)
	return n, last
}

// lentList is list for the arguments of a function. It reports whether the function gets KEYS or
// ARGV and does not keep it.
func (c *compiler) lentList(to borrower) (n int, last operand, lent bool) {
	last = c.expression()
	for n = 1; c.Accept(','); n++ {
		if n == 1 && to != keeper {
			lent = c.fn.lend(&last)
		}
		c.fn.push(&last)
		last = c.expression()
	}
	return n, last, lent
}

func (c *compiler) expression() operand { return c.operators(0) }

// operators compiles an expression up to an operator that does not bind tighter than limit.
func (c *compiler) operators(limit int) operand {
	c.enterLevel()
	from, first := c.From, c.Kind
	var e operand
	switch op := first; op {
	case syntax.Not, '-', '#':
		c.Next()
		e = c.operators(syntax.UnaryPriority)
		if c.places != nil {
			c.markUnary(op, from, &e)
		}
		c.fn.prefix(op, &e)
	default:
		e = c.simple()
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
			c.fn.infix(op, &e)
		}
		r := c.operators(right)
		if c.places != nil {
			c.markBinary(op, from)
		}
		c.fn.postfix(op, &e, &r)
	}
}

func (c *compiler) simple() operand {
	var e operand
	switch c.Kind {
	case syntax.Number:
		e = made(numeral, 0)
		e.number = c.Number
	case syntax.String:
		e = made(constant, c.fn.text(c.Text))
	case syntax.Nil:
		e = made(nilValue, 0)
	case syntax.True:
		e = made(trueValue, 0)
	case syntax.False:
		e = made(falseValue, 0)
	case syntax.Dots:
		if c.fn.proto.IsVarArg == 0 {
			c.SyntaxError("cannot use '...' outside a vararg function")
		}
		c.fn.proto.IsVarArg &^= lua.VarArgNeedsArg
		e = made(varargs, c.fn.abc(lua.OP_VARARG, 0, 1, 0))
	case '{':
		return c.constructor()
	case syntax.Function:
		c.Next()
		return c.body(false, c.Line)
	default:
		return c.primary()
	}
	c.Next()
	return e
}

// primary compiles a variable, or an expression in parentheses, and the fields, indexes and calls
// after it.
func (c *compiler) primary() operand {
	f, from, parenthesis := c.fn, c.From, -1
	var e operand
	switch c.Kind {
	case '(':
		line := c.Line
		c.Next()
		e = c.expression()
		c.Match(')', '(', line)
		f.read(&e)
		parenthesis = c.Past
	case syntax.Name:
		e = f.variable(c.Identifier())
	default:
		c.SyntaxError("unexpected symbol")
	}
	for {
		switch c.Kind {
		case '.':
			c.field(&e)
		case '[':
			f.lend(&e)
			f.anywhere(&e)
			key := c.index()
			f.index(&e, &key)
		case ':':
			c.Next()
			f.method(&e, f.text(c.Identifier()))
			c.call(&e, keeper)
		case '(', syntax.String, '{':
			to := f.borrowerOf(&e)
			f.push(&e)
			c.call(&e, to)
		default:
			if c.places != nil && c.Past != parenthesis {
				c.places.operand = span{from: from, to: c.Past}
			}
			return e
		}
	}
}

// field compiles a dot or colon and a name after a value.
func (c *compiler) field(e *operand) {
	c.fn.lend(e)
	c.fn.anywhere(e)
	c.Next()
	key := made(constant, c.fn.text(c.Identifier()))
	c.fn.index(e, &key)
}

// index compiles a key in brackets.
func (c *compiler) index() operand {
	c.Next()
	key := c.expression()
	c.fn.value(&key)
	c.Expect(']')
	return key
}

// call compiles the arguments of e, which is in the last register. to says what e does with the
// first one.
func (c *compiler) call(e *operand, to borrower) {
	f := c.fn
	line := c.Line
	args := made(none, 0)
	lent, lendLast := false, false
	switch c.Kind {
	case '(':
		if line != c.Last {
			c.SyntaxError("ambiguous syntax (function call x new statement)")
		}
		c.Next()
		if c.Kind != ')' {
			var count int
			count, args, lent = c.lentList(to)
			lendLast = count == 1 && to != keeper
			f.results(&args, -1)
		}
		c.Match(')', '(', line)
	case '{':
		args = c.constructor()
	case syntax.String:
		args = made(constant, f.text(c.Text))
		c.Next()
	default:
		c.SyntaxError("function arguments expected")
	}
	base, n := e.info, -1
	if !args.multi() {
		if args.kind != none {
			if lendLast {
				lent = f.lend(&args)
			}
			f.push(&args)
		}
		n = f.free - (base + 1)
	}
	*e = made(called, f.abc(lua.OP_CALL, base, n+1, 2))
	f.fixLine(line)
	if lent && to == iterator {
		c.lent = append(c.lent, lentCall{f, e.info})
	}
	f.free = base + 1
}

// fields is the state of a constructor that is being read.
type fields struct {
	table   int // the register
	last    operand
	array   int
	hash    int
	waiting int // fields without a key that are not stored yet
}

func (c *compiler) constructor() operand {
	f := c.fn
	line := c.Line
	made1 := f.abc(lua.OP_NEWTABLE, 0, 0, 0)
	table := made(open, made1)
	f.push(&table)
	t := &fields{table: table.info, last: made(none, 0)}
	c.Expect('{')
	for c.Kind != '}' {
		f.closeField(t)
		switch {
		case c.Kind == '[', c.Kind == syntax.Name && c.Lookahead() == '=':
			c.keyedField(t)
		default:
			t.last = c.expression()
			t.array++
			t.waiting++
		}
		if !c.Accept(',') && !c.Accept(';') {
			break
		}
	}
	c.Match('}', '{', line)
	f.closeLast(t)
	f.setB(made1, floatingByte(t.array))
	f.setC(made1, floatingByte(t.hash))
	return table
}

func (c *compiler) keyedField(t *fields) {
	f := c.fn
	free, name := f.free, ""
	var key operand
	if c.Kind == '[' {
		key = c.index()
	} else {
		name = c.Text
		key = made(constant, f.text(c.Identifier()))
	}
	t.hash++
	c.Expect('=')
	c.nameFunction(name)
	at := f.operand(&key)
	value := c.expression()
	f.abc(lua.OP_SETTABLE, t.table, at, f.operand(&value))
	f.free = free
}

// closeField puts a field without a key into its register.
func (f *function) closeField(t *fields) {
	if t.last.kind == none {
		return
	}
	f.push(&t.last)
	t.last.kind = none
	if t.waiting == batchSize {
		f.setList(t, t.waiting)
		t.waiting = 0
	}
}

func (f *function) closeLast(t *fields) {
	switch {
	case t.waiting == 0:
	case t.last.multi():
		f.results(&t.last, -1)
		f.setList(t, -1)
		t.array--
	default:
		if t.last.kind != none {
			f.push(&t.last)
		}
		f.setList(t, t.waiting)
	}
}

// setList stores the n fields that wait; -1: all values.
func (f *function) setList(t *fields, n int) {
	batch := (t.array-1)/batchSize + 1
	n = max(n, 0)
	if batch <= maxBatch {
		f.abc(lua.OP_SETLIST, t.table, n, batch)
	} else {
		f.abc(lua.OP_SETLIST, t.table, n, 0)
		f.emit(uint32(batch))
	}
	f.free = t.table + 1
}

// floatingByte encodes a size, rounded up, in nine bits: mantissa and exponent in one number.
func floatingByte(n int) int {
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
func (c *compiler) body(method bool, line int) operand {
	c.open(line)
	f := c.fn
	c.Expect('(')
	if method {
		c.declare("self")
		f.enter(1)
	}
	n := c.parameters()
	c.Expect(')')
	f.enter(n)
	f.proto.NumParameters = uint8(f.active)
	if f.proto.IsVarArg != 0 {
		f.proto.NumParameters--
	}
	f.reserve(f.active)
	c.chunk()
	f.proto.LastLineDefined = c.Line
	c.Match(syntax.End, syntax.Function, line)
	proto := c.finish()
	return c.fn.closure(proto, f.upvalues)
}

// parameters declares the parameters of the current function and returns their number.
func (c *compiler) parameters() (n int) {
	if c.Kind == ')' {
		return 0
	}
	for {
		n++
		switch c.Kind {
		case syntax.Name:
			c.declare(c.Identifier())
		case syntax.Dots:
			c.Next()
			c.declare("arg")
			c.fn.proto.IsVarArg = lua.VarArgHasArg | lua.VarArgIsVarArg | lua.VarArgNeedsArg
			return n
		default:
			c.SyntaxError("<name> or '...' expected")
		}
		if !c.Accept(',') {
			return n
		}
	}
}

// closure emits the instructions that make a closure and take its upvalues.
func (f *function) closure(proto *lua.FunctionProto, upvalues []upvalue) operand {
	if len(f.proto.FunctionPrototypes) == maxConstants {
		syntax.Stop(ErrConstants)
	}
	f.proto.FunctionPrototypes = append(f.proto.FunctionPrototypes, proto)
	e := made(open, f.abx(lua.OP_CLOSURE, 0, len(f.proto.FunctionPrototypes)-1))
	for _, u := range upvalues {
		op := lua.OP_GETUPVAL
		if u.local {
			op = lua.OP_MOVE
		}
		f.abc(op, 0, u.index, 0)
	}
	return e
}
