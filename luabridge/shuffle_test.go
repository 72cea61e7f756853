package luabridge_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// walk is code that returns the keys of a table in the order of a walk.
const walk = `local t = {a = 1, b = 2, c = 3, d = 4, 'x', 'y', 'z'}
local keys = ''
for k in pairs(t) do keys = keys .. k end
return keys`

func evaluate(t *testing.T, vm *luabridge.VM, code string) string {
	s, err := vm.Compile(code)
	require.NoError(t, err)
	v := vm.Run(nil, s, nil, nil)
	require.False(t, v.IsError(), v.String())
	return v.Text()
}

func TestShufflePairs(t *testing.T) {
	orders := map[string]int{}
	for seed := range uint64(20) {
		vm := luabridge.New(luabridge.Options{ShufflePairs: seed})
		order := evaluate(t, vm, walk)
		orders[order]++
		require.Equal(t, order, evaluate(t, vm, walk), "the same order for the same seed")
		keys := []byte(order)
		slices.Sort(keys)
		require.Equal(t, "123abcd", string(keys))
		if seed == 0 {
			require.Equal(t, "123", order[:3], "the order of Redis")
		}
		vm.Close()
	}
	require.Greater(t, len(orders), 10, slices.Collect(maps.Keys(orders)))
}

// Whatever the order is, a walk visits each key once, walks can be nested, and what is visited can
// be removed.
func TestShuffledWalksAreWalks(t *testing.T) {
	for _, code := range []string{
		"local t, n = {}, 0 for i = 1, 100 do t[i .. ''] = i end for k, v in pairs(t) do t[k] = nil n = n + v end " +
			"return n + (next(t) and 1 or 0)",
		"local t, n = {}, 0 for i = 1, 100 do t[i] = i end for k in next, t do n = n + k end return n",
		"local t, n = {}, 0 for i = 1, 100 do t[i] = i end table.foreach(t, function(k, v) n = n + v end) return n",
		`local t, deep = {1, 2, 3, 4}
		function deep(level) if level == 0 then return 0 end local s = 0 for k in pairs(t) do s = s + k + 0 * deep(level - 1) end return s end
		return deep(5) * 505`,
		`local function tree(level) local t = {} if level > 0 then for i = 1, 2 do t[i] = tree(level - 1) end end return t end
		local n = 0
		local function visit(t) for _, v in pairs(t) do n = n + 1 visit(v) end end
		visit(tree(6)) return n * 5050 / 126`,
		"local t, k, n = {a = 1, b = 2, [3] = 3}, nil, 0 repeat local v k, v = next(t, k) n = n + (v or 0) until k == nil return n / 6 * 5050",
		"local a, b, n = {p = 1, q = 2}, {p = 1, q = 2}, '' for k in pairs(a) do n = n .. k end for k in pairs(b) do n = n .. k end " +
			"return n:sub(1, 2) == n:sub(3, 4) and 5050 or n",
	} {
		vm := luabridge.New(luabridge.Options{ShufflePairs: 7})
		s, err := vm.Compile(code)
		require.NoError(t, err, code)
		v := vm.Run(nil, s, nil, nil)
		require.Equal(t, int64(5050), v.MustInt(), "%s: %s", code, v)
		vm.Close()
	}
}
