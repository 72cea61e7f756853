package structlib

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
)

// Library is the library with its ties to the program around it. The zero value works. It belongs
// to one goroutine.
type Library struct {
	args.Host

	boxes boxes.Boxes
	buf   []byte // buffer for the string being packed
}

// keptBuffer is the largest buffer that is kept between calls, in bytes.
const keptBuffer = 1 << 16

// functions lists the library in the order that pairs shows.
var functions = []args.Function[Library]{
	{Name: "pack", Call: (*Library).pack},
	{Name: "unpack", Call: (*Library).unpack},
	{Name: "size", Call: (*Library).size},
}

// Open returns the table of the library.
func (m *Library) Open(L *lua.LState) *lua.LTable { return Table(args.Bind(L, m)) }

// Table returns the table of the library with values of its functions that value makes. It is for
// package luabridge.
func Table(value args.Maker[Library]) *lua.LTable {
	tb := &lua.LTable{Metatable: lua.LNil}
	for _, f := range functions {
		tb.RawSetString(f.Name, value(f))
	}
	return tb
}

// size returns the length of the strings of a format. Unknown options count as nothing.
func (m *Library) size(L *lua.LState) int {
	f := m.start(L)
	total := uint64(0)
	for {
		opt, size, ok := f.next()
		if !ok {
			break
		}
		m.Budget.Work(L, 1)
		total += f.padding(total, opt, size)
		switch {
		case opt == 's':
			m.Bad(L, 1, "option 's' has no fixed size")
		case opt == 'c' && size == 0:
			m.Bad(L, 1, "option 'c0' has no fixed size")
		case !isAlphanumeric(opt):
			f.control(opt)
		}
		total += size
	}
	L.Push(lua.LNumber(total))
	return 1
}

func isAlphanumeric(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }
