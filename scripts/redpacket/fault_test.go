package redpacket_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// notebook notes what Grab returned to users.
type notebook struct {
	failures atomic.Int64 // calls whose outcome is not known
	mu       sync.Mutex
	known    map[string]redpacket.Packet
	grabbed  map[string]int // how often Grab returned a new packet to a user
}

// grab lets a user come until there is an answer.
func (s *notebook) grab(a *redpacket.Activity, user string) error {
	return patience.Try(func() error {
		g, err := a.Grab(context.Background(), user)
		switch {
		case g.Outcome == redpacket.Unknown:
			s.failures.Add(1)
			return err
		case g.Outcome == redpacket.Grabbed || g.Outcome == redpacket.AlreadyGrabbed:
			s.mu.Lock()
			defer s.mu.Unlock()
			s.known[user] = g.Packet
			if g.Outcome == redpacket.Grabbed {
				s.grabbed[user]++
			}
			return nil
		case errors.Is(err, redpacket.ErrEmpty):
			return nil
		}
		return fmt.Errorf("%s: %w", user, err)
	})
}

// killed kills a server, and starts it again when somebody has noticed.
func (s *notebook) killed(master *redistest.Server) error {
	before := s.failures.Load()
	master.Kill()
	return errors.Join(patience.Try(func() error {
		if s.failures.Load() == before {
			return errors.New("nobody has noticed")
		}
		return nil
	}), master.Restart())
}

// TestAMasterIsKilledWhileUsersGrab kills masters of a cluster that writes each command to its
// disk, one after the other. Calls fail then and say so; who comes again gets what he has.
func TestAMasterIsKilledWhileUsersGrab(t *testing.T) {
	redistest.Need(t)
	const activities, count, total, users, workers = 6, 150, 20_000, 170, 20
	ctx := context.Background()
	cluster, err := redistest.StartCluster(3, "--appendonly", "yes", "--appendfsync", "always")
	require.NoError(t, err)
	t.Cleanup(cluster.Stop)
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: cluster.Addrs(), DialTimeout: time.Second, MaxRetries: -1, DialerRetries: 1})
	t.Cleanup(func() { require.NoError(t, rdb.Close()) })
	client := goredis.New(rdb)

	var list []*redpacket.Activity
	var opened [][]redpacket.Packet
	used := map[*redistest.Server]bool{}
	for i := range activities {
		a := activity(t, client, fmt.Sprint("rain", i), fromZoe)
		opened = append(opened, packets(t, fmt.Sprintf("a%d-p", i), total, count, redpacket.DoubleMean))
		require.NoError(t, a.Open(ctx, opened[i]))
		list = append(list, a)
		used[cluster.Of(a.StreamKey())] = true
	}
	require.Len(t, used, 3)

	s := &notebook{known: map[string]redpacket.Packet{}, grabbed: map[string]int{}}
	kill := map[int]*redistest.Server{ // by whom, while all others go on
		activities * users / 4: cluster.Masters[0],
		activities * users / 2: cluster.Masters[1],
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for n := int(next.Add(1)) - 1; n < activities*users; n = int(next.Add(1)) - 1 {
				if master := kill[n]; master != nil {
					if err := s.killed(master); err != nil {
						t.Error(err)
					}
				}
				if err := s.grab(list[n%activities], fmt.Sprint("u", n)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, cluster.Await())
	for i, a := range list {
		l := checkMoney(t, client, a, opened[i], "zoe")
		require.Len(t, l.records, count)
		for _, r := range l.records {
			require.Equal(t, s.known[r.User], r.Packet)
		}
	}
	require.Len(t, s.known, activities*count)
	for user, n := range s.grabbed {
		require.Equal(t, 1, n, user)
	}
}
