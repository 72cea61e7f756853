package luabridge

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestInterruptStopsLibraryLoops(t *testing.T) {
	for _, loop := range []string{
		"table.insert({1}, -2147483648, 1)",
		"pcall(table.insert, {1}, -2147483648, 1)",
		"table.sort(setmetatable({3, 2, 1}, {}), function() while true do end end)",
		"load(function() return ' ' end)",
	} {
		vm, h := newVM(t), newHost()
		h.onCall = func([]string) { go vm.Interrupt("ERR stopped") }
		v := vm.Run(h, compiled(t, vm, "redis.call('get', 'k') "+loop+" while true do end"), nil, nil)
		assert.Equal(t, "-ERR stopped", spell(v), loop)
		assert.Equal(t, "1", spell(eval(t, vm, "return 1")), "the VM goes on")
	}
}

// The comparisons are those of Lua 5.1 for the same elements.
func TestSortComparesInLuasOrder(t *testing.T) {
	vm := newVM(t)
	v := eval(t, vm, `
		local seen = {}
		table.sort({5, 3, 8, 1, 9, 2}, function(a, b) seen[#seen + 1] = a .. b return a < b end)
		return table.concat(seen, ' ')`)
	assert.Equal(t, `"25 82 58 35 95 51 95 51 89 12 31 23"`, spell(v))
}

func TestSortOfManyElements(t *testing.T) {
	vm := newVM(t)
	v := eval(t, vm, "local t = {} for i = 1, 1000 do t[i] = (i * 7919) % 1009 end table.sort(t) return table.concat(t, ' ')")
	before := -1
	for _, s := range strings.Fields(spell(v)) {
		n, err := strconv.Atoi(strings.Trim(s, `"`))
		assert.NoError(t, err)
		assert.GreaterOrEqual(t, n, before)
		before = n
	}
}
