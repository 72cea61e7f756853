package machine

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// constant is the bit of an operand that distinguishes a constant from a register.
const constant = 1 << 8

const jumpBias = 1<<17 - 1

// loop runs the current frame and everything that it calls, until the frame below base would
// continue.
//
// An instruction that the loop does not run itself ends with a call of gopher-lua's handler.
// Registers are read and written as in gopher-lua: a write above top raises top. The registers of a
// frame exist when it begins, so a write never makes the registry grow. A call may make it grow,
// and move it, so the slice is read again for each instruction.
func (m *Machine) loop(L *lua.LState, base *frame) {
	s := look(L)
	reg := s.reg
	for {
		cf := s.currentFrame
		inst := cf.Fn.Proto.Code[cf.Pc]
		cf.Pc++
		lbase := cf.LocalBase
		ra := lbase + int(inst>>18&0xff)
		arr := reg.array
		op := int(inst >> 26)
		switch op {
		case lua.OP_VARARG:
			if n := int(inst & 0x1ff); n > 0 {
				m.varargs(reg, cf, ra, n-1)
				continue
			}
		case opField:
			v := m.global(cf, inst)
			if v == nil {
				handlers[lua.OP_GETGLOBAL](L, inst, base)
				cf.Pc++
				continue
			}
			m.set(reg, ra, v)
			cf.Pc++
			continue
		case lua.OP_MOVE:
			m.set(reg, ra, arr[lbase+int(inst&0x1ff)])
			continue
		case lua.OP_LOADK:
			m.set(reg, ra, cf.Fn.Proto.Constants[inst&0x3ffff])
			continue
		case lua.OP_GETTABLE, lua.OP_GETTABLEKS:
			object := arr[lbase+int(inst&0x1ff)]
			var key lua.LValue
			if c := int(inst >> 9 & 0x1ff); c&constant != 0 {
				key = cf.Fn.Proto.Constants[c&^constant]
			} else {
				key = arr[lbase+c]
			}
			if tb, ok := object.(*lua.LTable); ok {
				if v := tables.Get(tb, key); v != lua.LNil || tb.Metatable == lua.LNil {
					m.set(reg, ra, v)
					continue
				}
			}
			m.set(reg, ra, m.index(L, object, key, 0))
			continue
		case lua.OP_SETTABLE, lua.OP_SETTABLEKS:
			var key, value lua.LValue
			if b := int(inst & 0x1ff); b&constant != 0 {
				key = cf.Fn.Proto.Constants[b&^constant]
			} else {
				key = arr[lbase+b]
			}
			if c := int(inst >> 9 & 0x1ff); c&constant != 0 {
				value = cf.Fn.Proto.Constants[c&^constant]
			} else {
				value = arr[lbase+c]
			}
			if tb, ok := arr[ra].(*lua.LTable); ok && tb.Metatable == lua.LNil && usable(key) {
				tables.Set(tb, key, value)
				continue
			}
			m.SetIndex(L, arr[ra], key, value)
			continue
		case lua.OP_NEWTABLE:
			array, hash := floatingByte(inst&0x1ff), floatingByte(inst>>9&0x1ff)
			m.allocate(L, tableSize+array*valueSize+hash*nodeSize)
			m.set(reg, ra, m.Hashing.Use(tables.New(array, hash)))
			continue
		case lua.OP_CLOSURE:
			m.allocate(L, closureSize)
		case lua.OP_SETLIST:
			n, batch := int(inst&0x1ff), int(inst>>9&0x1ff)
			if n == 0 {
				n = reg.top - ra - 1
			}
			if batch == 0 {
				batch = int(cf.Fn.Proto.Code[cf.Pc])
				cf.Pc++
			}
			tables.SetList(arr[ra].(*lua.LTable), (batch-1)*lua.FieldsPerFlush, arr[ra+1:ra+1+n])
			continue
		case lua.OP_LEN:
			switch v := operand(cf, arr, inst&0x1ff).(type) {
			case lua.LString:
				m.set(reg, ra, m.boxes.Number(lua.LNumber(len(v))))
				continue
			case *lua.LTable: // Lua calls __len for userdata only
				m.set(reg, ra, m.boxes.Number(lua.LNumber(tables.Len(v))))
				continue
			default:
				m.Blame(L, "get length of", 0, v)
			}
		case lua.OP_ADD, lua.OP_SUB, lua.OP_MUL, lua.OP_DIV, lua.OP_MOD, lua.OP_POW:
			a, ok := operand(cf, arr, inst&0x1ff).(lua.LNumber)
			b, ok2 := operand(cf, arr, inst>>9&0x1ff).(lua.LNumber)
			if ok && ok2 {
				m.set(reg, ra, m.boxes.Number(arith(op, a, b)))
				continue
			}
			m.set(reg, ra, m.arithmetic(L, op, operand(cf, arr, inst&0x1ff), operand(cf, arr, inst>>9&0x1ff)))
			continue
		case lua.OP_UNM:
			v := operand(cf, arr, inst&0x1ff)
			if n, ok := v.(lua.LNumber); ok {
				m.set(reg, ra, m.boxes.Number(-n))
			} else {
				m.set(reg, ra, m.arithmetic(L, op, v, v))
			}
			continue
		case lua.OP_CONCAT:
			m.concat(L, cf, ra, lbase+int(inst&0x1ff), lbase+int(inst>>9&0x1ff))
			continue
		case lua.OP_JMP:
			jump := int(inst&0x3ffff) - jumpBias
			if jump < 0 && m.Attention.Load() {
				m.Attend(L)
			}
			cf.Pc += jump
			continue
		case lua.OP_EQ:
			a, b := operand(cf, arr, inst&0x1ff), operand(cf, arr, inst>>9&0x1ff)
			equal, known := rawEqual(a, b)
			if !known {
				equal = m.Equal(L, a, b)
			}
			if equal == (inst>>18&0xff == 0) {
				cf.Pc++
			}
			continue
		case lua.OP_LT, lua.OP_LE:
			a, b := operand(cf, arr, inst&0x1ff), operand(cf, arr, inst>>9&0x1ff)
			x, ok := a.(lua.LNumber)
			y, ok2 := b.(lua.LNumber)
			var less bool
			switch {
			case ok && ok2:
				less = x < y || x == y && op == lua.OP_LE
			case op == lua.OP_LT:
				less = m.Less(L, a, b)
			default:
				less = m.lessEqual(L, a, b)
			}
			if less == (inst>>18&0xff == 0) {
				cf.Pc++
			}
			continue
		case lua.OP_TEST:
			v := arr[ra]
			if (v != lua.LNil && v != lua.LFalse) == (inst>>9&0x1ff == 0) {
				cf.Pc++
			}
			continue
		case lua.OP_FORLOOP:
			if m.Attention.Load() {
				m.Attend(L)
			}
			i, limit, step := arr[ra].(lua.LNumber), arr[ra+1].(lua.LNumber), arr[ra+2].(lua.LNumber)
			i += step
			if step > 0 && i <= limit || step <= 0 && i >= limit {
				v := m.boxes.Number(i)
				arr[ra] = v
				m.set(reg, ra+3, v)
				cf.Pc += int(inst&0x3ffff) - jumpBias
				continue
			}
		case lua.OP_FORPREP:
			m.prepareFor(L, arr[ra:ra+3])
		case lua.OP_TFORLOOP:
			m.beforeCall(L, cf, s, arr[ra], -1)
			if m.step(L, reg, cf, ra, int(inst>>9&0x1ff)) {
				continue
			}
		case lua.OP_SELF:
			object := arr[lbase+int(inst&0x1ff)]
			key := operand(cf, arr, inst>>9&0x1ff)
			var v lua.LValue
			if tb, ok := object.(*lua.LTable); ok {
				v = tables.Get(tb, key)
			}
			if v == nil || v == lua.LNil {
				v = m.index(L, object, key, 1)
			}
			m.set(reg, ra, v)
			m.set(reg, ra+1, object)
			continue
		case lua.OP_GETGLOBAL:
			if v := m.global(cf, inst); v != nil {
				m.set(reg, ra, v)
				continue
			}
		case lua.OP_SETGLOBAL:
			m.SetIndex(L, cf.Fn.Env, cf.Fn.Proto.Constants[inst&0x3ffff], arr[ra])
			continue
		case lua.OP_CALL:
			m.beforeCall(L, cf, s, arr[ra], 0)
			if fn, ok := arr[ra].(*lua.LFunction); ok && fn == m.Command.Fn {
				if n, want := int(inst&0x1ff)-1, int(inst>>9&0x1ff)-1; n > 0 && uint(want) <= 1 {
					v, ok := m.Command.Direct(L, arr[ra+1:ra+1+n], want > 0)
					if ok {
						if want > 0 {
							m.set(reg, ra, v)
						}
						continue
					}
					if v != nil {
						m.set(reg, ra, m.Command.Raise)
						m.set(reg, ra+1, v)
						inst = inst&^0x1ff | 2
					}
				}
			}
		case lua.OP_TAILCALL:
			m.beforeCall(L, cf, s, arr[ra], 0)
			if isGo(arr[ra]) {
				// Lua calls a C function as usual, and returns by the next instruction. gopher-lua
				// removes the caller's frame first, and then fails if the function yields.
				op, inst = lua.OP_CALL, inst&^(0x1ff<<9)
			}
		}
		if handlers[op](L, inst, base) == 1 {
			return
		}
	}
}

// beforeCall checks whether fn, operand n of the instruction, can be called and there is room for
// it. It also serves interrupts.
func (m *Machine) beforeCall(L *lua.LState, cf *frame, s *state, fn lua.LValue, n int) {
	if _, ok := fn.(*lua.LFunction); !ok && metamethod(L, fn, "__call").Type() != lua.LTFunction {
		m.Blame(L, "call", n, fn)
	}
	if m.Attention.Load() {
		m.Attend(L)
	}
	if cf.Idx+m.nesting.frames > maxFrames {
		fail(L, "stack overflow")
	}
	s.stack.stack.makeRoom(cf.Idx)
	reg := s.reg
	if reg.growBy < len(reg.array) {
		reg.growBy = len(reg.array)
	}
	if reg.top > m.high {
		m.high = reg.top
	}
}

// isGo reports whether a call of v is a call of a Go function.
func isGo(v lua.LValue) bool {
	switch v := v.(type) {
	case *lua.LFunction:
		return v.IsG
	case *lua.LTable:
		fn, ok := tableMetamethod(v, "__call").(*lua.LFunction)
		return ok && fn.IsG
	}
	return false
}

// set writes a register.
func (m *Machine) set(reg *registry, i int, v lua.LValue) {
	reg.array[i] = v
	if i >= reg.top {
		reg.top = i + 1
	}
}

func operand(cf *frame, arr []lua.LValue, x uint32) lua.LValue {
	if x&constant != 0 {
		return cf.Fn.Proto.Constants[x&^constant]
	}
	return arr[cf.LocalBase+int(x)]
}

// floatingByte decodes a size that the compiler has written as mantissa and exponent in one number.
func floatingByte(x uint32) int {
	if e := x >> 3; e != 0 {
		return int(x&7+8) << (e - 1)
	}
	return int(x)
}

func arith(op int, a, b lua.LNumber) lua.LNumber {
	switch op {
	case lua.OP_ADD:
		return a + b
	case lua.OP_SUB:
		return a - b
	case lua.OP_MUL:
		return a * b
	case lua.OP_DIV:
		return a / b
	case lua.OP_MOD:
		return lua.LNumber(numbers.Mod(float64(a), float64(b)))
	}
	return lua.LNumber(numbers.Pow(float64(a), float64(b)))
}

// rawEqual compares values that need no metamethod.
func rawEqual(a, b lua.LValue) (equal, known bool) {
	switch a := a.(type) {
	case lua.LNumber:
		b, ok := b.(lua.LNumber)
		return ok && a == b, true
	case lua.LString:
		b, ok := b.(lua.LString)
		return ok && a == b, true
	case *lua.LNilType:
		return b == lua.LNil, true
	case lua.LBool:
		b, ok := b.(lua.LBool)
		return ok && a == b, true
	}
	return false, false
}

// usable reports whether a table may have the key.
func usable(key lua.LValue) bool {
	if n, ok := key.(lua.LNumber); ok {
		return n == n
	}
	return key != lua.LNil
}

// prepareFor converts the three control values of a numeric for to numbers.
func (m *Machine) prepareFor(L *lua.LState, v []lua.LValue) {
	for i, what := range [...]string{"initial value", "limit", "step"} {
		switch n := v[i].(type) {
		case lua.LNumber:
			continue
		case lua.LString:
			if f, ok := numbers.Parse(string(n)); ok {
				v[i] = lua.LNumber(f)
				continue
			}
		}
		fail(L, "'for' %s must be a number", what)
	}
}

// step is one step of a generic for over pairs or ipairs. It returns false if the loop is over
// something else.
func (m *Machine) step(L *lua.LState, reg *registry, cf *frame, ra, want int) bool {
	fn, ok := reg.array[ra].(*lua.LFunction)
	if !ok || fn != m.Next[0] && fn != m.Step && fn != m.Next[1] || ra+3+want > len(reg.array) {
		return false
	}
	tb, ok := reg.array[ra+1].(*lua.LTable)
	if !ok || tb.Metatable != lua.LNil {
		return false
	}
	control := reg.array[ra+2]
	var k, v lua.LValue
	if fn != m.Step {
		if k, v, ok = m.cursors[ra&7].Next(tb, control); !ok {
			return false
		}
	} else {
		i, ok := control.(lua.LNumber)
		if !ok {
			return false
		}
		k = m.boxes.Number(i + 1)
		if v = tables.Get(tb, k); v == lua.LNil {
			k = lua.LNil
		}
	}
	arr := reg.array
	arr[ra+3] = k
	if want > 1 {
		arr[ra+4] = v
	}
	for i := 2; i < want; i++ {
		arr[ra+3+i] = lua.LNil
	}
	if top := ra + 3 + want; reg.top < top {
		reg.top = top
	}
	if k != lua.LNil {
		arr[ra+2] = k
		cf.Pc += int(cf.Fn.Proto.Code[cf.Pc]&0x3ffff) - jumpBias
	}
	cf.Pc++
	return true
}
