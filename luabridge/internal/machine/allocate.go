package machine

import lua "github.com/yuin/gopher-lua"

// What instructions allocate, about, in bytes.
const (
	tableSize   = 160
	valueSize   = 16 // of the array part
	nodeSize    = 48
	closureSize = 160
)

// askEvery is how many bytes instructions allocate between two questions to the budget.
const askEvery = 1 << 20

// allocate counts n bytes that an instruction is about to allocate. Code without loops and calls looks at nothing else, and
// a long text makes a lot of it. It may end the script.
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
