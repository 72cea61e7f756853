package everywhere_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/debugger/dap"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/resp"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
	"github.com/redmoon-lua/redmoon/scripts/lock"
)

// TestBubblesAndOrdinaryTestsAlternate runs each public package that has goroutines in bubbles of
// testing/synctest and outside them, in turn and at the same time. Anything that is made in a
// bubble and used outside it, such as a pooled channel or timer, ends the process.
func TestBubblesAndOrdinaryTestsAlternate(t *testing.T) {
	programs := []struct {
		name string
		run  func(t *testing.T)
	}{
		{"calls", callAnEngine}, {"waits", waitInAnEngine}, {"messages", receiveMessages}, {"cluster", useACluster},
		{"redmoontest", useAVirtualClock},
		{"resp", talkRESP}, {"goredis", useGoRedis}, {"debugger", debugAScript}, {"dap", talkDAP}, {"lock", waitForALock},
		{"delayqueue", runAQueue},
	}
	for round := range 3 {
		for _, p := range programs {
			t.Run(fmt.Sprintf("%d/%s/bubble", round, p.name), func(t *testing.T) { synctest.Test(t, p.run) })
			t.Run(fmt.Sprintf("%d/%s/ordinary", round, p.name), p.run)
		}
	}
	t.Run("parallel", func(t *testing.T) {
		for round := range 4 {
			for _, p := range programs {
				t.Run(fmt.Sprintf("%d/%s/bubble", round, p.name), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, p.run)
				})
				t.Run(fmt.Sprintf("%d/%s/ordinary", round, p.name), func(t *testing.T) {
					t.Parallel()
					p.run(t)
				})
			}
		}
	})
}

func newEngine(t *testing.T) *engine.Engine {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// together calls f n times at the same time.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func callAnEngine(t *testing.T) {
	e, ctx := newEngine(t), context.Background()
	together(8, func(i int) {
		for range 20 {
			_, err := e.Eval(ctx, "return redis.call('INCR', KEYS[1])", []string{"hits"})
			if err == nil {
				_, err = e.Pipeline().Do("INCR", "hits").Do("PING").Exec(ctx)
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	v, err := e.Do(ctx, "GET", "hits")
	require.NoError(t, err)
	require.Equal(t, int64(320), v.MustInt())
	require.NoError(t, e.Check(ctx))
}

func waitInAnEngine(t *testing.T) {
	e := newEngine(t)
	together(4, func(i int) {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		if _, err := e.Do(ctx, "BLPOP", fmt.Sprint("none", i), 0); err != context.DeadlineExceeded {
			t.Error(err)
		}
	})
	v, err := e.Do(context.Background(), "BLPOP", "none", "0.02")
	require.NoError(t, err)
	require.True(t, v.IsNil())
}

func receiveMessages(t *testing.T) {
	e, ctx := newEngine(t), context.Background()
	s, err := e.NewSession()
	require.NoError(t, err)
	require.NoError(t, s.Subscribe(ctx, "news"))
	for range 3 {
		_, err = e.Do(ctx, "PUBLISH", "news", "hello")
		require.NoError(t, err)
		require.Equal(t, "hello", (<-s.Messages()).Payload)
	}
	require.NoError(t, s.Close())
	_, open := <-s.Messages()
	require.False(t, open)
}

func useACluster(t *testing.T) {
	c, err := engine.NewCluster(3, engine.Options{})
	require.NoError(t, err)
	p := c.Pipeline()
	for i := range 30 {
		p.Do("SET", fmt.Sprint("key", i), i)
	}
	_, err = p.Exec(context.Background())
	require.NoError(t, err)
	require.NoError(t, c.Close())
}

func useAVirtualClock(t *testing.T) {
	e := redmoontest.New(t)
	e.MustDo("SET", "k", "v", "PX", 10)
	e.Advance(time.Second)
	require.Empty(t, e.Keyspace())
}

func talkRESP(t *testing.T) {
	s := resp.NewServer(newEngine(t), resp.Options{})
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	together(4, func(int) {
		nc, err := s.Dial()
		if err != nil {
			t.Error(err)
			return
		}
		defer nc.Close()
		_ = nc.SetDeadline(patience.Deadline())
		_, _ = io.WriteString(nc, "PING\r\nBLPOP none 0.01\r\nPING\r\n")
		r := bufio.NewReader(nc)
		for _, want := range []string{"+PONG\r\n", "*-1\r\n", "+PONG\r\n"} {
			if line, err := r.ReadString('\n'); line != want {
				t.Error(line, err)
			}
		}
	})
}

// Outside a bubble there are more callers than connections. go-redis makes them wait, with pooled
// timers.
func useGoRedis(t *testing.T) {
	e, ctx := newEngine(t), context.Background()
	c := goredis.NewClient(e)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	together(100, func(i int) {
		for range 5 {
			if err := c.Incr(ctx, "n").Err(); err != nil {
				t.Error(err)
			}
		}
	})
	require.ErrorIs(t, c.Do(ctx, "BLPOP", "none", 0.01).Err(), redis.Nil)
	require.Equal(t, "500", c.Get(ctx, "n").Val())
	sub := c.Subscribe(ctx, "news")
	_, err := sub.Receive(ctx)
	require.NoError(t, err)
	require.NoError(t, c.Publish(ctx, "news", "hello").Err())
	require.Equal(t, "hello", (<-sub.Channel()).Payload)
	require.NoError(t, sub.Close())
}

func debugAScript(t *testing.T) {
	script := engine.NewScript("local n = 1\nn = n + redis.call('INCR', KEYS[1])\nreturn n")
	s, err := debugger.Start(context.Background(), newEngine(t), debugger.Target{Script: script, Keys: []string{"k"}},
		debugger.Options{StopOnEntry: true})
	require.NoError(t, err)
	defer s.Close()
	var reply engine.Value
	for ev := range s.Events() {
		switch ev := ev.(type) {
		case debugger.Stopped:
			require.NoError(t, s.StepIn())
		case debugger.Ended:
			reply = ev.Reply
		}
	}
	require.Equal(t, int64(2), reply.MustInt())
}

func talkDAP(t *testing.T) {
	s := dap.NewServer(dap.Options{Engine: newEngine(t)})
	t.Cleanup(s.Close)
	near, far := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.Background(), far, far) }()
	request := `{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"redmoon"}}`
	_, err := fmt.Fprintf(near, "Content-Length: %d\r\n\r\n%s", len(request), request)
	require.NoError(t, err)
	line, err := bufio.NewReader(near).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "Content-Length")
	require.NoError(t, near.Close())
	<-ended
}

func waitForALock(t *testing.T) {
	e, ctx := newEngine(t), context.Background()
	l, err := lock.New(e, "job", lock.Options{Watchdog: true, TTL: time.Minute})
	require.NoError(t, err)
	together(6, func(int) {
		lease, err := l.Acquire(ctx)
		if err == nil {
			work, cancel := lease.Context(ctx)
			defer cancel()
			err = work.Err()
		}
		if err == nil {
			_, err = lease.Release(ctx)
		}
		if err != nil {
			t.Error(err)
		}
	})
}

func runAQueue(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	q, err := delayqueue.New(newEngine(t), "orders", delayqueue.Options{Backoff: delayqueue.Exponential(time.Millisecond, time.Second)})
	require.NoError(t, err)
	_, err = q.EnqueueAfter(ctx, delayqueue.Message{ID: "1"}, 10*time.Millisecond)
	require.NoError(t, err)
	err = q.Run(ctx, "worker", func(_ context.Context, batch []*delayqueue.Delivery) error {
		for _, d := range batch {
			if d.Attempt == 1 {
				d.Retry(delayqueue.Backoff)
			} else {
				cancel()
			}
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
}

// The engine follows the bubble's clock: keys expire, waits time out and DEBUG SLEEP returns
// without real time passing. An idle engine does not keep the bubble awake.
func TestAnEngineInABubbleFollowsItsClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, ctx, start := newEngine(t), context.Background(), time.Now()
		s, err := e.NewSession()
		require.NoError(t, err)
		defer s.Close()
		for _, setting := range [][]any{{"CONFIG", "SET", "notify-keyspace-events", "Ex"}, {"SET", "k", "v", "EX", 3600}} {
			_, err := e.Do(ctx, setting...)
			require.NoError(t, err)
		}
		require.NoError(t, s.PSubscribe(ctx, "__keyevent*"))
		require.Equal(t, "k", (<-s.Messages()).Payload)
		require.InDelta(t, 3600, time.Since(start).Seconds(), 0.01)

		v, err := e.Do(ctx, "TIME")
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(time.Now().Unix()), v.Slice()[0].Text())
		_, err = e.Do(ctx, "BLPOP", "none", 7200)
		require.NoError(t, err)
		require.InDelta(t, 3*3600, time.Since(start).Seconds(), 0.01)
		_, err = e.Do(ctx, "DEBUG", "SLEEP", 60)
		require.NoError(t, err)
		require.InDelta(t, 3*3600+60, time.Since(start).Seconds(), 0.01)

		popped := make(chan engine.Value, 1)
		go func() {
			v, _ := e.Do(ctx, "BLPOP", "jobs", 0)
			popped <- v
		}()
		synctest.Wait() // until the call waits in the engine, and the engine waits for calls
		require.Empty(t, popped)
		_, err = e.Do(ctx, "RPUSH", "jobs", "a")
		require.NoError(t, err)
		synctest.Wait()
		require.Len(t, popped, 1)
		require.InDelta(t, 3*3600+60, time.Since(start).Seconds(), 0.01, "no time has passed")
	})
}

func TestAVirtualClockInABubbleStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := redmoontest.New(t)
		e.MustDo("SET", "k", "v", "EX", 60)
		time.Sleep(24 * time.Hour)
		require.Equal(t, int64(60), e.MustDo("TTL", "k").MustInt())
		e.Advance(61 * time.Second)
		require.Empty(t, e.Keyspace())
	})
}

// An engine that is made outside all bubbles serves callers in several of them at the same time.
func TestBubblesShareAnEngineFromOutside(t *testing.T) {
	e := newEngine(t)
	t.Run("bubbles", func(t *testing.T) {
		for i := range 8 {
			call := func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				key := fmt.Sprint("key", i)
				s, err := e.NewSession()
				require.NoError(t, err)
				require.NoError(t, s.Subscribe(ctx, key))
				together(10, func(int) {
					for range 20 {
						if _, err := e.Do(ctx, "INCR", key); err != nil {
							t.Error(err)
						}
					}
				})
				_, err = e.Do(ctx, "PUBLISH", key, "hello")
				require.NoError(t, err)
				require.Equal(t, "hello", (<-s.Messages()).Payload)
				v, err := e.Do(ctx, "GET", key)
				require.NoError(t, err)
				require.Equal(t, int64(200), v.MustInt())
				require.NoError(t, s.Close())
			}
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				if i%2 == 0 {
					synctest.Test(t, call)
				} else {
					call(t)
				}
			})
		}
	})
}
