package luac

import lua "github.com/yuin/gopher-lua"

// kind says how far an expression has been compiled.
type kind int

const (
	none     kind = iota // no expression
	nilValue             // nil, true and false
	trueValue
	falseValue
	constant // info: its index
	numeral  // number: its value; it is not in the constants yet
	local    // info: its register
	upval    // info: its index
	global   // info: the index of its name
	indexed  // info: the register of the table; key: the operand of the key
	compared // info: the jump that is taken if it is true
	open     // info: the instruction, whose register is not chosen yet
	settled  // info: the register that holds the value
	called   // info: the call
	varargs  // info: the instruction
)

// operand is an expression that is being compiled.
type operand struct {
	kind    kind
	info    int
	key     int
	number  float64
	ifTrue  int // list of jumps that are taken if it is known to be true
	ifFalse int
}

func made(k kind, info int) operand {
	return operand{kind: k, info: info, ifTrue: noJump, ifFalse: noJump}
}

func (e *operand) set(k kind, info int) { e.kind, e.info = k, info }

func (e *operand) jumps() bool { return e.ifTrue != e.ifFalse }

func (e *operand) multi() bool { return e.kind == called || e.kind == varargs }

func (e *operand) isNumeral() bool {
	return e.kind == numeral && e.ifTrue == noJump && e.ifFalse == noJump
}

// results sets the number of values of a call or of ...; -1: all.
func (f *function) results(e *operand, n int) {
	switch e.kind {
	case called:
		f.setC(e.info, n+1)
	case varargs:
		f.setB(e.info, n+1)
		f.setA(e.info, f.free)
		f.reserve(1)
	}
}

func (f *function) oneResult(e *operand) {
	switch e.kind {
	case called:
		e.set(settled, aOf(*f.at(e.info)))
	case varargs:
		f.setB(e.info, 2)
		e.kind = open
	}
}

// read emits the instruction that reads a variable.
func (f *function) read(e *operand) {
	switch e.kind {
	case local:
		e.kind = settled
	case upval:
		e.set(open, f.abc(lua.OP_GETUPVAL, 0, e.info, 0))
	case global:
		f.note(e, true)
		e.set(open, f.abx(lua.OP_GETGLOBAL, 0, e.info))
	case indexed:
		f.release(e.key)
		f.release(e.info)
		e.set(open, f.abc(lua.OP_GETTABLE, 0, e.info, e.key))
	case called, varargs:
		f.oneResult(e)
	}
}

// load puts a value into a register, except for values that depend on jumps.
func (f *function) load(e *operand, register int) {
	f.read(e)
	switch e.kind {
	case nilValue:
		f.nils(register, 1)
	case falseValue:
		f.abc(lua.OP_LOADBOOL, register, 0, 0)
	case trueValue:
		f.abc(lua.OP_LOADBOOL, register, 1, 0)
	case constant:
		f.abx(lua.OP_LOADK, register, e.info)
	case numeral:
		f.abx(lua.OP_LOADK, register, f.number(e.number))
	case open:
		f.setA(e.info, register)
	case settled:
		if register != e.info {
			f.abc(lua.OP_MOVE, register, e.info, 0)
		}
	default:
		return
	}
	e.set(settled, register)
}

func (f *function) loadSomewhere(e *operand) {
	if e.kind != settled {
		f.reserve(1)
		f.load(e, f.free-1)
	}
}

// place puts a value into a register, including values that depend on jumps.
func (f *function) place(e *operand, register int) {
	f.load(e, register)
	if e.kind == compared {
		f.join(&e.ifTrue, e.info)
	}
	if e.jumps() {
		no, yes := noJump, noJump
		if f.needsValue(e.ifTrue) || f.needsValue(e.ifFalse) {
			over := noJump
			if e.kind != compared {
				over = f.jump()
			}
			f.label()
			no = f.abc(lua.OP_LOADBOOL, register, 0, 1)
			f.label()
			yes = f.abc(lua.OP_LOADBOOL, register, 1, 0)
			f.leadHere(over)
		}
		after := f.label()
		f.patch(e.ifFalse, after, register, no)
		f.patch(e.ifTrue, after, register, yes)
	}
	*e = made(settled, register)
}

// push puts a value into the next register.
func (f *function) push(e *operand) {
	f.read(e)
	f.free1(e)
	f.reserve(1)
	f.place(e, f.free-1)
}

func (f *function) free1(e *operand) {
	if e.kind == settled {
		f.release(e.info)
	}
}

// anywhere puts a value into some register and returns the register.
func (f *function) anywhere(e *operand) int {
	f.read(e)
	if e.kind == settled {
		if !e.jumps() {
			return e.info
		}
		if e.info >= f.active {
			f.place(e, e.info)
			return e.info
		}
	}
	f.push(e)
	return e.info
}

// value makes an expression a constant, or an instruction that produces it.
func (f *function) value(e *operand) {
	if e.jumps() {
		f.anywhere(e)
	} else {
		f.read(e)
	}
}

// operand returns the operand of an instruction for a value: a register or a constant.
func (f *function) operand(e *operand) int {
	f.value(e)
	switch e.kind {
	case numeral, trueValue, falseValue, nilValue:
		if len(f.proto.Constants) <= maxConstantOperand {
			switch e.kind {
			case nilValue:
				e.info = f.other(lua.LNil)
			case numeral:
				e.info = f.number(e.number)
			default:
				e.info = f.other(lua.LBool(e.kind == trueValue))
			}
			e.kind = constant
			return e.info | constantBit
		}
	case constant:
		if e.info <= maxConstantOperand {
			return e.info | constantBit
		}
	}
	return f.anywhere(e)
}

// store assigns a value to a variable.
func (f *function) store(to, e *operand) {
	switch to.kind {
	case local:
		f.free1(e)
		f.place(e, to.info)
		return
	case upval:
		f.abc(lua.OP_SETUPVAL, f.anywhere(e), to.info, 0)
	case global:
		f.abx(lua.OP_SETGLOBAL, f.anywhere(e), to.info)
	case indexed:
		value := f.operand(e)
		f.abc(lua.OP_SETTABLE, to.info, to.key, value)
	}
	f.free1(e)
}

// method emits the lookup of a method. Its object is in the register after it.
func (f *function) method(e *operand, name int) {
	f.anywhere(e)
	f.free1(e)
	at := f.free
	f.reserve(2)
	key := made(constant, name)
	operand := f.operand(&key)
	f.abc(lua.OP_SELF, at, e.info, operand)
	f.free1(&key)
	e.set(settled, at)
}

// index turns e into its field.
func (f *function) index(e, key *operand) {
	e.key = f.operand(key)
	e.kind = indexed
}
