package engine_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

func TestAViewShowsKeysWithTheirValues(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_000_000))
	e, ctx := newEngine(t, engine.Options{Clock: clock}), context.Background()
	for _, command := range [][]any{
		{"SET", "string", "a\x00b"}, {"RPUSH", "list", "1", "2"}, {"SADD", "set", "one"}, {"HSET", "hash", "f", "v"},
		{"ZADD", "zset", "2.5", "b", "-inf", "a"}, {"XADD", "stream", "5-1", "f", "v"}, {"PEXPIRE", "list", "250"},
		{"SET", "short", "x", "PX", "5"},
	} {
		_, err := e.Do(ctx, command...)
		require.NoError(t, err)
	}
	var kept engine.Value
	seen := map[string]string{}
	require.NoError(t, e.View(ctx, func(ks engine.Keyspace) error {
		assert.Equal(t, 16, ks.Databases())
		assert.Equal(t, 7, ks.Len(0))
		assert.Zero(t, ks.Len(1))
		assert.True(t, ks.Now().Equal(clock.Now()))
		for k := range ks.Keys(0) {
			seen[k.Name()] = k.Type() + " " + k.Value().String()
		}
		list, ok := ks.Key(0, "list")
		assert.True(t, ok)
		assert.Equal(t, "hashtable", must(ks.Key(0, "set")).Encoding())
		assert.Equal(t, 2, list.Len())
		assert.True(t, list.ExpireAt().Equal(time.UnixMilli(1_000_250)))
		assert.True(t, must(ks.Key(0, "set")).ExpireAt().IsZero())
		_, ok = ks.Key(0, "missing")
		assert.False(t, ok)
		kept = list.Value()
		return nil
	}))
	require.Equal(t, map[string]string{
		"string": `string "a\x00b"`, "list": "list 1) \"1\"\n2) \"2\"", "set": `set 1~ "one"`, "hash": `hash 1# "f" => "v"`,
		"zset":   "zset 1# \"a\" => (double) -inf\n2# \"b\" => (double) 2.5",
		"stream": "stream 1) 1) \"5-1\"\n   2) 1) \"f\"\n      2) \"v\"", "short": `string "x"`,
	}, seen)
	_, err := e.Do(ctx, "DEL", "list")
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2"}, kept.Strings())
}

func must(k engine.Key, ok bool) engine.Key {
	if !ok {
		panic("no such key")
	}
	return k
}

func TestAViewThatEndsItsGoroutineEndsTheCallersAndNotTheEngine(t *testing.T) {
	e, ctx := newEngine(t, engine.Options{}), context.Background()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = e.View(ctx, func(engine.Keyspace) error { runtime.Goexit(); return nil })
		t.Error("View has returned")
	}()
	<-ended
	require.ErrorContains(t, e.View(ctx, func(engine.Keyspace) error { panic("stop") }), "stop")
	require.ErrorIs(t, e.View(ctx, func(engine.Keyspace) error {
		_, err := e.Do(ctx, "PING")
		return err
	}), engine.ErrReentrant)
	_, err := e.Do(ctx, "PING")
	require.NoError(t, err)
}
