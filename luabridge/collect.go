package luabridge

import (
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"math"
	"runtime/metrics"

	lua "github.com/yuin/gopher-lua"
)

// collector answers for Lua's garbage collector. Go's works instead; the parameters that a script sets are
// remembered and otherwise ignored.
type collector struct {
	vm             *VM
	pause, stepmul int // percent
}

// heap is the memory in use by the whole program, in KB.
func (c *collector) heap() float64 {
	sample := [1]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample[:])
	return float64(sample[0].Value.Uint64()) / 1024
}

// fullStep is the smallest step, in KB, that ends a collection in the small heap of Redis's Lua.
const fullStep = 64

// collectGarbage is collectgarbage([option [, argument]]).
func (c *collector) collectGarbage(L *lua.LState) int {
	option := cString(c.vm.optionalText(L, 1, "collect"))
	result := boxes.Int(0)
	set := func(parameter *int) {
		value := c.vm.optionalInt(L, 2, 0)
		result = lua.LNumber(*parameter)
		*parameter = value
	}
	switch option {
	case "collect":
		c.vm.optionalInt(L, 2, 0)
		c.vm.collect(L)
	case "stop", "restart":
		c.vm.optionalInt(L, 2, 0)
	case "count":
		c.vm.optionalInt(L, 2, 0)
		result = lua.LNumber(c.heap())
	case "step":
		result = lua.LBool(c.vm.optionalInt(L, 2, 0) >= fullStep)
	case "setpause":
		set(&c.pause)
	case "setstepmul":
		set(&c.stepmul)
	default:
		return c.vm.badArgument(L, 1, "invalid option '"+option+"'")
	}
	L.Push(result)
	return 1
}

// info is gcinfo(): the memory in use in KB, without a fraction.
func (c *collector) info(L *lua.LState) int {
	L.Push(lua.LNumber(math.Floor(c.heap())))
	return 1
}
