package redpacket_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// books are what a database is to the settlement: each idempotency key is entered once.
type books struct {
	calls, lost atomic.Int64
	mu          sync.Mutex
	entries     map[string]redpacket.Record
}

// settle enters a batch. One in four calls fails before that, and one in four after it. It is a
// [delayqueue.Handler].
func (b *books) settle(_ context.Context, batch []*delayqueue.Delivery) error {
	call := b.calls.Add(1)
	if call%4 == 1 {
		return errors.New("the database does not answer")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range batch {
		r, err := redpacket.ParseRecord(d.Payload)
		if err != nil || r.ID != d.ID {
			d.Dead(fmt.Sprintf("%q: %v", d.Payload, err))
			continue
		}
		if _, ok := b.entries[d.ID]; !ok {
			b.entries[d.ID] = r
		}
	}
	if call%4 == 2 {
		b.lost.Add(1)
		return errors.New("the answer of the database was lost")
	}
	return nil
}

func (b *books) sum() (sum int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.entries {
		sum += r.Amount
	}
	return sum
}

func TestAllMoneyIsSettledOnce(t *testing.T) {
	const count, total, users, consumers = 200, 77_777, 150, 3
	places := func(t *testing.T, f func(t *testing.T, c engine.Client)) {
		t.Run("engine", func(t *testing.T) {
			e, err := engine.New(engine.Options{}) // on a real clock, by which retries come
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, e.Close()) })
			f(t, e)
		})
		t.Run("redis-server", func(t *testing.T) { f(t, everywhere.Server(t)) })
		t.Run("redis cluster", func(t *testing.T) { f(t, everywhere.Cluster(t)) })
	}
	places(t, func(t *testing.T, c engine.Client) {
		ctx, cancel := context.WithCancel(context.Background())
		a := activity(t, c, "rain", fromZoe)
		require.NoError(t, a.Open(ctx, packets(t, "p", total, count, redpacket.DoubleMean)))
		b := &books{entries: map[string]redpacket.Record{}}
		q, err := a.Settlement(delayqueue.Options{Batch: 16, MaxAttempts: -1, Backoff: func(int) time.Duration { return time.Millisecond }})
		require.NoError(t, err)
		var wg sync.WaitGroup
		for i := range consumers {
			wg.Go(func() {
				if err := q.Run(ctx, fmt.Sprint("consumer", i), b.settle); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
		}
		for i := range users {
			_, err := a.Grab(ctx, fmt.Sprint("u", i))
			require.NoError(t, err)
		}
		refund, err := a.Expire(ctx)
		require.NoError(t, err)
		require.NoError(t, patience.Try(func() error {
			if sum := b.sum(); sum != total {
				return fmt.Errorf("%d of %d cents are settled", sum, total)
			}
			v, err := c.DoStrings(ctx, "XLEN", a.StreamKey())
			if err == nil && v.MustInt() > 0 {
				err = fmt.Errorf("%d messages are not committed", v.MustInt())
			}
			return err
		}))
		cancel()
		wg.Wait()
		require.Len(t, b.entries, users+1)
		require.Positive(t, b.lost.Load(), "no answer was lost")
		require.Equal(t, redpacket.Record{Packet: redpacket.Packet{ID: refund.ID, Amount: refund.Amount}, User: "zoe", Refund: true},
			b.entries[refund.ID])
		records, err := a.Records(context.Background(), 0, count)
		require.NoError(t, err)
		for _, r := range records {
			require.Equal(t, r, b.entries[r.ID])
		}
	})
}

func TestParseRecordRefusesWhatIsNoRecord(t *testing.T) {
	_, err := redpacket.ParseRecord([]byte("{"))
	require.ErrorContains(t, err, "redpacket: settlement: ")
}
