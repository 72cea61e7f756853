package engine_test

import (
	"context"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// largeArgs are arguments of 38 MB in all. There are more than what caches of arguments keep.
func largeArgs() []string {
	args := make([]string, 300)
	for i := range args {
		args[i] = strings.Repeat(string(rune('a'+i%26)), 128<<10) + strconv.Itoa(i)
	}
	return args
}

const (
	largeSum  = 300 * 128 << 10
	mayRemain = largeSum / 10
)

// liveHeap returns the bytes of the heap that can be reached.
func liveHeap() int64 {
	least := int64(math.MaxInt64)
	for range 4 { // pools give back what they hold in two collections
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		least = min(least, int64(m.HeapAlloc))
	}
	return least
}

// remaining are calls with large arguments, after which nothing large may remain when the keys have
// been deleted.
var remaining = []struct {
	name    string
	options engine.Options
	calls   func(large []string) [][]string
}{
	{name: "a script", calls: evalOf("return #ARGV")},
	{name: "a script that keeps ARGV", calls: evalOf("ARGV.all = {unpack(ARGV)} return (function(t) return #t end)(ARGV)")},
	{name: "a script that walks over its globals", calls: evalOf("for k, v in pairs(_G) do if k == 'ARGV' then return #v end end")},
	{name: "a script that makes ARGV longer", calls: func([]string) [][]string {
		return [][]string{{"EVAL", "for i = 1, 300 do ARGV[i] = ('x'):rep(2^17) .. i end ARGV.more = ('y'):rep(2^24) return #ARGV", "0", "a"}}
	}},
	{name: "closures", calls: evalOf("local t = ARGV local function f() return #t end return f() + f()")},
	{name: "a write", options: limited, calls: evalOf("return redis.call('RPUSH', KEYS[1], unpack(ARGV))")},
	{name: "a write of a failing script", options: limited, calls: evalOf("redis.call('RPUSH', KEYS[1], unpack(ARGV)) error('x')")},
	{name: "a write that is undone", options: engine.Options{OnScriptError: engine.Rollback},
		calls: evalOf("redis.call('RPUSH', KEYS[1], unpack(ARGV)) error('x')")},
	{name: "counted writes that are undone",
		options: engine.Options{OnScriptError: engine.Rollback, Config: map[string]string{"maxmemory": "512mb"}},
		calls:   evalOf("redis.call('SET', KEYS[1], table.concat(ARGV)) redis.call('APPEND', KEYS[1], 'x') error('x')")},
	{name: "a long text that is compiled on the side", calls: func(large []string) [][]string {
		return [][]string{{"EVAL", "return 1 --" + strings.Join(large, ""), "0"}, {"SCRIPT", "FLUSH"}}
	}},
	{name: "many writes", options: limited, calls: evalOf("for i, v in ipairs(ARGV) do redis.call('SET', v, v) end")},
	{name: "a command line with a table", calls: evalOf(
		"local t = {} for i = 1, 301 do t[i] = 'x' end redis.call('RPUSH', KEYS[1], unpack(t)) " +
			"for i, v in ipairs(ARGV) do t[i] = v end t[301] = {} return redis.pcall('RPUSH', KEYS[1], unpack(t))")},
	{name: "an error while text is replaced", calls: evalOf("table.concat(ARGV):gsub('b', function() error('x') end)")},
	{name: "an error in a function that gets the arguments", calls: evalOf(
		"local function f(n, ...) if n == 0 then error('x') end return (f(n - 1, ...)) end pcall(f, 5, unpack(ARGV)) return 1")},
	{name: "a transaction", calls: func(large []string) [][]string {
		return [][]string{{"MULTI"}, append([]string{"RPUSH", "k"}, large...), {"EXEC"}}
	}},
	{name: "a function that compiles texts", calls: func(large []string) [][]string {
		return [][]string{
			{"FUNCTION", "LOAD", "#!lua name=x\nredis.register_function('f', " +
				"function(_, a) for _, v in ipairs(a) do loadstring('--' .. v) end end)"},
			append([]string{"FCALL", "f", "0"}, large...),
		}
	}},
	{name: "a function with a deep stack", calls: func([]string) [][]string {
		return [][]string{
			{"FUNCTION", "LOAD", "#!lua name=x\nlocal function f(n) local " + strings.Repeat("a,", 180) +
				"a if n > 0 then f(n - 1) end return 1 end redis.register_function('f', function() return f(15000) end)"},
			{"FCALL", "f", "0"},
		}
	}},
	{name: "long keys that were evicted",
		options: engine.Options{Config: map[string]string{"maxmemory": "32mb", "maxmemory-policy": "allkeys-lru"}},
		calls: func([]string) [][]string {
			var calls [][]string
			for i := range 30 {
				calls = append(calls, []string{"SET", strings.Repeat(string(rune('a'+i)), 3<<20), "v"})
			}
			return calls
		}},
	{name: "declared keys", options: engine.Options{StrictKeys: engine.RefuseKeys}, calls: func(large []string) [][]string {
		return [][]string{append([]string{"EVAL", "return 1", "300"}, large...)}
	}},
}

// limited is an engine that counts its memory, as one with maxmemory does.
var limited = engine.Options{Config: map[string]string{"maxmemory": "512mb"}}

func evalOf(body string) func(large []string) [][]string {
	return func(large []string) [][]string { return [][]string{append([]string{"EVAL", body, "1", "k"}, large...)} }
}

// A script must not take the memory of the next one.
func TestLargeArgumentsDoNotRemain(t *testing.T) {
	for _, c := range remaining {
		t.Run(c.name, func(t *testing.T) {
			kept := int64(math.MaxInt64)
			for range 3 { // what other tests have left may go meanwhile, or a timer may run
				if kept = min(kept, remains(t, c.options, c.calls)); kept < mayRemain {
					break
				}
			}
			require.Less(t, kept, int64(mayRemain), "bytes, of %d", largeSum)
		})
	}
}

// remains returns how much memory an engine takes more after calls and FLUSHALL than before.
func remains(t *testing.T, o engine.Options, calls func(large []string) [][]string) int64 {
	ctx := context.Background()
	e, err := engine.New(o)
	require.NoError(t, err)
	defer e.Close()
	s, err := e.NewSession()
	require.NoError(t, err)
	_, err = s.DoStrings(ctx, "EVAL", "return 1", "0")
	require.NoError(t, err)
	before := liveHeap()
	runLarge(ctx, s, calls)
	_, err = e.Do(ctx, "FLUSHALL")
	require.NoError(t, err)
	return liveHeap() - before
}

// runLarge makes calls that may fail. When it has returned, nobody but the engine can hold their
// arguments.
func runLarge(ctx context.Context, s *engine.Session, calls func(large []string) [][]string) {
	for _, args := range calls(largeArgs()) {
		_, _ = s.DoStrings(ctx, args...)
	}
}
