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
	play(t, Program{Name: "github.com/go-redsync/redsync/v4", Scripts: 3, Play: func(addr string, transcript *Transcript) error {
		c := client(addr)
		defer c.Close()
		rs := redsync.New(goredis.NewPool(c))
		fixed := func(token string) redsync.Option {
			return redsync.WithGenValueFunc(func() (string, error) { return token, nil })
		}
		mine := rs.NewMutex("lock:order", fixed("mine"), redsync.WithExpiry(time.Minute), redsync.WithTries(1))
		yours := rs.NewMutex("lock:order", fixed("yours"), redsync.WithExpiry(time.Minute), redsync.WithTries(1))
		transcript.Say("lock", mine.Lock())
		transcript.Say("lock again", yours.Lock())
		ok, err := mine.Extend()
		transcript.Say("extend", ok, err)
		ok, err = yours.Extend()
		transcript.Say("extend another's", ok, err)
		ok, err = yours.Unlock()
		transcript.Say("unlock another's", ok, err)
		ok, err = mine.Unlock()
		transcript.Say("unlock", ok, err)
		ok, err = mine.Unlock()
		transcript.Say("unlock again", ok, err)

		setting := rs.NewMutex("lock:set", fixed("one"), redsync.WithExpiry(time.Minute), redsync.WithTries(1), redsync.WithSetNXOnExtend())
		transcript.Say("try", setting.TryLock())
		ok, err = setting.Extend()
		transcript.Say("extend with SET NX", ok, err)
		transcript.Say("lose it", c.Del(context.Background(), "lock:set").Err())
		ok, err = setting.Extend()
		transcript.Say("extend what was lost", ok, err)
		transcript.Say("taken over", c.Set(context.Background(), "lock:set", "two", time.Minute).Err())
		ok, err = setting.Extend()
		transcript.Say("extend what was taken over", ok, err)
		transcript.Say("not a lock", c.Del(context.Background(), "lock:set").Err(), c.RPush(context.Background(), "lock:set", "x").Err())
		ok, err = setting.Extend()
		transcript.Say("extend a list", ok, err)
		ok, err = setting.Unlock()
		transcript.Say("unlock a list", ok, err)

		lasting := rs.NewMutex("lock:kept", fixed("kept"), redsync.WithExpiry(time.Hour))
		transcript.Say("lock", lasting.Lock())
		return nil
	}})
}

func TestRedislock(t *testing.T) {
	play(t, Program{Name: "github.com/bsm/redislock", Scripts: 4, Times: true, Play: func(addr string, transcript *Transcript) error {
		ctx, c := context.Background(), client(addr)
		defer c.Close()
		locker := redislock.New(c)
		token := strings.Repeat("a", 22)
		opt := &redislock.Options{Token: token, Metadata: "by the first"}
		lock, err := locker.Obtain(ctx, "lock", time.Minute, opt)
		transcript.Say("obtain", lock.Key(), lock.Token(), lock.Metadata(), err)
		_, err = locker.Obtain(ctx, "lock", time.Minute, &redislock.Options{Token: strings.Repeat("b", 22)})
		transcript.Say("obtain again", err)
		again, err := locker.Obtain(ctx, "lock", time.Minute, opt)
		transcript.Say("obtain with the same token", again.Metadata(), err)
		ttl, err := lock.TTL(ctx)
		transcript.Say("ttl", ttl.Round(time.Minute), err)
		transcript.Say("refresh", lock.Refresh(ctx, time.Hour, nil))
		transcript.Say("release", lock.Release(ctx))
		transcript.Say("release again", lock.Release(ctx))
		transcript.Say("refresh what was released", lock.Refresh(ctx, time.Hour, nil))
		ttl, err = lock.TTL(ctx)
		transcript.Say("ttl of what was released", ttl, err)
		transcript.Say("a list", c.RPush(ctx, "list", "x").Err())
		_, err = locker.Obtain(ctx, "list", time.Minute, opt)
		transcript.Say("obtain a list", err)
		_, err = locker.Obtain(ctx, "kept", time.Hour, &redislock.Options{Token: token, Metadata: "é\x00ÿ"})
		transcript.Say("obtain", err)
		return nil
	}})
}
