package machine

import lua "github.com/yuin/gopher-lua"

//go:generate go run genloop.go

// Lines is notified of the lines that running code reaches: when a function begins, when a line
// begins, and when a jump goes back.
type Lines struct {
	// Follows reports whether Reach is to be called for a function.
	Follows func(in *lua.FunctionProto) bool
	// Reach is called before the first instruction of a line. It may end the script by raising an
	// error.
	Reach func(L *lua.LState, in *lua.FunctionProto, line int)

	begins bool // while Reach is called: the function begins at the line
}

// Begins reports, while Reach is called, whether the function begins at the line.
func (l *Lines) Begins() bool { return l.begins }

// Debug sets the receiver of the lines of code that begins to run from now on; nil: none.
func (m *Machine) Debug(l *Lines) {
	m.lines = l
	m.watch()
}

// Pause is Debug(nil) and Count(nil) until resume is called.
func (m *Machine) Pause() (resume func()) {
	lines, counted := m.lines, m.counted
	m.lines, m.counted = nil, nil
	m.watch()
	return func() {
		m.lines, m.counted = lines, counted
		m.watch()
	}
}

// position is the last instruction that a run of the loop has checked.
type position struct {
	frame   *frame
	proto   *lua.FunctionProto
	follows bool // Reach is called for its lines
	pc      int
	jumped  bool // it was a jump
	thread  bool // the next instruction is a jump to which no other jump leads in Lua's own code
}

// look is called before each instruction of the debug loop. A function that called another one
// continues after the call, so the positions of the frames below need not be kept.
func (m *Machine) look(L *lua.LState, cf *frame, at *position) {
	l := m.lines
	if l == nil {
		return
	}
	proto, pc := cf.Fn.Proto, cf.Pc-1
	before := *at
	if proto != at.proto {
		at.proto, at.follows = proto, l.Follows(proto)
	}
	last := pc - 1 // the call that has just returned
	if before.frame == cf {
		last = before.pc
	}
	switch int(proto.Code[pc] >> 26) {
	case lua.OP_NOP: // Lua has no such instruction
		at.frame, at.pc, at.thread = cf, last, before.frame == cf && before.jumped
		return
	case lua.OP_JMP:
		if at.jumped = true; before.thread {
			at.thread = false // the jump to the OP_NOP leads to this one's target
			return
		}
	default:
		at.jumped = false
	}
	at.thread = false
	begin := beginOf(proto)
	at.frame, at.pc = cf, pc
	if !at.follows {
		return
	}
	lines := proto.DbgSourcePositions
	switch {
	case pc == begin:
	case last == pc-1 && decides(proto.Code[last]):
		at.pc = last // in Lua the jump is a part of the instruction before it
		return
	case pc > last && lines[pc] == lines[last]:
		return
	}
	l.begins = pc == begin && !(before.frame == cf && before.proto == proto && before.pc >= 0 && jumps(proto.Code[before.pc]))
	l.Reach(L, proto, lines[pc])
	l.begins = false
}

// beginOf returns the first instruction of a function except for OP_NOPs, which the compiler adds
// for coverage.
func beginOf(p *lua.FunctionProto) (pc int) {
	for int(p.Code[pc]>>26) == lua.OP_NOP {
		pc++
	}
	return pc
}

// varargs puts the first n values of ... into registers, and leaves the registers above alone.
// gopher-lua's handler would clear them, because gopher-lua's compiler never uses them at such a
// place.
func (m *Machine) varargs(reg *registry, cf *frame, ra, n int) {
	params := int(cf.Fn.Proto.NumParameters)
	for i := range n {
		var v lua.LValue = lua.LNil
		if i < cf.NArgs-params {
			v = reg.array[cf.Base+params+1+i]
		}
		m.set(reg, ra+i, v)
	}
}

// decides reports whether an instruction may skip the jump that follows.
func decides(inst uint32) bool {
	switch int(inst >> 26) {
	case lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST, lua.OP_TESTSET, lua.OP_TFORLOOP:
		return true
	}
	return false
}

// jumps reports whether an instruction other than the next one may follow in the same function.
func jumps(inst uint32) bool { return int(inst>>26) == lua.OP_JMP || decides(inst) }
