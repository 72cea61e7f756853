package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// all returns a value with all nested values, as text.
func all(v engine.Value) string {
	if els := v.Slice(); els != nil {
		texts := make([]string, len(els))
		for i, el := range els {
			texts[i] = all(el)
		}
		return fmt.Sprint(texts)
	}
	return fmt.Sprintf("%q", v.Text())
}

func do(t *testing.T, d interface {
	Do(context.Context, ...any) (engine.Value, error)
}, args ...any) engine.Value {
	t.Helper()
	v, err := d.Do(context.Background(), args...)
	require.NoError(t, err, "%v", args)
	return v
}

func fork(t *testing.T, e *engine.Engine) *engine.Engine {
	t.Helper()
	f, err := e.Fork()
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, f.Check(context.Background()))
		require.NoError(t, f.Close())
	})
	return f
}

// view returns everything that can be observed of a keyspace, with the orders of tables and the
// next random choices.
const view = `
	local out = {redis.call('scan', 0, 'count', 1000), redis.call('dbsize'), redis.call('keys', '*')}
	for _, k in ipairs(redis.call('keys', '*')) do
		out[#out + 1] = {k, redis.call('type', k).ok, redis.call('object', 'encoding', k), redis.call('pttl', k), redis.call('dump', k), redis.call('object', 'idletime', k)}
	end
	for _, k in ipairs({'set', 'ints'}) do out[#out + 1] = {redis.call('sscan', k, 0, 'count', 1000), redis.call('spop', k, 5)} end
	out[#out + 1] = redis.call('hscan', 'big', 0, 'count', 1000)
	out[#out + 1] = redis.call('zscan', 'bigz', 0, 'count', 1000)
	out[#out + 1] = {redis.call('randomkey'), redis.call('zrandmember', 'bigz', 3), redis.call('hrandfield', 'big', 3), tostring(math.random()), cjson.encode({1 / 3})}
	return out`

func TestAForkGoesOnAsItsEngineWould(t *testing.T) {
	for seed := range uint64(20) {
		e := virtualEngine(t, seed)
		fill(t, e)
		do(t, e, "CONFIG", "SET", "hash-max-listpack-entries", 3, "maxmemory-policy", "allkeys-lru")
		do(t, e, "EVAL", randomScript(rand.New(rand.NewPCG(seed, 9))), 0)
		do(t, e, "EVAL",
			"cjson.encode_number_precision(4) math.random() redis.call('flushdb') redis.call('swapdb', 0, 1) redis.call('swapdb', 0, 1)", 0)
		fill(t, e)
		f := fork(t, e)
		require.Equal(t, all(do(t, e, "EVAL", view, 0)), all(do(t, f, "EVAL", view, 0)), "seed %d", seed)
		require.Equal(t, do(t, e, "DEBUG", "DIGEST").Text(), do(t, f, "DEBUG", "DIGEST").Text())
		require.Equal(t, "3", do(t, f, "CONFIG", "GET", "hash-max-listpack-entries").Slice()[1].Text())
	}
}

func TestAForkIsAnEngineOfItsOwn(t *testing.T) {
	e := virtualEngine(t, 1)
	fill(t, e)
	do(t, e, "FUNCTION", "LOAD", "#!lua name=lib\nlocal n = 0\nredis.register_function('f', function() n = n + 1 return n end)")
	do(t, e, "SCRIPT", "LOAD", "return 1")
	do(t, e, "ACL", "SETUSER", "ann", "on", ">pw", "~a*", "+@read")
	before := do(t, e, "DEBUG", "DIGEST").Text()
	f := fork(t, e)
	require.Equal(t, before, do(t, f, "DEBUG", "DIGEST").Text())
	require.Equal(t, int64(1), do(t, f, "FCALL", "f", 0).MustInt())
	require.Equal(t, int64(1), do(t, f, "EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", 0).MustInt())
	require.Equal(t, all(do(t, e, "ACL", "LIST")), all(do(t, f, "ACL", "LIST")))

	for _, args := range [][]any{{"APPEND", "s1", "x"}, {"SADD", "set", "x"}, {"HSET", "big", "f1", "x"}, {"HSET", "h", "f1", "x"},
		{"ZADD", "bigz", 1, "x"},
		{"ZADD", "z", 1, "x"}, {"RPUSH", "l", "x"}, {"XADD", "x", "*", "x", "x"}, {"SADD", "ints", 7777}, {"CONFIG", "SET", "maxmemory", 0},
		{"ACL", "DELUSER", "ann"}, {"SCRIPT", "FLUSH"}} {
		do(t, f, args...)
	}
	require.Equal(t, before, do(t, e, "DEBUG", "DIGEST").Text())
	require.Equal(t, "s1", do(t, e, "KEYS", "s1").Strings()[0])
	require.NoError(t, e.Check(context.Background()))
	require.Len(t, do(t, e, "ACL", "LIST").Slice(), 2)
	do(t, e, "FLUSHALL")
	require.Equal(t, "1x", do(t, f, "GET", "s1").Text())
}

func TestForkOfASession(t *testing.T) {
	e := virtualEngine(t, 1)
	do(t, e, "ACL", "SETUSER", "ann", "on", ">pw", "~a*", "+@all")
	s, err := e.NewSession()
	require.NoError(t, err)
	do(t, s, "AUTH", "ann", "pw")
	do(t, s, "SELECT", 5)
	do(t, s, "SET", "a", 1)
	f, fs, err := s.Fork()
	require.NoError(t, err)
	defer f.Close()
	require.Equal(t, "1", do(t, fs, "GET", "a").Text())
	_, err = fs.Do(context.Background(), "GET", "b")
	require.ErrorContains(t, err, "NOPERM")
}

func TestAForkFollowsTheClock(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_700_000_000_000))
	e, err := engine.New(engine.Options{Clock: clock})
	require.NoError(t, err)
	defer e.Close()
	do(t, e, "SET", "k", 1, "EX", 5)
	f := fork(t, e)
	clock.Advance(6 * time.Second)
	require.Equal(t, int64(0), do(t, f, "DBSIZE").MustInt())
}

func TestForkOfAClosedEngine(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	require.NoError(t, e.Close())
	_, err = e.Fork()
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = e.Snapshot()
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = e.InterceptScripts(func(engine.ScriptCall) func(*engine.DebugRun) engine.Debugger { return nil })
	require.ErrorIs(t, err, engine.ErrClosed)
}

func TestForkOfAShard(t *testing.T) {
	c, err := engine.NewCluster(2, engine.Options{})
	require.NoError(t, err)
	defer c.Close()
	e := c.Shard("a")
	do(t, e, "SET", "a", 1)
	f := fork(t, e)
	require.Equal(t, "1", do(t, f, "GET", "a").Text())
	require.Equal(t, all(do(t, e, "CLUSTER", "SLOTS")), all(do(t, f, "CLUSTER", "SLOTS")))
	require.Equal(t, int64(1), do(t, f, "CLUSTER", "COUNTKEYSINSLOT", engine.Slot("a")).MustInt())
}

// A fork can have a clock of its own; keys keep the times at which they expire.
func TestForkWithClock(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, engine.Options{Clock: engine.NewVirtualClock(time.UnixMilli(1000))})
	_, err := e.DoStrings(ctx, "SET", "k", "v", "PX", "500")
	require.NoError(t, err)
	clock := engine.NewVirtualClock(time.UnixMilli(1000))
	fork, err := e.ForkWithClock(clock)
	require.NoError(t, err)
	defer fork.Close()
	clock.Advance(600 * time.Millisecond)
	for on, want := range map[*engine.Engine]int64{e: 500, fork: -2} {
		v, err := on.DoStrings(ctx, "PTTL", "k")
		require.NoError(t, err)
		require.Equal(t, want, v.MustInt())
	}
}

// The scripts of a fork are scripts also if its engine has none any more.
func TestForkAfterScriptFlush(t *testing.T) {
	e := virtualEngine(t, 1)
	do(t, e, "EVAL", "cjson.encode_number_precision(3) return 1", 0)
	do(t, e, "SCRIPT", "FLUSH")
	f := fork(t, e)
	const kinds = "return type(redis.register_function) .. type(redis.call) .. cjson.encode({1/3})"
	require.Equal(t, do(t, e, "EVAL", kinds, 0).Text(), do(t, f, "EVAL", kinds, 0).Text())
}
