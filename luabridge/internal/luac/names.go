package luac

import lua "github.com/yuin/gopher-lua"

// NamesOf returns what Lua calls the operands of the instruction pc, in their order, such as "local
// 'x'". A name is "" if there is none.
func NamesOf(p *lua.FunctionProto, pc int) []string {
	inst := p.Code[pc]
	a, b, c := argA(inst), argB(inst), argC(inst)
	switch opcode(inst) {
	case lua.OP_GETTABLE, lua.OP_LEN, lua.OP_UNM:
		return []string{objName(p, pc, b)}
	case lua.OP_ADD, lua.OP_SUB, lua.OP_MUL, lua.OP_DIV, lua.OP_MOD, lua.OP_POW:
		return []string{objName(p, pc, b), objName(p, pc, c)}
	case lua.OP_SELF:
		return []string{"method '" + kName(p, c) + "'", objName(p, pc, b)}
	case lua.OP_SETTABLE, lua.OP_CALL, lua.OP_TAILCALL, lua.OP_TFORLOOP:
		return []string{objName(p, pc, a)}
	case lua.OP_CONCAT:
		var names []string
		for ; b <= c; b++ {
			names = append(names, objName(p, pc, b))
		}
		return names
	}
	return nil
}

// objName (getobjname) returns what Lua calls the value of a register before the instruction pc:
// the local that it is, or where it was read from.
func objName(p *lua.FunctionProto, pc, register int) string {
	if register >= bitRK {
		return ""
	}
	if name := LocalAt(p, pc, register); name != "" {
		return "local '" + name + "'"
	}
	inst := symbExec(p, pc, register)
	switch opcode(inst) {
	case lua.OP_GETGLOBAL:
		return "global '" + text(p.Constants[inst&0x3ffff]) + "'"
	case lua.OP_MOVE:
		if argB(inst) < argA(inst) {
			return objName(p, pc, argB(inst))
		}
	case lua.OP_GETTABLE:
		return "field '" + kName(p, argC(inst)) + "'"
	case lua.OP_GETUPVAL:
		return "upvalue '" + p.DbgUpvalues[argB(inst)] + "'"
	case lua.OP_SELF:
		return "method '" + kName(p, argC(inst)) + "'"
	}
	return ""
}

// LocalAt returns the name of the local in a register at the instruction pc, or "".
func LocalAt(p *lua.FunctionProto, pc, register int) string {
	for _, l := range p.DbgLocals {
		if l.StartPc > pc {
			break
		}
		if pc < l.EndPc {
			if register == 0 {
				return l.Name
			}
			register--
		}
	}
	return ""
}

func text(v lua.LValue) string {
	s, _ := v.(lua.LString)
	return cString(string(s))
}

// cString returns the part of a string that C sees.
func cString(s string) string {
	for i := range len(s) {
		if s[i] == 0 {
			return s[:i]
		}
	}
	return s
}

// kName returns the name of the field for an operand.
func kName(p *lua.FunctionProto, operand int) string {
	if operand >= bitRK {
		if s, ok := p.Constants[operand-bitRK].(lua.LString); ok {
			return cString(string(s))
		}
	}
	return "?"
}

// symbExec (symbexec) returns the instruction that, to Lua, wrote a register before the instruction
// pc. It is the last instruction that writes the register if all jumps forward are taken that do
// not lead beyond pc.
func symbExec(p *lua.FunctionProto, pc, register int) uint32 {
	last := p.Code[len(p.Code)-1] // the return at the end, which has no name
	for i := 0; i < pc; i++ {
		inst := p.Code[i]
		a, b := argA(inst), argB(inst)
		switch opcode(inst) {
		case lua.OP_LOADNIL:
			if a <= register && register <= b {
				last = inst
			}
		case lua.OP_TFORLOOP:
			if register >= a+2 {
				last = inst
			}
		case lua.OP_CALL, lua.OP_TAILCALL:
			if register >= a {
				last = inst
			}
		case lua.OP_JMP, lua.OP_FORLOOP, lua.OP_FORPREP:
			if opcode(inst) != lua.OP_JMP && register == a {
				last = inst
			}
			if to := i + 1 + int(inst&0x3ffff) - maxArgSBx; i < to && to <= pc {
				i = to - 1
			}
		case lua.OP_SELF:
			if register == a || register == a+1 {
				last = inst
			}
		case lua.OP_SETLIST:
			if argC(inst) == 0 {
				i++
			}
		case lua.OP_CLOSURE:
			if register == a {
				last = inst
			}
			i += int(p.FunctionPrototypes[inst&0x3ffff].NumUpvalues)
		case lua.OP_SETGLOBAL, lua.OP_SETUPVAL, lua.OP_SETTABLE, lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_RETURN, lua.OP_CLOSE:
		default:
			if register == a {
				last = inst
			}
		}
	}
	return last
}
