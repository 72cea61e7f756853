package clients

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/stretchr/testify/require"
)

func TestRedsync(t *testing.T) {
	for _, servers := range []int{1, 3} {
		t.Run(fmt.Sprint(servers), func(t *testing.T) {
			onBoth(t, func(p *play) {
				var pools []redsyncredis.Pool
				for range servers {
					pools = append(pools, goredis.NewPool(openGoRedis(p, p.server(), 3)))
				}
				locks := redsync.New(pools...)

				a, b := locks.NewMutex("lock", redsync.WithExpiry(time.Minute)), locks.NewMutex("lock", redsync.WithTries(1))
				p.say("lock", a.Lock())
				require.Error(p, b.TryLock())
				ok, err := a.Extend()
				p.say("extend", ok, err)
				ok, err = b.Unlock()
				p.say("unlock what is another's", ok, err != nil)
				ok, err = a.Unlock()
				p.say("unlock", ok, err)
				p.say("lock", b.Lock())
				ok, err = b.Unlock()
				p.say("unlock", ok, err)

				short := locks.NewMutex("short", redsync.WithExpiry(500*time.Millisecond))
				require.NoError(p, short.Lock())
				waits := locks.NewMutex("short", redsync.WithTries(1000), redsync.WithRetryDelay(5*time.Millisecond))
				require.NoError(p, waits.Lock(), "the lock's time was over")
				ok, _ = short.Unlock()
				p.say("unlock what is gone", ok)

				const workers, each = 6, 10
				n, inside := 0, 0
				var wg sync.WaitGroup
				for range workers {
					wg.Go(func() {
						mu := locks.NewMutex("contended", redsync.WithTries(10000), redsync.WithRetryDelay(2*time.Millisecond),
							redsync.WithExpiry(patience.Limit))
						for range each {
							if err := mu.Lock(); err != nil {
								p.Error(err)
								return
							}
							inside++
							if inside != 1 {
								p.Error("two hold the lock")
							}
							n++
							inside--
							if ok, err := mu.Unlock(); !ok || err != nil {
								p.Error(ok, err)
							}
						}
					})
				}
				wg.Wait()
				p.say("n", n)
			})
		})
	}
}
