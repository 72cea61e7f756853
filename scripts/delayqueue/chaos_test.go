package delayqueue_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
)

// sink is a database with a unique key: to write an ID again does nothing.
type sink struct {
	mu       sync.Mutex
	rows     map[string]string
	attempts map[string][]int // of each message, as they were handed out
	writes   int
}

func newSink() *sink { return &sink{rows: map[string]string{}, attempts: map[string][]int{}} }

// repeated are the attempts of the messages that were handed out more than once.
func (s *sink) repeated() map[string][]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := map[string][]int{}
	for id, a := range s.attempts {
		if len(a) > 1 {
			list[id] = a
		}
	}
	return list
}

func (s *sink) write(d *delayqueue.Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	s.attempts[d.ID] = append(s.attempts[d.ID], d.Attempt)
	if _, ok := s.rows[d.ID]; !ok {
		s.rows[d.ID] = string(d.Payload)
	}
}

func (s *sink) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.rows)
}

// complete says that there are exactly the messages "0" to n-1, each with its payload.
func (s *sink) complete(t *testing.T, n int) {
	t.Helper()
	require.Equal(t, n, s.len())
	for i := range n {
		m := message(strconv.Itoa(i))
		require.Equal(t, string(m.Payload), s.rows[m.ID])
	}
}

// produce enqueues the messages from to to-1 in batches, and again after each error.
func produce(q *delayqueue.Queue, from, to int) {
	for from < to {
		var ms []delayqueue.Message
		for i := from; i < min(from+50, to); i++ {
			ms = append(ms, message(strconv.Itoa(i)))
		}
		if _, err := q.EnqueueAll(background, ms); err == nil {
			from += len(ms)
		}
	}
}

func TestTenThousandMessagesAndFourConsumers(t *testing.T) {
	const n, producers, consumers = 10_000, 4, 4
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		q := newQueue(t, p, delayqueue.Options{Batch: 100, Visibility: time.Hour, OnError: func(err error) { t.Error(err) }})
		s := newSink()
		var stops []func()
		for i := range consumers {
			stops = append(stops, consume(t, q, "c"+strconv.Itoa(i), func(_ context.Context, batch []*delayqueue.Delivery) error {
				for _, d := range batch {
					s.write(d)
					if d.Attempt == 1 && len(d.ID)%4 == 0 { // those of four digits come again
						d.Retry(0)
					}
				}
				return nil
			}))
		}
		var wg sync.WaitGroup
		for i := range producers {
			wg.Go(func() { produce(q, i*n/producers, (i+1)*n/producers) })
		}
		wg.Wait()
		awaitStats(t, q, "all committed", func(s delayqueue.Status) bool { return s.Committed == n })
		for _, stop := range stops {
			stop()
		}
		s.complete(t, n)
		require.Equal(t, delayqueue.Status{IDs: n, Committed: n, Retried: 9000}, stats(t, q))
		require.Equal(t, n+9000, s.writes, "nobody vanished: each was handed out as often as decided")
	})
}

// Consumers vanish at random: before they write, in between, after that, and with their decisions
// on the way. Some come back much later. Each message has its effect all the same, and nothing is
// left.
func TestConsumersVanishAtRandom(t *testing.T) {
	const n, consumers = 2000, 4
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		visibility := 300 * time.Millisecond
		q := newQueue(t, p, delayqueue.Options{Batch: 40, Visibility: visibility, MaxAttempts: -1,
			Backoff: func(int) time.Duration { return time.Millisecond }})
		s := newSink()
		comeBack := make(chan struct{})
		var vanished, started, turns atomic.Int64
		ctx, cancel := context.WithCancel(background)
		draw := tier.Rand(t)
		var all sync.WaitGroup
		var start func()
		start = func() {
			name := fmt.Sprintf("c%d", started.Add(1))
			all.Go(func() {
				_ = q.Run(ctx, name, func(_ context.Context, batch []*delayqueue.Delivery) error {
					vanishes := turns.Add(1)%8 == 0 && vanished.Load() < 40
					after := draw.IntN(len(batch) + 1)
					for i, d := range batch {
						if vanishes && i == after {
							break
						}
						s.write(d)
						switch draw.IntN(10) {
						case 0:
							d.Retry(delayqueue.Backoff)
						case 1:
							d.Retry(0)
						case 2:
							d.Commit()
						}
					}
					if vanishes {
						vanished.Add(1)
						start()
						<-comeBack
						return errors.New("where have I been")
					}
					return nil
				})
			})
		}
		for range consumers {
			start()
		}
		produce(q, 0, n)
		await(t, "all committed", func() bool {
			if p.Advance != nil {
				p.Advance(100 * time.Millisecond)
			}
			got := stats(t, q)
			return got.Ready+got.InHand+got.Delayed == 0
		})
		close(comeBack)
		cancel()
		all.Wait()
		s.complete(t, n)
		require.Positive(t, vanished.Load())
		got := stats(t, q)
		require.Equal(t, int64(n), got.Committed)
		require.Zero(t, got.Ready+got.InHand+got.Delayed+got.Dead+got.Consumers)
	})
}

func TestAKilledServerLosesNothing(t *testing.T) {
	redistest.Need(t)
	server, err := redistest.Start("--appendonly", "yes", "--appendfsync", "always")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr})
	t.Cleanup(func() { require.NoError(t, rdb.Close()) })
	survives(t, rdb, server)
}

func TestAKilledMasterLosesNothing(t *testing.T) {
	redistest.Need(t)
	cluster, err := redistest.StartCluster(3, "--appendonly", "yes", "--appendfsync", "always")
	require.NoError(t, err)
	t.Cleanup(cluster.Stop)
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: cluster.Addrs()})
	t.Cleanup(func() { require.NoError(t, rdb.Close()) })
	survives(t, rdb, cluster.Of("jobs"))
}

// survives enqueues and consumes while the server that has the queue is killed and comes back.
func survives(t *testing.T, rdb redis.UniversalClient, server *redistest.Server) {
	const n, kills, producers = 3000, 3, 3
	var errs errorLog
	q := newQueue(t, goredis.New(rdb), delayqueue.Options{Batch: 20, Visibility: 300 * time.Millisecond, MaxAttempts: -1, OnError: errs.add,
		Backoff: func(int) time.Duration { return time.Millisecond }})
	s, draw := newSink(), tier.Rand(t)
	var stops []func()
	for i := range 4 {
		stops = append(stops, consume(t, q, "c"+strconv.Itoa(i), func(_ context.Context, batch []*delayqueue.Delivery) error {
			for _, d := range batch {
				s.write(d)
				if draw.IntN(20) == 0 {
					d.Retry(delayqueue.Backoff)
				}
			}
			return nil
		}))
	}
	var wg sync.WaitGroup
	for i := range producers {
		wg.Go(func() { produce(q, i*n/producers, (i+1)*n/producers) })
	}
	for i := range kills {
		await(t, "progress", func() bool { return s.len() >= (i+1)*n/(kills+2) })
		server.Kill()
		require.NoError(t, server.Restart())
	}
	wg.Wait()
	await(t, "all committed", func() bool {
		got, err := q.Status(background)
		return err == nil && got.Ready+got.InHand+got.Delayed == 0
	})
	for _, stop := range stops {
		stop()
	}
	s.complete(t, n)
	got := stats(t, q)
	require.Equal(t, int64(n), got.Committed, "%+v; handed out more than once: %v; %v", got, s.repeated(), errs.all())
	require.Zero(t, got.Dead)
}
