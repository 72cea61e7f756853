package goredis_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// embedded returns a client on a new engine. Nothing of them may be left behind.
func embedded(t *testing.T, configure ...func(*redis.Options)) (*redis.Client, *engine.Engine) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	rdb := goredis.NewClient(e, configure...)
	t.Cleanup(func() {
		_ = rdb.Close()
		require.NoError(t, e.Close())
		goleak.VerifyNone(t, before)
	})
	return rdb, e
}

func TestPipelinesAndTransactionsOfAClientInProcess(t *testing.T) {
	ctx := context.Background()
	for _, proto := range []int{2, 3} {
		rdb, _ := embedded(t, func(o *redis.Options) { o.Protocol = proto })
		cmds, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i := range 1000 {
				p.IncrBy(ctx, "n", int64(i))
			}
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, "499500", strconv.FormatInt(cmds[999].(*redis.IntCmd).Val(), 10))

		cmds, err = rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "a", "1", 0)
			p.LPush(ctx, "a", "x")
			p.Incr(ctx, "a")
			return nil
		})
		require.ErrorContains(t, err, "WRONGTYPE")
		require.Equal(t, int64(2), cmds[2].(*redis.IntCmd).Val())

		// 20 callers add one, each by WATCH and a transaction that may fail.
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				for {
					err := rdb.Watch(ctx, func(tx *redis.Tx) error {
						n, err := tx.Get(ctx, "sum").Int()
						if err != nil && !errors.Is(err, redis.Nil) {
							return err
						}
						_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
							p.Set(ctx, "sum", n+1, 0)
							return nil
						})
						return err
					}, "sum")
					if !errors.Is(err, redis.TxFailedErr) {
						if err != nil {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		wg.Wait()
		require.Equal(t, "20", rdb.Get(ctx, "sum").Val())
		m, err := rdb.HGetAll(ctx, "none").Result()
		require.NoError(t, err)
		require.Empty(t, m)
	}
}

func TestPublishAndSubscribeOfAClientInProcess(t *testing.T) {
	ctx := context.Background()
	rdb, e := embedded(t)
	sub := rdb.Subscribe(ctx, "news")
	_, err := sub.Receive(ctx)
	require.NoError(t, err)
	in := sub.Channel()
	for i := range 100 {
		if i%2 == 0 {
			require.Equal(t, int64(1), rdb.Publish(ctx, "news", i).Val())
		} else {
			_, err := e.Do(ctx, "PUBLISH", "news", i)
			require.NoError(t, err)
		}
	}
	for i := range 100 {
		require.Equal(t, strconv.Itoa(i), (<-in).Payload)
	}
	require.NoError(t, sub.Close())
}

func TestCommandsThatWaitOfAClientInProcess(t *testing.T) {
	ctx := context.Background()
	rdb, e := embedded(t)
	got := make(chan []string, 1)
	go func() { got <- rdb.BLPop(ctx, 0, "l").Val() }()
	patience.Until(t, func() bool {
		v, err := e.Do(ctx, "INFO", "clients")
		return err == nil && strings.Contains(v.Text(), "blocked_clients:1")
	})
	require.NoError(t, rdb.RPush(ctx, "l", "x").Err())
	require.Equal(t, []string{"l", "x"}, <-got)

	v, err := rdb.Do(ctx, "BLPOP", "l", "0.01").Result()
	require.ErrorIs(t, err, redis.Nil, "%v", v)

	// A client that leaves does not take elements with it.
	conn := rdb.Conn()
	go func() { got <- conn.BLPop(ctx, 0, "l").Val() }()
	patience.Until(t, func() bool {
		v, err := e.Do(ctx, "INFO", "clients")
		return err == nil && strings.Contains(v.Text(), "blocked_clients:1")
	})
	v2, err := e.Do(ctx, "CLIENT", "KILL", "TYPE", "normal")
	require.NoError(t, err)
	require.NotZero(t, v2.MustInt())
	require.Empty(t, <-got)
	require.NoError(t, conn.Close())
	require.NoError(t, rdb.RPush(ctx, "l", "y").Err())
	require.Equal(t, int64(1), rdb.LLen(ctx, "l").Val())
}

// A group of consumers on a stream, as job queues have it: each entry is handled once, and what a
// consumer that died has left is claimed.
func TestAGroupOfConsumersInProcess(t *testing.T) {
	ctx := context.Background()
	rdb, _ := embedded(t)
	require.NoError(t, rdb.XGroupCreateMkStream(ctx, "s", "g", "0").Err())
	const entries = 500
	var mu sync.Mutex
	handled := map[string]int{}
	var wg sync.WaitGroup
	for w := range 5 {
		wg.Go(func() {
			for {
				res, err := rdb.XReadGroup(ctx, &redis.XReadGroupArgs{
					Group: "g", Consumer: strconv.Itoa(w), Streams: []string{"s", ">"}, Count: 7, Block: 0,
				}).Result()
				if err != nil {
					t.Error(err)
					return
				}
				for _, m := range res[0].Messages {
					if m.Values["end"] != nil {
						rdb.XAdd(ctx, &redis.XAddArgs{Stream: "s", Values: []string{"end", "1"}})
						return
					}
					mu.Lock()
					handled[m.ID]++
					mu.Unlock()
					rdb.XAck(ctx, "s", "g", m.ID)
				}
			}
		})
	}
	for i := range entries {
		require.NoError(t, rdb.XAdd(ctx, &redis.XAddArgs{Stream: "s", Values: []string{"n", strconv.Itoa(i)}}).Err())
	}
	require.NoError(t, rdb.XAdd(ctx, &redis.XAddArgs{Stream: "s", Values: []string{"end", "1"}}).Err())
	wg.Wait()
	require.Len(t, handled, entries)
}

func TestScriptsAndErrorsOfAClientInProcess(t *testing.T) {
	ctx := context.Background()
	rdb, e := embedded(t)
	s := redis.NewScript("return {KEYS[1], ARGV[1], redis.call('INCR', KEYS[1])}")
	for i := range 2 {
		v, err := s.Run(ctx, rdb, []string{"k"}, "a").Result()
		require.NoError(t, err)
		require.Equal(t, []any{"k", "a", int64(i + 1)}, v)
	}
	require.ErrorContains(t, rdb.LPush(ctx, "k", 1).Err(), "WRONGTYPE")
	require.NoError(t, rdb.Do(ctx, "CLIENT", "SETNAME", "me").Err())
	require.NoError(t, e.Close())
	require.Error(t, rdb.Get(ctx, "k").Err())
}

// Many clients of one engine at the same time, and connections that come and go.
func TestManyCallersOfAClientInProcess(t *testing.T) {
	ctx := context.Background()
	rdb, e := embedded(t, func(o *redis.Options) { o.PoolSize, o.ConnMaxLifetime = 8, time.Millisecond })
	var wg sync.WaitGroup
	for w := range 32 {
		wg.Go(func() {
			for i := range 20 {
				k := fmt.Sprint("k", w, ":", i)
				if err := rdb.Set(ctx, k, i, 0).Err(); err != nil {
					t.Error(err)
				}
				if v := rdb.Get(ctx, k).Val(); v != strconv.Itoa(i) {
					t.Errorf("%s: %q", k, v)
				}
			}
		})
	}
	wg.Wait()
	v, err := e.Do(ctx, "DBSIZE")
	require.NoError(t, err)
	require.Equal(t, int64(640), v.MustInt())
}

// Client-side caching by hand: the server reports which keys have changed.
func TestTrackingOfAClientInProcess(t *testing.T) {
	ctx := context.Background()
	rdb, _ := embedded(t, func(o *redis.Options) { o.Protocol = 2 })
	sub := rdb.Subscribe(ctx, "__redis__:invalidate")
	_, err := sub.Receive(ctx)
	require.NoError(t, err)
	var id int64
	patience.Until(t, func() bool {
		for line := range strings.Lines(rdb.ClientList(ctx).Val()) {
			if strings.Contains(line, " sub=1 ") {
				_, err := fmt.Sscanf(line, "id=%d", &id)
				return err == nil
			}
		}
		return false
	})
	conn := rdb.Conn()
	require.NoError(t, conn.Do(ctx, "CLIENT", "TRACKING", "ON", "REDIRECT", id).Err())
	require.NoError(t, rdb.Set(ctx, "k", "1", 0).Err())
	require.Equal(t, "1", conn.Get(ctx, "k").Val())
	require.NoError(t, rdb.Set(ctx, "k", "2", 0).Err())
	m := <-sub.Channel()
	require.Equal(t, []string{"k"}, m.PayloadSlice)
	require.NoError(t, conn.Close())
	require.NoError(t, sub.Close())
}

// A call ends at the deadline of its context, whatever the engine is doing.
func TestDeadlinesOfAClientInProcess(t *testing.T) {
	e, err := engine.New(engine.Options{Config: map[string]string{"busy-reply-threshold": "1"}})
	require.NoError(t, err)
	defer e.Close()
	rdb := goredis.NewClient(e, func(o *redis.Options) { o.MaxRetries = -1 })
	defer rdb.Close()
	soon := func() context.Context {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	for name, call := range map[string]func(ctx context.Context) error{
		"a script that does not end": func(ctx context.Context) error { return rdb.Eval(ctx, "while true do end", nil).Err() },
		"a pipeline": func(ctx context.Context) error {
			_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error { return p.Eval(ctx, "while true do end", nil).Err() })
			return err
		},
		"a command that waits": func(ctx context.Context) error { return rdb.BLPop(ctx, 0, "nokey").Err() },
	} {
		done := make(chan error, 1)
		go func() { done <- call(soon()) }()
		var timeout net.Error
		require.ErrorAs(t, patience.Receive(t, done), &timeout, name)
		require.True(t, timeout.Timeout(), name)
		_, err := e.DoStrings(context.Background(), "SCRIPT", "KILL")
		if name == "a command that waits" {
			require.ErrorContains(t, err, "NOTBUSY")
		}
	}
	// The last script may end a moment after SCRIPT KILL.
	patience.Until(t, func() bool { return rdb.Ping(context.Background()).Err() == nil }, "the engine stays busy")
}
