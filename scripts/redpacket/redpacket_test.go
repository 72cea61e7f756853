package redpacket_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
	"github.com/stretchr/testify/require"
)

func open(t *testing.T, packets ...redpacket.Packet) (*engine.Engine, *redpacket.Activity) {
	t.Helper()
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, e.Check(context.Background()))
		require.NoError(t, e.Close())
	})
	a, err := redpacket.New(e, "rain")
	require.NoError(t, err)
	require.NoError(t, a.Open(context.Background(), packets))
	return e, a
}

func TestGrabGivesEachUserOnePacketInOrder(t *testing.T) {
	ctx := context.Background()
	_, a := open(t, redpacket.Packet{ID: "p1", Amount: 100}, redpacket.Packet{ID: "p2", Amount: redpacket.MaxAmount})
	p, err := a.Grab(ctx, "ann")
	require.NoError(t, err)
	require.Equal(t, redpacket.Packet{ID: "p1", Amount: 100}, p)
	p, err = a.Grab(ctx, "ann")
	require.ErrorIs(t, err, redpacket.ErrAlreadyGrabbed)
	require.Equal(t, redpacket.Packet{ID: "p1", Amount: 100}, p)
	p, err = a.Grab(ctx, "b\"o\x00b")
	require.NoError(t, err)
	require.Equal(t, "p2", p.ID)
	_, err = a.Grab(ctx, "cy")
	require.ErrorIs(t, err, redpacket.ErrEmpty)
	s, err := a.Status(ctx)
	require.NoError(t, err)
	require.Equal(t, redpacket.Status{Left: 0, Users: 2, Records: 2}, s)
	records, err := a.Records(ctx, 0, 10)
	require.NoError(t, err)
	require.Len(t, records, 2)
	require.Equal(t, redpacket.Record{Packet: redpacket.Packet{ID: "p1", Amount: 100}, User: "ann"}, records[0])
	require.Equal(t, "b\"o\x00b", records[1].User)
	tail, err := a.Records(ctx, 1, 10)
	require.NoError(t, err)
	require.Equal(t, records[1:], tail)
}

func TestOpenRefuses(t *testing.T) {
	ctx := context.Background()
	e, a := open(t, redpacket.Packet{ID: "p1", Amount: 1})
	require.ErrorIs(t, a.Open(ctx, []redpacket.Packet{{ID: "x", Amount: 1}}), redpacket.ErrExists)
	for _, name := range []string{"", "a{b", "a}b"} {
		_, err := redpacket.New(e, name)
		require.ErrorIs(t, err, redpacket.ErrActivity)
	}
	b, err := redpacket.New(e, "other")
	require.NoError(t, err)
	for _, amount := range []int64{0, -1, redpacket.MaxAmount + 1} {
		require.ErrorIs(t, b.Open(ctx, []redpacket.Packet{{ID: "ok", Amount: 1}, {ID: "x", Amount: amount}}), redpacket.ErrAmount)
	}
	s, err := b.Status(ctx)
	require.NoError(t, err)
	require.Zero(t, s)
}

func TestSplitSumsExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		total int64
		count int
	}{{1, 1}, {5, 5}, {6, 5}, {100, 7}, {1_000_000, 1000}, {redpacket.MaxAmount, 3}} {
		amounts, err := redpacket.Split(c.total, c.count, r)
		require.NoError(t, err)
		require.Len(t, amounts, c.count)
		sum := int64(0)
		for _, a := range amounts {
			require.Positive(t, a)
			sum += a
		}
		require.Equal(t, c.total, sum)
	}
	for _, c := range [][2]int64{{0, 1}, {4, 5}, {5, 0}, {5, -1}, {redpacket.MaxAmount + 1, 1}} {
		_, err := redpacket.Split(c[0], int(c[1]), r)
		require.ErrorIs(t, err, redpacket.ErrSplit)
	}
}

// TestCancelledGrabsLoseNothing lets workers give up at random: a call that returned the
// context's error took nothing, all others count.
func TestCancelledGrabsLoseNothing(t *testing.T) {
	const packets, workers = 5000, 16
	amounts, err := redpacket.Split(1_000_000, packets, nil)
	require.NoError(t, err)
	list := make([]redpacket.Packet, packets)
	for i, amount := range amounts {
		list[i] = redpacket.Packet{ID: fmt.Sprint("p", i), Amount: amount}
	}
	_, a := open(t, list...)
	got := make([]map[string]redpacket.Packet, workers)
	var wg sync.WaitGroup
	for w := range workers {
		got[w] = map[string]redpacket.Packet{}
		wg.Go(func() {
			for i := 0; ; i++ {
				ctx, cancel := context.WithCancel(context.Background())
				if rand.IntN(2) == 0 {
					go cancel()
				}
				user := fmt.Sprintf("u%d-%d", w, i)
				p, err := a.Grab(ctx, user)
				cancel()
				switch {
				case err == nil:
					got[w][user] = p
				case errors.Is(err, redpacket.ErrEmpty):
					return
				case !errors.Is(err, context.Canceled):
					t.Errorf("grab: %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
	records, err := a.Records(context.Background(), 0, packets+1)
	require.NoError(t, err)
	require.Len(t, records, packets)
	sum, ids, returned := int64(0), map[string]bool{}, 0
	for _, g := range got {
		returned += len(g)
	}
	for _, r := range records {
		require.False(t, ids[r.ID], "packet %s twice", r.ID)
		ids[r.ID] = true
		sum += r.Amount
		found := false
		for _, g := range got {
			if p, ok := g[r.User]; ok {
				found = p == r.Packet
			}
		}
		require.True(t, found, "user %s has a record but was told nothing", r.User)
	}
	require.Equal(t, packets, returned)
	require.Equal(t, int64(1_000_000), sum)
}
