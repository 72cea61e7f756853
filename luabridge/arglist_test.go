package luabridge

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// argScripts do all kinds of things to KEYS and ARGV; the next script must not find any trace of
// it.
var argScripts = []string{
	"return {#KEYS, #ARGV, ARGV[1] or false, ARGV[#ARGV] or false, KEYS[1] or false, type(ARGV.x), type(ARGV[0]), type(ARGV[100])}",
	"for i = 1, #ARGV do ARGV[i] = i * 10 end return {unpack(ARGV)}",
	"ARGV[#ARGV + 1] = 'more' return {unpack(ARGV)}",
	"for i = 1, 100 do ARGV[#ARGV + 1] = i end return {#ARGV, unpack(ARGV, 1, 20)}",
	"ARGV[#ARGV] = nil return {#ARGV, unpack(ARGV)}",
	"ARGV[1] = nil return {tostring(ARGV[1]), ARGV[2] or false}",
	"ARGV.x = 'field' ARGV[0], ARGV[100] = 'zero', 'far' return {ARGV.x, ARGV[0], ARGV[100], unpack(ARGV)}",
	"ARGV[1] = {'a', KEYS[1]} return {ARGV[1], unpack(ARGV, 2)}",
	"ARGV[1], ARGV[2] = ARGV[2], ARGV[1] return {unpack(ARGV)}",
	"local r = {} for i, v in ipairs(ARGV) do r[#r + 1] = i .. v end return r",
	"local n = 0 for k in pairs(ARGV) do n = n + k end for _, k in ipairs(KEYS) do n = n .. k end return n",
	"for k in pairs(ARGV) do ARGV[k] = nil end return #ARGV",
	"for i, k in ipairs(KEYS) do KEYS[i] = k .. '!' ARGV[i] = k end return {unpack(KEYS)}",
	"local f, t = ipairs(ARGV) t[1] = 'through the iterator' return {unpack(ARGV)}",
	"local t = ARGV t[1] = 'through a local' return {unpack(ARGV)}",
	"table.insert(ARGV, 1, 'inserted') return {unpack(ARGV)}",
	"local unpack = function(t) t[1] = 'mine' return t end return unpack(ARGV)",
	"setmetatable(ARGV, {__index = function() return 'meta' end}) return {ARGV[200], unpack(ARGV)}",
	"ARGV[1] = string.rep('x', 5000) error(ARGV[1])",
	"ARGV[1] = 'left behind' error('stopped')",
	"return {unpack(KEYS, 1, 2)}",
	"return {pcall(unpack, ARGV, 1, 2)}",
	"ARGV[nil] = 1",
	"ARGV[0/0] = 1",
	"ARGV[1.5] = 'half' return {ARGV[1.5], #ARGV}",
}

// TestNoRunSeesWhatAnotherDidToItsArguments runs scripts one after the other on one VM; each must
// answer as on a new one.
func TestNoRunSeesWhatAnotherDidToItsArguments(t *testing.T) {
	vm := New(Options{})
	defer vm.Close()
	var scripts []*Script
	for _, source := range argScripts {
		s, err := vm.Compile(source)
		require.NoError(t, err, source)
		scripts = append(scripts, s)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	list := func(name string, n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprint(name, i+rng.IntN(3)))
		}
		return out
	}
	for range 3000 {
		i := rng.IntN(len(scripts))
		keys, argv := list("key", rng.IntN(4)), list("arg", rng.IntN(70))
		if rng.IntN(2) == 0 {
			argv = argv[:min(len(argv), 5)]
		}
		fresh := New(Options{})
		s, err := fresh.Compile(argScripts[i])
		require.NoError(t, err)
		want := fresh.Run(newHost(), s, keys, argv)
		require.Equal(t, shown(want), shown(vm.Run(newHost(), scripts[i], keys, argv)), "%s with %q and %q", argScripts[i], keys, argv)
		fresh.Close()
	}
}
