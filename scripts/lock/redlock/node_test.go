package redlock

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/go-redsync/redsync/v4/redis"
	redsyncgoredis "github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
)

// TestConnIsThatOfRedsync compares the connection with redsync's own, for go-redis.
func TestConnIsThatOfRedsync(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		ours := &node{server: &server{c: p, scripts: &sync.Map{}}}
		answers := play(t, ours)
		require.False(t, ours.failed.Load())
		require.Equal(t, []any{
			"", true, "v", time.Duration(-1), false, "v", true, true, int64(7), "text", nil, time.Duration(-2),
		}, answers)
		if p.Redis != nil {
			p.Do(t, "DEL", "{k}a")
			p.Do(t, "DEL", "{k}b")
			require.Equal(t, play(t, redsyncgoredis.NewPool(p.Redis)), answers)
		}
		conn, err := ours.Get(ctx)
		require.NoError(t, err)
		_, err = conn.Eval(redis.NewScript(1, "return redis.call('LPUSH', KEYS[1], 'x')", ""), "{k}a")
		require.ErrorIs(t, err, engine.ErrWrongType)
		require.True(t, ours.failed.Load())
	})
}

// play calls what a connection has, and returns what it answers.
func play(t *testing.T, pool redis.Pool) (answers []any) {
	t.Helper()
	conn, err := pool.Get(context.Background())
	require.NoError(t, err)
	note := func(v any, err error) {
		require.NoError(t, err)
		answers = append(answers, v)
	}
	text := func(v string, err error) { note(v, err) }
	flag := func(v bool, err error) { note(v, err) }
	text(conn.Get("{k}a"))
	flag(conn.Set("{k}a", "v"))
	text(conn.Get("{k}a"))
	ttl, err := conn.PTTL("{k}a")
	note(ttl, err)
	flag(conn.SetNX("{k}a", "w", time.Minute))
	text(conn.Get("{k}a"))
	flag(conn.SetNX("{k}b", "w", time.Minute))
	ttl, err = conn.PTTL("{k}b")
	note(ttl > 50*time.Second && ttl <= time.Minute, err)
	eval := func(src string) { note(conn.Eval(redis.NewScript(1, src, ""), "{k}b", "text", 7)) }
	eval("return tonumber(ARGV[2])")
	eval("return ARGV[1]")
	eval("redis.call('DEL', KEYS[1]) return false")
	ttl, err = conn.PTTL("{k}b")
	note(ttl, err)
	require.NoError(t, conn.Close())
	return answers
}

func TestScriptLoadReturnsTheHash(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	n := &node{server: &server{c: e, scripts: &sync.Map{}}}
	conn, err := n.Get(context.Background())
	require.NoError(t, err)
	s := redis.NewScript(0, "return 1", "")
	require.NoError(t, conn.ScriptLoad(s))
	require.Equal(t, engine.NewScript(s.Src).SHA(), s.Hash)
	require.NoError(t, e.Close())
	require.True(t, errors.Is(conn.ScriptLoad(s), engine.ErrClosed))
}
