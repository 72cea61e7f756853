package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// lines is a Debugger that calls at for each line; nil: it does nothing.
type lines struct {
	at func(s *engine.Stack, line int)
}

func (l lines) Line(s *engine.Stack, line int) {
	if l.at != nil {
		l.at(s, line)
	}
}
func (lines) Call(*engine.Stack, []string)                {}
func (lines) Reply(*engine.Stack, []string, engine.Value) {}
func (lines) Raise(*engine.Stack, engine.LuaValue, bool)  {}
func (lines) Complain(*engine.Stack, string)              {}
func (lines) Breakpoint(*engine.Stack) bool               { return false }
func (lines) Print(*engine.Stack, []engine.LuaValue)      {}
func (lines) Log(*engine.Stack, int, string)              {}

var _ engine.Debugger = lines{}

func virtualEngine(t *testing.T, seed uint64) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{
		Clock: engine.NewVirtualClock(time.UnixMilli(1_700_000_000_000)), Rand: rand.NewPCG(seed, seed),
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, e.Check(context.Background()))
		require.NoError(t, e.Close())
	})
	return e
}

// fill gives an engine keys of all types.
func fill(t *testing.T, e *engine.Engine) {
	t.Helper()
	_, err := e.Eval(context.Background(), `
		for i = 1, 40 do
			redis.call('set', 's' .. i, i)
			redis.call('sadd', 'set', 'm' .. i)
			redis.call('sadd', 'ints', i)
			redis.call('hset', 'h', 'f' .. i, i)
			redis.call('hset', 'big', 'f' .. i, string.rep('v', 70))
			redis.call('zadd', 'z', i, 'm' .. i)
			redis.call('zadd', 'bigz', i, string.rep('m', 70) .. i)
			redis.call('rpush', 'l', i)
			redis.call('xadd', 'x', i .. '-1', 'a', i)
		end
		redis.call('expire', 's1', 100)
		redis.call('expire', 'z', 200)`, nil)
	require.NoError(t, err)
}

func TestDebugScript(t *testing.T) {
	e := virtualEngine(t, 1)
	var reached []int
	var touched []engine.TouchedKey
	ended := ""
	s := engine.NewScript("redis.call('set', KEYS[1], ARGV[1])\nredis.call('expire', KEYS[1], 10)\nreturn redis.call('get', KEYS[1])")
	v, err := e.DebugScript(context.Background(), s, []string{"k"}, []string{"v"}, func(r *engine.DebugRun) engine.Debugger {
		r.OnEnd(func(v engine.Value) {
			ended = v.Text()
			touched = r.Touched()
		})
		return lines{func(_ *engine.Stack, line int) {
			if reached = append(reached, line); line == 3 {
				require.Equal(t, "v", r.Do("get", "k").Text())
				require.Equal(t, "OK", r.Do("set", "other", "w").Text())
				require.True(t, r.Do("nonsense").IsError())
				require.True(t, r.Do().IsError())
			}
		}}
	})
	require.NoError(t, err)
	require.Equal(t, "v", v.Text())
	require.Equal(t, "v", ended)
	require.Equal(t, []int{1, 2, 3}, reached)
	require.Equal(t, []engine.TouchedKey{{Key: "k", Event: "set"}, {Key: "k", Event: "expire"}, {Key: "other", Event: "set"}}, touched)
	v, err = e.Do(context.Background(), "GET", "other")
	require.NoError(t, err)
	require.Equal(t, "w", v.Text())
}

func TestDebugScriptOfASession(t *testing.T) {
	e := virtualEngine(t, 1)
	s, err := e.NewSession()
	require.NoError(t, err)
	_, err = s.Do(context.Background(), "SELECT", 3)
	require.NoError(t, err)
	var touched []engine.TouchedKey
	start := func(r *engine.DebugRun) engine.Debugger {
		r.OnEnd(func(engine.Value) { touched = r.Touched() })
		return lines{}
	}
	_, err = s.DebugScript(context.Background(), engine.NewScript("return redis.call('incr', 'n')"), nil, nil, start)
	require.NoError(t, err)
	require.Equal(t, []engine.TouchedKey{{DB: 3, Key: "n", Event: "incrby"}}, touched)

	_, err = s.DebugScript(context.Background(), engine.NewScript("return redis.call('incr', 'n')").ReadOnly(), nil, nil, start)
	require.ErrorContains(t, err, "Write commands are not allowed from read-only scripts")
}

// randomScript returns a script whose result depends on everything that a repeated run must
// reproduce.
func randomScript(rng *rand.Rand, more ...string) string {
	steps := append(slices.Clone(more), []string{
		"redis.call('spop', 'set')", "redis.call('spop', 'set', 3)", "redis.call('spop', 'ints')", "redis.call('randomkey')",
		"redis.call('srandmember', 'set', 3)", "redis.call('srandmember', 'ints', -3)", "redis.call('hrandfield', 'big', 3)",
		"redis.call('hrandfield', 'h')",
		"redis.call('zrandmember', 'bigz', 2)", "redis.call('time')", "redis.call('xadd', 'x', '*', 'a', 1)", "{tostring(math.random())}",
		"redis.call('scan', 0, 'count', 100)", "redis.call('sscan', 'set', 0)", "redis.call('hscan', 'big', 0)", "redis.call('keys', '*')",
		"redis.call('expire', 's' .. math.random(40), math.random(100))", "redis.call('del', 's' .. math.random(40))",
		"redis.call('set', 'n' .. math.random(200), 1)", "redis.call('set', 's' .. math.random(40), 'x', 'px', 50)",
		"redis.call('sadd', 'set', 'n' .. math.random(200))", "redis.call('srem', 'set', 'm' .. math.random(40))",
		"redis.call('sadd', 'ints', math.random(100))", "redis.call('sadd', 'ints', 'word')",
		"redis.call('hset', 'big', 'n' .. math.random(200), 1)", "redis.call('hdel', 'big', 'f' .. math.random(40))",
		"redis.call('hset', 'h', 'f' .. math.random(60), string.rep('x', math.random(90)))",
		"redis.call('zadd', 'bigz', math.random(), 'n' .. math.random(200))", "redis.call('zpopmin', 'bigz', 2)", "redis.call('zpopmax', 'z')",
		"redis.call('zremrangebyrank', 'bigz', 1, 5)",
		"redis.call('zincrby', 'z', math.random(9), 'm' .. math.random(60))", "redis.call('lpush', 'l', string.rep('e', math.random(3000)))",
		"redis.call('rpop', 'l', 3)", "redis.call('linsert', 'l', 'before', '9', 'nine')",
		"redis.call('rename', 's' .. math.random(2, 9), 'renamed')", "redis.call('copy', 'set', 'copied', 'replace')",
		"redis.call('move', 's' .. math.random(40), 1)",
		"redis.call('swapdb', 0, 1)", "redis.call('flushdb')", "redis.call('flushall')", "redis.call('sinterstore', 'both', 'set', 'set')",
		"redis.call('sort', 'ints', 'alpha', 'store', 'sorted')",
		"redis.call('xtrim', 'x', 'maxlen', '~', 10)", "redis.call('xdel', 'x', '3-1')", "redis.call('pfadd', 'p', math.random(100))",
		"{redis.call('pfcount', 'p')}", "redis.call('setbit', 'bits', math.random(100), 1)",
		"redis.call('append', 's' .. math.random(40), 'tail')", "redis.call('object', 'idletime', 's' .. math.random(40))",
		"redis.call('publish', 'c', 'm')", "redis.call('select', math.random(0, 1))",
		"redis.call('restore', 'r' .. math.random(9), 0, redis.call('dump', 'ints'), 'replace')", "{cjson.encode({1/3})}",
		"cjson.encode_number_precision(math.random(14))", "redis.call('bitfield', 'bits', 'incrby', 'u8', 0, 1)",
		"redis.call('hset', 'h' .. math.random(3), math.random(600), 1)", "redis.call('persist', 's1')",
		"redis.call('xgroup', 'create', 'x', 'g' .. math.random(3), 0)",
		"redis.call('xreadgroup', 'group', 'g1', 'me', 'count', 2, 'streams', 'x', '>')",
		"redis.call('get', 'old' .. math.random(5))", "redis.call('exists', 'old' .. math.random(5))",
		"redis.call('append', 'old' .. math.random(5), 'x')", "redis.call('dbsize')",
	}...)
	var b strings.Builder
	b.WriteString("local out = {}\nlocal function p(f) local ok, v = pcall(f) out[#out + 1] = cmsgpack.pack(ok and v or tostring(v)) end\n")
	for range 5 + rng.IntN(40) {
		step := steps[rng.IntN(len(steps))]
		if strings.Contains(step, "flush") && rng.IntN(4) > 0 {
			continue
		}
		fmt.Fprintf(&b, "p(function() for i = 1, %d do local v = %s; out[#out + 1] = cmsgpack.pack(v) end end)\n", 1+rng.IntN(5), step)
	}
	b.WriteString("redis.call('set', 'trace', table.concat(out))\nreturn out")
	return b.String()
}

// fieldTimes are steps that exist since Redis 8.0.
var fieldTimes = []string{
	"redis.call('hpexpire', 'h', math.random(90), 'fields', 2, 'f' .. math.random(40), 'f' .. math.random(40))",
	"redis.call('hpexpire', 'big', math.random(0, 90), 'fields', 1, 'f' .. math.random(40))",
	"redis.call('hpersist', 'big', 'fields', 1, 'f' .. math.random(40))",
	"redis.call('hpttl', 'h', 'fields', 1, 'f' .. math.random(40))", "redis.call('hgetdel', 'big', 'fields', 1, 'f' .. math.random(40))",
	"redis.call('hsetex', 'h', 'px', 70, 'fields', 1, 'f' .. math.random(40), 1)",
	"redis.call('hgetall', 'h')", "redis.call('hlen', 'big')",
	"redis.call('hset', 'h', 'f' .. math.random(60), string.rep('x', math.random(90)))", "redis.call('copy', 'big', 'h', 'replace')",
}

// outcome is what two runs must agree on.
type outcome struct {
	reply, digest string
	touched       []engine.TouchedKey
	lines         int
	traces        []string // of each run
}

// outcomeOf runs a script on a new engine, once and then the given number of times again.
func outcomeOf(t *testing.T, e *engine.Engine, clock *engine.VirtualClock, script string, again int, config ...string) (o outcome) {
	ctx := context.Background()
	if len(config) > 0 {
		_, err := e.Do(ctx, "CONFIG", "SET", config[0], config[1])
		require.NoError(t, err)
	}
	fill(t, e)
	do(t, e, "DEBUG", "SET-ACTIVE-EXPIRE", 0) // expired keys and fields stay in the keyspace
	for i := range 6 {
		do(t, e, "SET", fmt.Sprint("old", i), 1, "PX", 10)
	}
	if e.Commands().Version() >= "8" {
		do(t, e, "HPEXPIRE", "big", 10, "FIELDS", 3, "f1", "f2", "f3")
		do(t, e, "HPEXPIRE", "h", 10, "FIELDS", 3, "f1", "f2", "f3")
	}
	clock.Advance(20 * time.Millisecond)
	last := strings.Count(script, "\n") + 1
	v, err := e.DebugScript(ctx, engine.NewScript(script), nil, nil, func(r *engine.DebugRun) engine.Debugger {
		o.lines = 0
		r.OnEnd(func(engine.Value) { o.touched = r.Touched() })
		if again > 0 {
			again--
			r.Rewind()
		}
		return lines{func(_ *engine.Stack, line int) {
			if o.lines++; line == last {
				o.traces = append(o.traces, fmt.Sprint(r.Do("get", "trace").Text(), r.Touched()))
			}
		}}
	})
	require.NoError(t, err)
	o.reply = strings.Join(v.Strings(), "\n")
	v, err = e.Do(ctx, "DEBUG", "DIGEST")
	require.NoError(t, err)
	o.digest = v.Text()
	return o
}

func TestARewoundScriptGoesTheSameWay(t *testing.T) {
	for seed := range uint64(40) {
		var config, more []string
		server := ""
		switch seed % 4 {
		case 1:
			config = []string{"maxmemory-policy", "allkeys-lfu"}
		case 2:
			config = []string{"maxmemory", "1gb"} // bytes are counted
		case 3:
			server, more = "8.0", fieldTimes
		}
		script := randomScript(rand.New(rand.NewPCG(seed, 7)), more...)
		run := func(again int) outcome {
			clock := engine.NewVirtualClock(time.UnixMilli(1_700_000_000_000))
			e, err := engine.New(engine.Options{Clock: clock, Rand: rand.NewPCG(seed, seed), Server: server})
			require.NoError(t, err)
			defer e.Close()
			o := outcomeOf(t, e, clock, script, again, config...)
			require.NoError(t, e.Check(context.Background()), "seed %d\n%s", seed, script)
			return o
		}
		again, once := run(3), run(0)
		require.Len(t, again.traces, 4)
		for _, trace := range again.traces {
			require.True(t, again.traces[0] == trace, "seed %d: a run goes another way\n%s", seed, script)
		}
		require.Equal(t, once.lines, again.lines, "seed %d\n%s", seed, script)
		if !strings.Contains(script, "scan'") { // tables of two engines hash differently
			require.Equal(t, once.reply, again.reply, "seed %d\n%s", seed, script)
			require.Equal(t, once.digest, again.digest, "seed %d\n%s", seed, script)
			require.Equal(t, once.touched, again.touched, "seed %d\n%s", seed, script)
		}
	}
}
