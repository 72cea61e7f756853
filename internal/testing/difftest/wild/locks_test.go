package wild

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

func client(addr string) *redis.Client {
	return redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1})
}

func TestRedsync(t *testing.T) {
	play(t, Program{Name: "github.com/go-redsync/redsync/v4", Scripts: 3, Play: func(addr string, told *Transcript) error {
		c := client(addr)
		defer c.Close()
		rs := redsync.New(goredis.NewPool(c))
		fixed := func(token string) redsync.Option {
			return redsync.WithGenValueFunc(func() (string, error) { return token, nil })
		}
		mine := rs.NewMutex("lock:order", fixed("mine"), redsync.WithExpiry(time.Minute), redsync.WithTries(1))
		yours := rs.NewMutex("lock:order", fixed("yours"), redsync.WithExpiry(time.Minute), redsync.WithTries(1))
		told.Say("lock", mine.Lock())
		told.Say("lock again", yours.Lock())
		ok, err := mine.Extend()
		told.Say("extend", ok, err)
		ok, err = yours.Extend()
		told.Say("extend another's", ok, err)
		ok, err = yours.Unlock()
		told.Say("unlock another's", ok, err)
		ok, err = mine.Unlock()
		told.Say("unlock", ok, err)
		ok, err = mine.Unlock()
		told.Say("unlock again", ok, err)

		setting := rs.NewMutex("lock:set", fixed("one"), redsync.WithExpiry(time.Minute), redsync.WithTries(1), redsync.WithSetNXOnExtend())
		told.Say("try", setting.TryLock())
		ok, err = setting.Extend()
		told.Say("extend with SET NX", ok, err)
		told.Say("lose it", c.Del(context.Background(), "lock:set").Err())
		ok, err = setting.Extend()
		told.Say("extend what was lost", ok, err)
		told.Say("taken over", c.Set(context.Background(), "lock:set", "two", time.Minute).Err())
		ok, err = setting.Extend()
		told.Say("extend what was taken over", ok, err)
		told.Say("not a lock", c.Del(context.Background(), "lock:set").Err(), c.RPush(context.Background(), "lock:set", "x").Err())
		ok, err = setting.Extend()
		told.Say("extend a list", ok, err)
		ok, err = setting.Unlock()
		told.Say("unlock a list", ok, err)

		lasting := rs.NewMutex("lock:kept", fixed("kept"), redsync.WithExpiry(time.Hour))
		told.Say("lock", lasting.Lock())
		return nil
	}})
}

func TestRedislock(t *testing.T) {
	play(t, Program{Name: "github.com/bsm/redislock", Scripts: 4, Times: true, Play: func(addr string, told *Transcript) error {
		ctx, c := context.Background(), client(addr)
		defer c.Close()
		locker := redislock.New(c)
		token := strings.Repeat("a", 22)
		opt := &redislock.Options{Token: token, Metadata: "by the first"}
		lock, err := locker.Obtain(ctx, "lock", time.Minute, opt)
		told.Say("obtain", lock.Key(), lock.Token(), lock.Metadata(), err)
		_, err = locker.Obtain(ctx, "lock", time.Minute, &redislock.Options{Token: strings.Repeat("b", 22)})
		told.Say("obtain again", err)
		again, err := locker.Obtain(ctx, "lock", time.Minute, opt)
		told.Say("obtain with the same token", again.Metadata(), err)
		ttl, err := lock.TTL(ctx)
		told.Say("ttl", ttl.Round(time.Minute), err)
		told.Say("refresh", lock.Refresh(ctx, time.Hour, nil))
		told.Say("release", lock.Release(ctx))
		told.Say("release again", lock.Release(ctx))
		told.Say("refresh what was released", lock.Refresh(ctx, time.Hour, nil))
		ttl, err = lock.TTL(ctx)
		told.Say("ttl of what was released", ttl, err)
		told.Say("a list", c.RPush(ctx, "list", "x").Err())
		_, err = locker.Obtain(ctx, "list", time.Minute, opt)
		told.Say("obtain a list", err)
		_, err = locker.Obtain(ctx, "kept", time.Hour, &redislock.Options{Token: token, Metadata: "é\x00ÿ"})
		told.Say("obtain", err)
		return nil
	}})
}
