package engine

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAnEngineReportsItsServer(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ server, version, number string }{
		{"", "7.0.15", "458767"}, {"7.0", "7.0.15", "458767"}, {"redis-7.4", "7.4.4", "459780"}, {"8.0", "8.0.2", "524290"},
	} {
		e, err := New(Options{Server: c.server})
		require.NoError(t, err)
		v, err := e.Eval(ctx, "return redis.REDIS_VERSION .. ' ' .. redis.REDIS_VERSION_NUM", nil)
		require.NoError(t, err)
		require.Equal(t, c.version+" "+c.number, v.Text())
		v, err = e.Do(ctx, "INFO", "server")
		require.NoError(t, err)
		require.Contains(t, v.Text(), "redis_version:"+c.version+"\r\n")
		s, err := e.NewSession()
		require.NoError(t, err)
		v, err = s.Do(ctx, "HELLO")
		require.NoError(t, err)
		require.Equal(t, c.version, v.Slice()[3].Text())
		require.NoError(t, e.Close())
	}
}

func TestAnUnknownServerIsRefused(t *testing.T) {
	for _, o := range []Options{{Server: "6.2"}, {Compat: "6.2"}} {
		_, err := New(o)
		require.EqualError(t, err, `redmoon: option Server: "6.2" is not one of `+ServerNames())
	}
}

func TestCompatIsAnOlderNameOfServer(t *testing.T) {
	for _, o := range []Options{{Compat: "8.0"}, {Server: "redis-8.0", Compat: "7.4"}} {
		e, err := New(o)
		require.NoError(t, err)
		require.Equal(t, "8.0.2", e.Commands().Version())
		require.NoError(t, e.Close())
	}
}

func TestCommandsOfLaterVersionsDoNotExist(t *testing.T) {
	ctx := context.Background()
	known := func(server string, args ...any) bool {
		e, err := New(Options{Server: server})
		require.NoError(t, err)
		defer e.Close()
		v, err := e.Do(ctx, "COMMAND", "INFO", args[0])
		require.NoError(t, err)
		_, callErr := e.Do(ctx, args...)
		_, inScript := e.Eval(ctx, "return redis.call(unpack(ARGV))", nil, args...)
		require.Equal(t, v.Slice()[0].IsNil(), callErr != nil, "%s %v", server, callErr)
		require.Equal(t, callErr == nil, inScript == nil)
		return callErr == nil
	}
	for _, c := range []struct {
		first string // version that has the command
		args  []any
	}{
		{"7.0", []any{"HGET", "h", "f"}},
		{"7.4", []any{"HEXPIRE", "h", 10, "FIELDS", 1, "f"}},
		{"7.4", []any{"HTTL", "h", "FIELDS", 1, "f"}},
		{"8.0", []any{"HGETDEL", "h", "FIELDS", 1, "f"}},
	} {
		for _, server := range []string{"7.0", "7.4", "8.0"} {
			require.Equal(t, server >= c.first, known(server, c.args...), "%s %v", server, c.args)
		}
	}
}

func TestFieldsExpireByTheClock(t *testing.T) {
	ctx := context.Background()
	clock := NewVirtualClock(time.Unix(1_000_000, 0))
	e, err := New(Options{Server: "7.4", Clock: clock})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.Do(ctx, "HSET", "h", "a", 1, "b", 2)
	require.NoError(t, err)
	_, err = e.Do(ctx, "HEXPIRE", "h", 10, "FIELDS", 1, "a")
	require.NoError(t, err)
	length := func() int64 {
		v, err := e.Do(ctx, "HLEN", "h")
		require.NoError(t, err)
		return v.MustInt()
	}
	clock.Advance(10 * time.Second)
	require.Equal(t, int64(2), length())
	clock.Advance(time.Millisecond)
	require.Equal(t, int64(1), length())
}
