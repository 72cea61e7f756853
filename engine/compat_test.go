package engine

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCompatReportsItsVersion(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ compat, version, number string }{
		{"", "7.0.15", "458767"}, {"7.0", "7.0.15", "458767"}, {"7.4", "7.4.4", "459780"}, {"8.0", "8.0.2", "524290"},
	} {
		e, err := New(Options{Compat: c.compat})
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

func TestCompatOfNoVersionIsRefused(t *testing.T) {
	_, err := New(Options{Compat: "6.2"})
	require.EqualError(t, err, `redmoon: option Compat: "6.2" is not one of 7.0, 7.4 and 8.0`)
}

func TestCommandsOfLaterVersionsDoNotExist(t *testing.T) {
	ctx := context.Background()
	known := func(compat string, args ...any) bool {
		e, err := New(Options{Compat: compat})
		require.NoError(t, err)
		defer e.Close()
		v, err := e.Do(ctx, "COMMAND", "INFO", args[0])
		require.NoError(t, err)
		_, callErr := e.Do(ctx, args...)
		_, inScript := e.Eval(ctx, "return redis.call(unpack(ARGV))", nil, args...)
		require.Equal(t, v.Slice()[0].IsNil(), callErr != nil, "%s %v", compat, callErr)
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
		for _, compat := range []string{"7.0", "7.4", "8.0"} {
			require.Equal(t, compat >= c.first, known(compat, c.args...), "%s %v", compat, c.args)
		}
	}
}

func TestFieldsExpireByTheClock(t *testing.T) {
	ctx := context.Background()
	clock := NewVirtualClock(time.Unix(1_000_000, 0))
	e, err := New(Options{Compat: "7.4", Clock: clock})
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
