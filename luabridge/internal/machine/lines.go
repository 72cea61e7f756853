package machine

import lua "github.com/yuin/gopher-lua"

//go:generate go run genloop.go

// Lines are told of the lines that running code reaches: when a function begins, when a line begins, and when a jump goes back.
type Lines struct {
	// Follows reports whether the lines of a function are to be told. Its code must be Lua's own.
	Follows func(in *lua.FunctionProto) bool
	// Reach is called before the first instruction of a line is run. It may end the script by raising an error.
	Reach func(L *lua.LState, in *lua.FunctionProto, line int)

	begins bool // while Reach is called: the function begins there
}

// Begins reports, while Reach is called, whether the function begins there.
func (l *Lines) Begins() bool { return l.begins }

// Debug makes code that begins to run from now on tell l of its lines; nil: no longer.
func (m *Machine) Debug(l *Lines) { m.lines = l }

// Pause makes code that begins to run from now on tell nobody of its lines, until resume is called.
func (m *Machine) Pause() (resume func()) {
	lines := m.lines
	m.lines = nil
	return func() { m.lines = lines }
}

// position is the instruction that a run of the loop looked at last.
type position struct {
	frame   *frame
	proto   *lua.FunctionProto
	follows bool // its lines are told
	pc      int
}

// look is called before each instruction that is debugged. Whoever called another function goes on behind the call, so the frames below need not
// be remembered.
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
	last := pc - 1 // the call that has returned
	if before.frame == cf {
		last = before.pc
	}
	at.frame, at.pc = cf, pc
	if !at.follows {
		return
	}
	lines := proto.DbgSourcePositions
	switch {
	case pc == 0:
	case last == pc-1 && decides(proto.Code[last]):
		at.pc = last // Lua takes the jump as a part of the instruction before
		return
	case pc > last && lines[pc] == lines[last]:
		return
	}
	l.begins = pc == 0 && !(before.frame == cf && before.proto == proto && jumps(proto.Code[before.pc]))
	l.Reach(L, proto, lines[pc])
	l.begins = false
}

// varargs puts the first n values of ... into registers, and leaves those above alone: gopher-lua's compiler has none in use there, Lua's may.
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

// jumps reports whether another instruction than the next may follow in the same function.
func jumps(inst uint32) bool { return int(inst>>26) == lua.OP_JMP || decides(inst) }
