package machine

import lua "github.com/yuin/gopher-lua"

// watch chooses the loop for code that begins to run from now on.
func (m *Machine) watch() {
	m.watched = m.lines != nil || m.counted != nil || m.profile != nil
}

// watchedRun runs code by one of the loops that are generated from loop. A debugged run is counted,
// but not profiled: most of its time is that of the debugger.
func (m *Machine) watchedRun(L *lua.LState, base *frame) {
	switch {
	case m.lines != nil:
		m.debugLoop(L, base)
	case m.profile != nil:
		defer m.profile.leave(m.profile.enter())
		m.profileLoop(L, base)
	default:
		m.countLoop(L, base)
	}
}
