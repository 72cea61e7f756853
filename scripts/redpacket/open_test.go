package redpacket_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// failAfter makes the outcome of the nth script unknown, and all scripts after it fail.
func failAfter(f *flaky, scripts int) *flaky {
	f.scripts = scripts
	f.rnd = rand.New(rand.NewPCG(1, 1))
	return f
}

func TestOpenIsResumed(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		list := packets(t, "p", 1_000_000, 4500, redpacket.DoubleMean)
		broken := activity(t, failAfter(&flaky{Client: p}, 2), "rain", fromZoe)
		require.ErrorIs(t, broken.Open(ctx, list), errLost)

		a := activity(t, p, "rain", fromZoe)
		s, err := a.Status(ctx)
		require.NoError(t, err)
		require.Equal(t, redpacket.Status{State: redpacket.Loading, Packets: 4500, Left: 2000, Total: 1_000_000}, s)
		_, err = a.Grab(ctx, "ann")
		require.ErrorIs(t, err, redpacket.ErrNotOpen)
		require.ErrorIs(t, a.Open(ctx, list[1:]), redpacket.ErrExists)
		fromYan := activity(t, p, "rain", redpacket.Options{Sender: "yan"})
		require.ErrorIs(t, fromYan.Open(ctx, list), redpacket.ErrExists)

		require.NoError(t, a.Open(ctx, list))
		checkMoney(t, p, a, list, "zoe")
		require.NoError(t, a.Open(ctx, list))
		checkMoney(t, p, a, list, "zoe")
		g, err := a.Grab(ctx, "ann")
		require.NoError(t, err)
		require.Equal(t, list[0], g.Packet)
		require.NoError(t, a.Open(ctx, list))
		require.Len(t, checkMoney(t, p, a, list, "zoe").left, 4499)
	})
}

func TestAnActivityThatWasLoadedInPartIsRefundedAsAWhole(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		list := packets(t, "p", 1_000_000, 2500, redpacket.Equal)
		broken := activity(t, failAfter(&flaky{Client: p}, 1), "rain", fromZoe)
		require.ErrorIs(t, broken.Open(ctx, list), errLost)
		a := activity(t, p, "rain", fromZoe)
		r, err := a.Expire(ctx)
		require.NoError(t, err)
		require.Equal(t, redpacket.Refund{ID: "refund:rain", User: "zoe", Packets: 2500, Amount: 1_000_000}, r)
		checkMoney(t, p, a, list, "zoe")
		require.ErrorIs(t, a.Open(ctx, list), redpacket.ErrExpired)
	})
}

func TestManyMayOpenTheSame(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		list := packets(t, "p", 1_000_000, 7001, redpacket.DoubleMean)
		var wg sync.WaitGroup
		for i := range 8 {
			c := &flaky{Client: p, rnd: rand.New(rand.NewPCG(3, uint64(i))), fail: 40}
			wg.Go(func() {
				a, err := redpacket.New(c, "rain", redpacket.Options{})
				for err == nil {
					if err = a.Open(ctx, list); err == nil {
						return
					}
					if errors.Is(err, errLost) {
						err = nil
					}
				}
				t.Error(err)
			})
		}
		wg.Wait()
		l := checkMoney(t, p, activity(t, p, "rain"), list, "")
		require.Len(t, l.left, 7001)
	})
}

func TestOpenRefusesKeysOfOthers(t *testing.T) {
	ctx := context.Background()
	e := redmoontest.New(t)
	a := activity(t, e, "rain")
	for _, key := range a.Keys()[:3] {
		e.MustDo("SET", key, "x")
		require.ErrorIs(t, a.Open(ctx, packets(t, "p", 10, 10, redpacket.Equal)), redpacket.ErrExists)
		e.MustDo("DEL", key)
	}
	// A consumer that started first created the stream.
	e.MustDo("XGROUP", "CREATE", a.StreamKey(), "g", "0", "MKSTREAM")
	require.NoError(t, a.Open(ctx, packets(t, "p", 10, 10, redpacket.Equal)))
}
