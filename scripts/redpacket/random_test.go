package redpacket_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// TestMoneyAddsUpAtEveryMoment makes random calls of an activity, many of which fail before or
// after they are carried out.
func TestMoneyAddsUpAtEveryMoment(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		seeds := uint64(8)
		if racing {
			seeds = 2
		}
		for seed := range seeds {
			rnd := rand.New(rand.NewPCG(seed, 7))
			c := &flaky{Client: p, rnd: rnd, fail: 30}
			a := activity(t, c, fmt.Sprint("rain", seed), fromZoe)
			list := packets(t, "p", 5000, 40, redpacket.Strategy(seed%2))
			known := map[string]redpacket.Packet{}
			for step := range 120 {
				switch n := rnd.IntN(100); {
				case n < 10 || step == 0:
					if err := a.Open(ctx, list); !errors.Is(err, errLost) && !errors.Is(err, redpacket.ErrExpired) {
						require.NoError(t, err)
					}
				case n < 80:
					user := fmt.Sprint("u", rnd.IntN(60))
					g, err := a.Grab(ctx, user)
					switch g.Outcome {
					case redpacket.Grabbed:
						require.NotContains(t, known, user)
						known[user] = g.Packet
					case redpacket.AlreadyGrabbed:
						if p, ok := known[user]; ok {
							require.Equal(t, p, g.Packet)
						}
						known[user] = g.Packet
					case redpacket.Unknown:
						require.ErrorIs(t, err, errLost)
					}
				case n < 98:
					_, err := a.Peek(ctx, fmt.Sprint("u", rnd.IntN(60)))
					if err != nil {
						require.ErrorIs(t, err, errLost)
					}
				case step > 60:
					r, err := a.Expire(ctx)
					if err == nil {
						s, err := activity(t, p, fmt.Sprint("rain", seed)).Status(ctx)
						require.NoError(t, err)
						require.Equal(t, s.Refunded, r.Amount)
					}
				}
				s, err := activity(t, p, fmt.Sprint("rain", seed)).Status(ctx)
				require.NoError(t, err)
				if s.State == redpacket.Absent {
					continue
				}
				l := checkMoney(t, p, a, list, "zoe")
				require.Equal(t, int64(len(l.records)), s.Users)
				require.Equal(t, int64(len(l.left)), s.Left)
				require.Equal(t, s.Packets, s.Users+s.Left+s.Returned)
				sum := int64(0)
				for _, amount := range l.left {
					sum += amount
				}
				require.Equal(t, sum, s.Rest())
				for user, packet := range known {
					if (redpacket.Record{Packet: packet, User: user}) != l.settled[packet.ID] {
						t.Fatalf("%s got %+v, which is settled as %+v", user, packet, l.settled[packet.ID])
					}
				}
			}
		}
	})
}

// TestManyGrabAndOneExpires lets workers grab, each user twice at the same time, while others look
// on and one closes the activity.
func TestManyGrabAndOneExpires(t *testing.T) {
	const workers, users = 8, 400
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		a := activity(t, p, "rain", fromZoe)
		list := packets(t, "p", 100_000, users, redpacket.DoubleMean)
		require.NoError(t, a.Open(ctx, list))
		var mu sync.Mutex
		known, first := map[string]redpacket.Packet{}, map[string]int{}
		var refunds []redpacket.Refund
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for i := range users {
					user := fmt.Sprint("u", (w/2)*users+i) // two workers for each user
					g, err := a.Grab(ctx, user)
					if err != nil && g.Outcome == redpacket.Unknown {
						t.Error(err)
						return
					}
					mu.Lock()
					if g.Outcome == redpacket.Grabbed {
						first[user]++
					}
					if g.Outcome <= redpacket.AlreadyGrabbed {
						if p, ok := known[user]; ok && p != g.Packet {
							t.Errorf("%s got %v and %v", user, p, g.Packet)
						}
						known[user] = g.Packet
					}
					enough := len(known) > users/2
					mu.Unlock()
					if enough && w < 2 {
						r, err := a.Expire(ctx)
						if err != nil {
							t.Error(err)
						}
						mu.Lock()
						refunds = append(refunds, r)
						mu.Unlock()
						return
					}
				}
			})
		}
		wg.Go(func() {
			for range 50 {
				s, err := a.Status(ctx)
				if err != nil || s.Packets != s.Left+s.Users+s.Returned || s.Users != s.Records || (s.Rest() == 0) != (s.Left == 0) {
					t.Errorf("%+v, %v", s, err)
				}
			}
		})
		wg.Wait()
		l := checkMoney(t, p, a, list, "zoe")
		require.Len(t, l.records, len(known))
		for _, r := range l.records {
			require.Equal(t, r.Packet, known[r.User])
			require.Equal(t, 1, first[r.User])
		}
		require.NotEmpty(t, refunds)
		for _, r := range refunds {
			require.Equal(t, refunds[0], r)
		}
	})
}

// TestCancelledGrabsLoseNothing lets workers give up at random. On an engine a call that returned
// the context's error took nothing. On a server it may have: users call until there is an answer.
func TestCancelledGrabsLoseNothing(t *testing.T) {
	const workers = 16
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		n := 3000
		if p.Redis != nil {
			n = 400
			p.Client = goredis.New(withDeadlines(t, p.Redis))
		}
		a := activity(t, p, "rain")
		list := packets(t, "p", 1_000_000, n, redpacket.DoubleMean)
		require.NoError(t, a.Open(context.Background(), list))
		got := make([]map[string]redpacket.Packet, workers)
		var givenUp atomic.Int64
		var wg sync.WaitGroup
		for w := range workers {
			got[w] = map[string]redpacket.Packet{}
			wg.Go(func() {
				for i := 0; ; i++ {
					user := fmt.Sprintf("u%d-%d", w, i)
					ctx, cancel := context.Background(), func() {}
					if i%2 == 0 { // each tenth user gives up before it calls
						ctx, cancel = context.WithTimeout(ctx, time.Duration(i%10*33)*time.Microsecond)
					}
					g, err := a.Grab(ctx, user)
					cancel()
					if g.Outcome == redpacket.Unknown && ctx.Err() != nil {
						givenUp.Add(1)
						if p.Redis == nil {
							continue // and never comes again
						}
						g, err = a.Grab(context.Background(), user)
					}
					switch {
					case err == nil || p.Redis != nil && errors.Is(err, redpacket.ErrAlreadyGrabbed):
						got[w][user] = g.Packet
					case errors.Is(err, redpacket.ErrEmpty):
						return
					default:
						t.Errorf("grab: %v", err)
						return
					}
				}
			})
		}
		wg.Wait()
		require.Positive(t, givenUp.Load())
		l := checkMoney(t, p, a, list, "")
		require.Len(t, l.records, n)
		all := map[string]redpacket.Packet{}
		for _, g := range got {
			maps.Copy(all, g)
		}
		require.Len(t, all, n)
		for _, r := range l.records {
			require.Equal(t, r.Packet, all[r.User], "%s", r.User)
		}
	})
}

// withDeadlines is a client like rdb that ends calls at the deadline of their context, in the midst
// of waiting for a reply.
func withDeadlines(t *testing.T, rdb redis.UniversalClient) redis.UniversalClient {
	var c redis.UniversalClient
	switch rdb := rdb.(type) {
	case *redis.Client:
		o := redis.Options{Addr: rdb.Options().Addr, ContextTimeoutEnabled: true}
		c = redis.NewClient(&o)
	case *redis.ClusterClient:
		c = redis.NewClusterClient(&redis.ClusterOptions{Addrs: rdb.Options().Addrs, ContextTimeoutEnabled: true})
	}
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}
