package luabridge

import (
	"maps"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/reply"
)

// keeping are scripts that keep much, by values that may be small themselves. Each ends with a call
// of the command set, while what it keeps can be reached.
var keeping = map[string]string{
	"strings":            "for i = 1, 3e5 do t[i] = 'text' .. i end",
	"every 32nd string":  "for i = 1, 1e6 do local s = 'text' .. i if i % 32 == 0 then t[#t + 1] = s end end",
	"every 64th number":  "for i = 1, 3e6 do local n = i + 0.5 if i % 64 == 0 then t[#t + 1] = n end end",
	"long strings":       "for i = 1, 300 do t[i] = ('x'):rep(1e5) .. i end",
	"pieces":             "for i = 1, 500 do local s = ('x'):rep(1e5) .. i t[i] = s:sub(500, 510) end",
	"pieces of pieces":   "for i = 1, 100 do local s = ('x'):rep(1e6) while #s > 600 do s = s:sub(1, #s / 1.5) end t[i] = s end",
	"captures":           "for i = 1, 500 do local s = ('x'):rep(1e5) .. i t[i] = s:match('x(%d+)$') end",
	"matches":            "for i = 1, 300 do local s = ('x'):rep(1e5) .. i t[i] = s:gmatch('x') end",
	"pieces of gsub":     "for i = 1, 300 do (('x'):rep(1e5) .. i):gsub('%d+', function(n) t[i] = n end) end",
	"unpacked strings":   "for i = 1, 500 do t[i] = select(2, cmsgpack.unpack(cmsgpack.pack(('x'):rep(1e5), 'kept' .. i))) end",
	"strings of structs": "for i = 1, 500 do t[i] = select(2, struct.unpack('ss', ('x'):rep(1e5) .. '\\0kept' .. i .. '\\0')) end",
	"decoded strings":    "for i = 1, 500 do t[i] = cjson.decode(cjson.encode({('x'):rep(1e5), 'kept' .. i}))[2] end",
	"every 20th decoded string": "for i = 1, 1e4 do t[i] = cjson.decode('[\"' .. ('ab\",\"'):rep(20) .. i .. ('\",\"xyz'):rep(200) .. " +
		"'\"]')[21] end",
	"decoded numbers":        "for i = 1, 1e4 do t[i] = cjson.decode('[' .. i .. '.5' .. (',1.5'):rep(100) .. ']')[1] end",
	"tables":                 "for i = 1, 1e5 do t[i] = {} end",
	"lists":                  "for i = 1, 2e4 do t[i] = {1, 2, 3, 4, 5, 6, 7, 8, 9} end",
	"lists that grew":        "for i = 1, 2000 do local l = {} for j = 1, 129 do l[j] = j end t[i] = l end",
	"objects":                "for i = 1, 2e4 do t[i] = {id = i, name = 'n' .. i, at = i} end",
	"keys":                   "for i = 1, 2e5 do t['k' .. i] = true end",
	"keys that were removed": "for i = 1, 2e5 do t['k' .. i] = true end for i = 1, 2e5 do t['k' .. i] = nil end",
	"few keys that are left": "for n = 1, 20 do local l = {} for i = 1, 2e4 do l['k' .. i] = i end for i = 1, 2e4 do l['k' .. i] = " +
		"nil end for i = 1, 30 do l['m' .. i .. n] = i end t[n] = l end",
	"numbers as keys": "for i = 1, 2e5 do t[i + 0.5] = true end",
	"functions":       "for i = 1, 1e5 do t[i] = function() return i end end",
	"chunks":          "for i = 1, 3000 do t[i] = loadstring('local a, b = ... return a + b + ' .. i) end",
	"chunks of functions": "for i = 1, 300 do t[i] = loadstring('return function() ' .. ('f(function(a) return a.b end) '):rep(20) " +
		".. 'end')() end",
	"deep chunks": "for i = 1, 100 do t[i] = loadstring('return ' .. ('a+'):rep(3000) .. i) end",
	"long chunks": "for i = 1, 20 do t[i] = loadstring(('a=a+1 '):rep(2e4) .. 'return ' .. i) end",
	"constants of chunks": "for i = 1, 20 do local s = {} for j = 1, 5000 do s[j] = '\"text' .. i * j .. '\"' end t[i] = " +
		"loadstring('return {' .. table.concat(s, ',') .. '}') end",
	"strings of chunks": "for i = 1, 300 do t[i] = loadstring('--' .. ('x'):rep(5e4) .. '\\nreturn \"kept ' .. i .. '\"')() end",
	"names of chunks": "for i = 1, 300 do t[i] = loadstring('--' .. ('x'):rep(5e4) .. '\\nlocal t = {} t.kept' .. i .. ' = 1 " +
		"return t')() end",
	"coroutines": "for i = 1, 3000 do t[i] = coroutine.create(function() coroutine.yield() end) coroutine.resume(t[i]) end",
	"deep coroutines": "for i = 1, 20 do local function f(n) if n == 0 then coroutine.yield() else return 1 + f(n - 1) end end " +
		"t[i] = coroutine.wrap(f) t[i](5000) end",
	"wide coroutines": "for i = 1, 50 do t[i] = coroutine.wrap(function(...) coroutine.yield() return ... end) t[i](unpack({}, " +
		"1, 7000)) end",
	"pcalls":                      "local function f(n) if n > 0 then pcall(f, n - 1) end local a = {unpack({}, 1, 7000)} end f(150)",
	"codecs":                      "for i = 1, 300 do local c = cjson.new() c.encode(('x'):rep(6e4)) t[i] = c end",
	"replies":                     "for i = 1, 500 do t[i] = redis.call('answer') end",
	"replies that were looked at": "for i = 1, 500 do t[i] = redis.call('answer') local x = t[i][1] end",
}

// heapLive returns how many bytes of objects can be reached. It collects until the figure falls no
// more: pools give back what they hold in two collections, and what finalizers held goes when they
// have run.
func heapLive() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	least, steady := int64(math.MaxInt64), 0
	for range 50 {
		collect()
		metrics.Read(sample)
		live := int64(sample[0].Value.Uint64())
		if live > least-64<<10 {
			if steady++; steady == 2 {
				break
			}
		} else {
			steady = 0
		}
		least = min(least, live)
	}
	return least
}

// collect collects garbage and waits until the finalizers of what it found have run.
func collect() {
	ran := make(chan struct{})
	runtime.SetFinalizer(&struct{ last *int }{new(int)}, func(any) { close(ran) })
	runtime.GC()
	<-ran
}

// keptMargin is how many times what was counted a script may keep; what is below keptLeast bytes is
// not looked at.
const (
	keptMargin = 1.25
	keptLeast  = 1 << 20
)

// What earlier tests left behind may be freed during a measurement, which is then wrong: only a
// script that is counted wrongly keptTries times fails.
const keptTries = 4

func TestWhatScriptsKeepIsCounted(t *testing.T) {
	names := slices.Sorted(maps.Keys(keeping))
	for i, name := range names {
		script := keeping[name]
		t.Run(name, func(t *testing.T) {
			if i%3 != 0 {
				tier.Landing(t)
			}
			for try := 1; ; try++ {
				kept, counted := keptAndCounted(t, script)
				t.Logf("%d bytes kept, %d counted", kept, counted)
				enough := float64(kept) <= keptMargin*float64(counted)+keptLeast
				notMuchMore := float64(counted) <= 4*float64(kept)+keptLeast
				if enough && notMuchMore {
					return
				}
				if try == keptTries {
					assert.True(t, enough, "less is counted than kept")
					assert.True(t, notMuchMore, "much more is counted than kept")
					return
				}
			}
		})
	}
}

// keptAndCounted runs a script and returns how many bytes it kept, by the heap and by the VM.
func keptAndCounted(t *testing.T, script string) (kept, counted int64) {
	vm := New(Options{})
	defer vm.Close()
	s, err := vm.Compile("local t = {} " + script + " redis.call('set', 'k', 'v') return type(t)")
	require.NoError(t, err)
	h := newHost()
	list := make([]reply.Value, 1000)
	for i := range list {
		list[i] = reply.Bulk("element")
	}
	h.answer = reply.Array(list...)
	before := heapLive()
	base := vm.measure(vm.L, math.MaxInt64)
	h.onCall = func(args []string) {
		if args[0] == "set" {
			counted = vm.measure(vm.L, math.MaxInt64) - base // which forgets what is kept no more
			kept = heapLive() - before
		} else {
			h.answer = reply.Array(append([]reply.Value(nil), list...)...)
		}
	}
	require.Equal(t, "table", vm.Run(h, s, nil, nil).Text())
	return kept, counted
}

// A script may load as many chunks as it likes, if it does not keep them.
func TestLoadedChunksAreCountedWhileTheyAreKept(t *testing.T) {
	for script, stopped := range map[string]bool{
		"for i = 1, 500 do t[i] = loadstring(text .. i) end":                                     true,
		"for i = 1, 500 do t[1] = loadstring(text .. i) end":                                     false,
		"for i = 1, 500 do t[i] = loadstring('return function() ' .. text .. i .. ' end')() end": true,
	} {
		vm := New(Options{MaxMemory: 8 << 20})
		s, err := vm.Compile("local t, text = {}, ('a=a+1 '):rep(500) .. 'return ' " + script + " return 1")
		require.NoError(t, err)
		v := vm.Run(newHost(), s, nil, nil)
		assert.Equal(t, stopped, v.IsError(), "%s: %s", script, v)
		if stopped {
			assert.Contains(t, v.Text(), "bytes of memory")
		}
		vm.Close()
	}
}
