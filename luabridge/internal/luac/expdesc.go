package luac

import lua "github.com/yuin/gopher-lua"

// expKind (expkind) says how far an expression has been compiled.
type expKind int

const (
	vVoid expKind = iota // no expression
	vNil                 // nil, true and false
	vTrue
	vFalse
	vK         // a constant. info: its index
	vKNum      // a number. nval: its value; it is not in the constants yet
	vLocal     // info: its register
	vUpval     // info: its index
	vGlobal    // info: the index of its name
	vIndexed   // info: the register of the table; aux: the operand of the key
	vJmp       // info: the jump that is taken if it is true
	vRelocable // info: the instruction, whose register is not chosen yet
	vNonReloc  // info: the register that holds the value
	vCall      // info: the call
	vVararg    // info: the instruction
)

// expDesc (expdesc) is an expression that is being compiled.
type expDesc struct {
	kind expKind
	info int
	aux  int
	nval float64
	t    int // list of jumps that are taken if it is known to be true
	f    int // list of jumps that are taken if it is known to be false
}

// initExp returns an expression without jumps.
func initExp(k expKind, info int) expDesc {
	return expDesc{kind: k, info: info, t: noJump, f: noJump}
}

func (e *expDesc) set(k expKind, info int) { e.kind, e.info = k, info }

func (e *expDesc) hasJumps() bool { return e.t != e.f }

func (e *expDesc) hasMultRet() bool { return e.kind == vCall || e.kind == vVararg }

func (e *expDesc) isNumeral() bool {
	return e.kind == vKNum && e.t == noJump && e.f == noJump
}

// setReturns sets the number of values of a call or of ...; multRet: all.
func (fs *funcState) setReturns(e *expDesc, n int) {
	switch e.kind {
	case vCall:
		fs.setArgC(e.info, n+1)
	case vVararg:
		fs.setArgB(e.info, n+1)
		fs.setArgA(e.info, fs.freeReg)
		fs.reserveRegs(1)
	}
}

// setOneRet makes a call or ... give one value.
func (fs *funcState) setOneRet(e *expDesc) {
	switch e.kind {
	case vCall:
		e.set(vNonReloc, argA(*fs.at(e.info)))
	case vVararg:
		fs.setArgB(e.info, 2)
		e.kind = vRelocable
	}
}

// dischargeVars emits the instruction that reads a variable.
func (fs *funcState) dischargeVars(e *expDesc) {
	switch e.kind {
	case vLocal:
		e.kind = vNonReloc
	case vUpval:
		e.set(vRelocable, fs.codeABC(lua.OP_GETUPVAL, 0, e.info, 0))
	case vGlobal:
		fs.note(e, true)
		e.set(vRelocable, fs.codeABx(lua.OP_GETGLOBAL, 0, e.info))
	case vIndexed:
		fs.freeRegister(e.aux)
		fs.freeRegister(e.info)
		e.set(vRelocable, fs.codeABC(lua.OP_GETTABLE, 0, e.info, e.aux))
	case vCall, vVararg:
		fs.setOneRet(e)
	}
}

// discharge2Reg puts a value into a register, except for values that depend on jumps.
func (fs *funcState) discharge2Reg(e *expDesc, register int) {
	fs.dischargeVars(e)
	switch e.kind {
	case vNil:
		fs.codeNil(register, 1)
	case vFalse:
		fs.codeABC(lua.OP_LOADBOOL, register, 0, 0)
	case vTrue:
		fs.codeABC(lua.OP_LOADBOOL, register, 1, 0)
	case vK:
		fs.codeABx(lua.OP_LOADK, register, e.info)
	case vKNum:
		fs.codeABx(lua.OP_LOADK, register, fs.numberK(e.nval))
	case vRelocable:
		fs.setArgA(e.info, register)
	case vNonReloc:
		if register != e.info {
			fs.codeABC(lua.OP_MOVE, register, e.info, 0)
		}
	default:
		return
	}
	e.set(vNonReloc, register)
}

// discharge2AnyReg is discharge2Reg with the next register, unless the value is in one.
func (fs *funcState) discharge2AnyReg(e *expDesc) {
	if e.kind != vNonReloc {
		fs.reserveRegs(1)
		fs.discharge2Reg(e, fs.freeReg-1)
	}
}

// exp2Reg puts a value into a register, including values that depend on jumps.
func (fs *funcState) exp2Reg(e *expDesc, register int) {
	fs.discharge2Reg(e, register)
	if e.kind == vJmp {
		fs.concat(&e.t, e.info)
	}
	if e.hasJumps() {
		no, yes := noJump, noJump
		if fs.needValue(e.t) || fs.needValue(e.f) {
			over := noJump
			if e.kind != vJmp {
				over = fs.jump()
			}
			fs.getLabel()
			no = fs.codeABC(lua.OP_LOADBOOL, register, 0, 1)
			fs.getLabel()
			yes = fs.codeABC(lua.OP_LOADBOOL, register, 1, 0)
			fs.patchToHere(over)
		}
		after := fs.getLabel()
		fs.patchListAux(e.f, after, register, no)
		fs.patchListAux(e.t, after, register, yes)
	}
	*e = initExp(vNonReloc, register)
}

// exp2NextReg puts a value into the next register.
func (fs *funcState) exp2NextReg(e *expDesc) {
	fs.dischargeVars(e)
	fs.freeExp(e)
	fs.reserveRegs(1)
	fs.exp2Reg(e, fs.freeReg-1)
}

// freeExp frees the register of an expression, if it is in one.
func (fs *funcState) freeExp(e *expDesc) {
	if e.kind == vNonReloc {
		fs.freeRegister(e.info)
	}
}

// exp2AnyReg puts a value into some register and returns the register.
func (fs *funcState) exp2AnyReg(e *expDesc) int {
	fs.dischargeVars(e)
	if e.kind == vNonReloc {
		if !e.hasJumps() {
			return e.info
		}
		if e.info >= fs.nActVar {
			fs.exp2Reg(e, e.info)
			return e.info
		}
	}
	fs.exp2NextReg(e)
	return e.info
}

// exp2Val makes an expression a constant, or an instruction that produces it.
func (fs *funcState) exp2Val(e *expDesc) {
	if e.hasJumps() {
		fs.exp2AnyReg(e)
	} else {
		fs.dischargeVars(e)
	}
}

// exp2RK returns the operand of an instruction for a value: a register or a constant.
func (fs *funcState) exp2RK(e *expDesc) int {
	fs.exp2Val(e)
	switch e.kind {
	case vKNum, vTrue, vFalse, vNil:
		if len(fs.proto.Constants) <= maxIndexRK {
			switch e.kind {
			case vNil:
				e.info = fs.nilK()
			case vKNum:
				e.info = fs.numberK(e.nval)
			default:
				e.info = fs.boolK(e.kind == vTrue)
			}
			e.kind = vK
			return e.info | bitRK
		}
	case vK:
		if e.info <= maxIndexRK {
			return e.info | bitRK
		}
	}
	return fs.exp2AnyReg(e)
}

// storeVar assigns a value to a variable.
func (fs *funcState) storeVar(to, e *expDesc) {
	switch to.kind {
	case vLocal:
		fs.freeExp(e)
		fs.exp2Reg(e, to.info)
		return
	case vUpval:
		fs.codeABC(lua.OP_SETUPVAL, fs.exp2AnyReg(e), to.info, 0)
	case vGlobal:
		fs.codeABx(lua.OP_SETGLOBAL, fs.exp2AnyReg(e), to.info)
	case vIndexed:
		value := fs.exp2RK(e)
		fs.codeABC(lua.OP_SETTABLE, to.info, to.aux, value)
	}
	fs.freeExp(e)
}

// self emits the lookup of a method. Its object is in the register after it.
func (fs *funcState) self(e *expDesc, name int) {
	fs.exp2AnyReg(e)
	fs.freeExp(e)
	at := fs.freeReg
	fs.reserveRegs(2)
	key := initExp(vK, name)
	operand := fs.exp2RK(&key)
	fs.codeABC(lua.OP_SELF, at, e.info, operand)
	fs.freeExp(&key)
	e.set(vNonReloc, at)
}

// indexed turns e into its field.
func (fs *funcState) indexed(e, key *expDesc) {
	e.aux = fs.exp2RK(key)
	e.kind = vIndexed
}
