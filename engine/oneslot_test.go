package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// With OneSlot, a normal engine refuses scripts that would fail on a cluster.
func ExampleOptions_oneSlot() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{OneSlot: true})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	e.Do(ctx, "MSET", "stock", 5, "users", "") // commands are not restricted
	_, err = e.Eval(ctx, `return redis.call('DECR', KEYS[1])`, []string{"stock", "users"})
	fmt.Println(err)
	_, err = e.Eval(ctx, `return redis.call('DECR', 'users')`, []string{"stock"})
	fmt.Println(err)
	v, err := e.Eval(ctx, `redis.call('SET', KEYS[2], 'ann') return redis.call('DECR', KEYS[1])`, []string{"{1}stock", "{1}users"})
	fmt.Println(v.MustInt(), err)
	// Output:
	// CROSSSLOT Keys in request don't hash to the same slot
	// ERR Script attempted to access keys that do not hash to the same slot script: c55fa845aca747bb2e96c38f6fca32b64af641e6, on @user_script:1.
	// -1 <nil>
}

func TestOneSlotLeavesCommandsAlone(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, engine.Options{OneSlot: true})
	for _, args := range [][]any{{"MSET", "a", 1, "b", 2}, {"MGET", "a", "b"}, {"RENAME", "a", "c"}, {"SWAPDB", 0, 1}, {"SWAPDB", 1, 0},
		{"SORT", "l", "BY", "w*"}} {
		_, err := e.Do(ctx, args...)
		require.NoError(t, err, "%v", args)
	}
	_, err := e.Do(ctx, "CLUSTER", "INFO")
	require.EqualError(t, err, "ERR This instance has cluster support disabled")
	s, err := e.NewSession()
	require.NoError(t, err)
	_, err = s.Do(ctx, "SELECT", 3)
	require.NoError(t, err)
	_, err = s.Do(ctx, "MULTI")
	require.NoError(t, err)
	for _, k := range []string{"a", "b"} {
		_, err = s.Do(ctx, "INCR", k)
		require.NoError(t, err)
	}
	v, err := s.Do(ctx, "EXEC")
	require.NoError(t, err)
	require.Len(t, v.Slice(), 2)
}

// Each script of a transaction is checked separately. A script that declares keys of several slots
// makes the transaction fail, as on a cluster.
func TestOneSlotInTransactions(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, engine.Options{OneSlot: true})
	s, err := e.NewSession()
	require.NoError(t, err)
	do := func(args ...any) (engine.Value, error) { return s.Do(ctx, args...) }
	_, err = do("MULTI")
	require.NoError(t, err)
	for _, k := range []string{"a", "b"} {
		_, err = do("EVAL", "return redis.call('INCR', KEYS[1])", 1, k)
		require.NoError(t, err)
		_, err = do("EVAL", "return redis.call('INCR', ARGV[1])", 0, k)
		require.NoError(t, err)
	}
	_, err = do("EVAL", "return redis.call('INCR', 'b')", 1, "a")
	require.NoError(t, err)
	v, err := do("EXEC")
	require.NoError(t, err)
	list := v.Slice()
	require.Len(t, list, 5)
	for i, want := range []int64{1, 2, 1, 2} {
		require.Equal(t, want, list[i].MustInt())
	}
	require.ErrorContains(t, list[4].Err(), "do not hash to the same slot")

	_, err = do("MULTI")
	require.NoError(t, err)
	_, err = do("EVAL", "return 1", 2, "a", "b")
	require.EqualError(t, err, "CROSSSLOT Keys in request don't hash to the same slot")
	_, err = do("EXEC")
	require.ErrorIs(t, err, engine.ErrExecAbort)
}

// Scripts that declare flags (#!lua, functions) get the same answers as on the only node of a
// cluster, whose answers another test compares with redis-server.
func TestOneSlotIsThatOfAClusterForScripts(t *testing.T) {
	ctx := context.Background()
	one := newEngine(t, engine.Options{OneSlot: true})
	cluster := newEngine(t, engine.Options{Cluster: true})
	strict := newEngine(t, engine.Options{Cluster: true, OneSlot: true})
	lib := "#!lua name=l\n"
	for i, flags := range []string{"", "'allow-cross-slot-keys'", "'no-writes'"} {
		lib += fmt.Sprintf("redis.register_function{function_name='f%d', flags={%s}, callback=function(keys, args) return "+
			"redis.pcall(unpack(args)) end}\n", i, flags)
	}
	for _, e := range []*engine.Engine{one, cluster, strict} {
		_, err := e.Do(ctx, "FUNCTION", "LOAD", lib)
		require.NoError(t, err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	keys := []string{"a", "{a}1", "b", "{b}1", "c"}
	key := func() string { return keys[rng.IntN(len(keys))] }
	for range 5000 {
		declared := []any{}
		for range rng.IntN(3) {
			declared = append(declared, key())
		}
		call := [][]any{{"INCR", key()}, {"MGET", key(), key()}, {"RENAME", key(), key()}, {"GET", key()}, {"PING"}}[rng.IntN(5)]
		var args []any
		if rng.IntN(2) == 0 {
			args = []any{"FCALL", fmt.Sprint("f", rng.IntN(3)), len(declared)}
		} else {
			flags := []string{"", " flags=allow-cross-slot-keys", " flags=no-writes"}[rng.IntN(3)]
			args = []any{"EVAL", "#!lua" + flags + "\nreturn redis.pcall(unpack(ARGV))", len(declared)}
		}
		args = append(append(args, declared...), call...)
		want, werr := cluster.Do(ctx, args...)
		for _, e := range []*engine.Engine{one, strict} {
			got, gerr := e.Do(ctx, args...)
			require.Equal(t, werr, gerr, "%v", args)
			require.Equal(t, want.Text(), got.Text(), "%v", args)
			require.Equal(t, want.Strings(), got.Strings(), "%v", args)
		}
	}
	_, err := cluster.Eval(ctx, "return redis.call('GET', 'b')", []string{"a"})
	require.NoError(t, err)
	for _, e := range []*engine.Engine{one, strict} {
		_, err = e.Eval(ctx, "return redis.call('GET', 'b')", []string{"a"})
		require.ErrorContains(t, err, "do not hash to the same slot")
	}
}
