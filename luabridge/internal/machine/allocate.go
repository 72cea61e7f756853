package machine

import lua "github.com/yuin/gopher-lua"

// Approximate sizes in bytes of what instructions allocate.
const (
	tableSize   = 160
	valueSize   = 16 // in the array part
	nodeSize    = 48
	closureSize = 160
)

// askEvery is the number of bytes that instructions may allocate between two calls of Budget.Ask.
const askEvery = 1 << 20

// allocate counts n bytes that an instruction is about to allocate. It may end the script. Without
// it, code without loops and calls would never be checked, and a long text has a lot of such code.
func (m *Machine) allocate(L *lua.LState, n int) {
	if m.allocated += n; m.allocated >= askEvery {
		m.ask(L)
	}
}

//go:noinline
func (m *Machine) ask(L *lua.LState) {
	n := m.allocated
	m.allocated = 0
	m.Budget.Ask(L, n)
}
