package machine

import lua "github.com/yuin/gopher-lua"

//go:generate go run genloop.go

// Lines are told of the lines that running code reaches: when a function begins, when a line begins, and when a jump goes back.
type Lines struct {
	// Reach is called before the first instruction of a line is run. It may end the script by raising an error.
	Reach func(L *lua.LState, in *lua.FunctionProto, line int)
	// Before is the line of an instruction that Lua has before the one at pc, where gopher-lua has one for both; 0: there is none.
	Before func(in *lua.FunctionProto, pc int) int

	last   map[*frame]reached
	begins bool   // while Reach is called: the function begins there
	frame  *frame // whose instruction pc was the last one to be run
	proto  *lua.FunctionProto
	pc     int
}

// Begins reports, while Reach is called, whether the function begins there, or has begun with instructions that Lua does not have.
func (l *Lines) Begins() bool { return l.begins }

// entered reports whether the first instruction of a frame is run because the function was called, and not by a jump.
func (l *Lines) entered(cf *frame) bool {
	if l.frame != cf || l.proto != cf.Fn.Proto {
		return true
	}
	switch int(l.proto.Code[l.pc] >> 26) {
	case lua.OP_JMP, lua.OP_FORLOOP, lua.OP_TFORLOOP:
		return false
	}
	return true
}

// reached is where a frame has got to.
type reached struct {
	begun    bool
	pc, line int
}

// Debug makes code that begins to run from now on tell l of its lines; nil: no longer.
func (m *Machine) Debug(l *Lines) {
	if m.lines = l; l != nil {
		l.last = map[*frame]reached{}
	}
}

// Pause makes code that begins to run from now on tell nobody of its lines, until resume is called.
func (m *Machine) Pause() (resume func()) {
	lines := m.lines
	m.lines = nil
	return func() { m.lines = lines }
}

// look is called before each instruction that is debugged.
func (m *Machine) look(L *lua.LState, cf *frame) {
	l := m.lines
	if l == nil {
		return
	}
	code, pc := cf.Fn.Proto.Code, cf.Pc-1
	if pc == 0 && l.entered(cf) {
		l.last[cf] = reached{}
	}
	l.frame, l.proto, l.pc = cf, cf.Fn.Proto, pc
	if pc > 0 && l.last[cf].pc == pc-1 && decides(code[pc-1]) {
		return // Lua takes the jump as a part of the instruction before
	}
	l.reach(L, cf, pc)
}

// reach tells of the instruction pc, when Lua would.
func (l *Lines) reach(L *lua.LState, cf *frame, pc int) {
	proto := cf.Fn.Proto
	line := proto.DbgSourcePositions[pc]
	if line == 0 {
		return // Lua has no such instruction
	}
	last := l.last[cf]
	back := !last.begun || pc <= last.pc
	for _, line := range [2]int{l.Before(proto, pc), line} {
		if line != 0 && (back || line != last.line) {
			l.last[cf] = reached{true, pc, line}
			l.begins = !last.begun
			l.Reach(L, proto, line)
			l.begins, last.begun = false, true
			last.line, back = line, false
		}
	}
	l.last[cf] = reached{true, pc, line}
}

// decides reports whether an instruction may skip the jump that follows.
func decides(inst uint32) bool {
	switch int(inst >> 26) {
	case lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST, lua.OP_TESTSET, lua.OP_TFORLOOP:
		return true
	}
	return false
}
