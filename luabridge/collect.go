package luabridge

import (
	"math"
	"runtime/metrics"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/heap"
)

// collector stands in for Lua's garbage collector; Go's works instead. It remembers the parameters
// that a script sets, and ignores them.
type collector struct {
	vm             *VM
	pause, stepmul int // percent
}

// heapSize returns the memory in use by the whole program, in KB.
func (c *collector) heapSize() float64 {
	sample := [1]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample[:])
	return float64(sample[0].Value.Uint64()) / 1024
}

// fullStep is the smallest step in KB that ends a collection in the small heap of Redis's Lua.
const fullStep = 64

// collectGarbage is collectgarbage([option [, argument]]).
func (c *collector) collectGarbage(L *lua.LState) int {
	option := args.CString(c.vm.lib.OptionalText(L, 1, "collect"))
	result := boxes.Int(0)
	set := func(parameter *int) {
		value := c.vm.lib.OptionalInt(L, 2, 0)
		result = lua.LNumber(*parameter)
		*parameter = value
	}
	switch option {
	case "collect":
		c.vm.lib.OptionalInt(L, 2, 0)
		c.collect(L)
	case "stop", "restart":
		c.vm.lib.OptionalInt(L, 2, 0)
	case "count":
		c.vm.lib.OptionalInt(L, 2, 0)
		result = lua.LNumber(c.heapSize())
	case "step":
		result = lua.LBool(c.vm.lib.OptionalInt(L, 2, 0) >= fullStep)
	case "setpause":
		set(&c.pause)
	case "setstepmul":
		set(&c.stepmul)
	default:
		return c.vm.lib.Bad(L, 1, "invalid option '"+option+"'")
	}
	L.Push(result)
	return 1
}

// info is gcinfo(). It returns the memory in use in KB, without a fraction.
func (c *collector) info(L *lua.LState) int {
	L.Push(lua.LNumber(math.Floor(c.heapSize())))
	return 1
}

// collect is a full collection.
func (c *collector) collect(L *lua.LState) {
	vm := c.vm
	m := heap.NewMarker(func(n int) { vm.limits.Budget.Work(L, n) })
	m.Reach(vm.L)
	m.Reach(L)
	for _, g := range vm.guarded {
		m.Reach(g.thread)
		m.Reach(g.caller)
	}
	m.Reach(vm.globals.Env.RawGetString("KEYS"))
	m.Reach(vm.globals.Env.RawGetString("ARGV"))
	if vm.opt.tool != nil {
		m.Reach(vm.globals.Env)
	} else {
		m.Seen(vm.globals.Env)
	}
	for _, tb := range vm.globals.Tables() {
		m.Seen(tb)
	}
	m.Collect()
}
