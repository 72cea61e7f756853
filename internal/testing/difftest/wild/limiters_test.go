package wild

import (
	"context"
	"testing"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/goredisstore.v9"
	"github.com/ulule/limiter/v3"
	limiterredis "github.com/ulule/limiter/v3/drivers/store/redis"
)

// TestRedisRate uses rates whose intervals are whole seconds: others are rounded at every call,
// differently at every moment.
func TestRedisRate(t *testing.T) {
	play(t, Program{Name: "github.com/go-redis/redis_rate/v10", Scripts: 2, Times: true,
		Play: func(addr string, transcript *Transcript) error {
			ctx, c := context.Background(), client(addr)
			defer c.Close()
			l := redis_rate.NewLimiter(c)
			say := func(call string, r *redis_rate.Result, err error) {
				if err != nil {
					transcript.Say(call, err)
					return
				}
				transcript.Say(call, r.Allowed, r.Remaining, r.RetryAfter.Round(time.Minute), r.ResetAfter.Round(time.Minute))
			}
			for range 5 {
				r, err := l.Allow(ctx, "user:1", redis_rate.PerHour(3))
				say("three an hour", r, err)
			}
			for _, n := range []int{4, 4, 0, 4, 1} {
				r, err := l.AllowN(ctx, "user:2", redis_rate.PerHour(10), n)
				say("some at a time", r, err)
			}
			for _, n := range []int{4, 4, 4, 4} {
				r, err := l.AllowAtMost(ctx, "user:3", redis_rate.PerHour(10), n)
				say("at most", r, err)
			}
			burst := redis_rate.Limit{Rate: 1, Period: time.Hour, Burst: 4}
			for range 5 {
				r, err := l.Allow(ctx, "user:4", burst)
				say("a burst", r, err)
			}
			transcript.Say("reset", l.Reset(ctx, "user:1"))
			r, err := l.Allow(ctx, "user:1", redis_rate.PerMinute(2))
			say("after the reset", r, err)
			transcript.Say("no number", c.Set(ctx, "rate:user:5", "soon", 0).Err())
			r, err = l.Allow(ctx, "user:5", redis_rate.PerMinute(2))
			say("a key that holds no number", r, err)
			transcript.Say("a list", c.RPush(ctx, "rate:user:6", "x").Err())
			r, err = l.AllowAtMost(ctx, "user:6", redis_rate.PerMinute(2), 1)
			say("a key that is a list", r, err)
			return nil
		}})
}

func TestUluleLimiter(t *testing.T) {
	play(t, Program{Name: "github.com/ulule/limiter/v3", Scripts: 2, Times: true, Play: func(addr string, transcript *Transcript) error {
		ctx, c := context.Background(), client(addr)
		defer c.Close()
		store, err := limiterredis.NewStoreWithOptions(c, limiter.StoreOptions{Prefix: "limit"})
		if err != nil {
			return err
		}
		l := limiter.New(store, limiter.Rate{Period: time.Hour, Limit: 3})
		say := func(call string, r limiter.Context, err error) {
			transcript.Say(call, r.Limit, r.Remaining, r.Reached, err)
		}
		for _, call := range []struct {
			name string
			do   func(context.Context, string) (limiter.Context, error)
		}{
			{"peek", l.Peek}, {"get", l.Get}, {"get", l.Get}, {"peek", l.Peek}, {"get", l.Get}, {"get", l.Get},
			{"peek", l.Peek}, {"reset", l.Reset}, {"peek", l.Peek}, {"get", l.Get},
		} {
			r, err := call.do(ctx, "10.0.0.1")
			say(call.name, r, err)
		}
		r, err := l.Increment(ctx, "10.0.0.2", 2)
		say("increment", r, err)
		r, err = l.Increment(ctx, "10.0.0.2", 2)
		say("increment", r, err)
		transcript.Say("forget the scripts", c.ScriptFlush(ctx).Err())
		r, err = l.Get(ctx, "10.0.0.2")
		say("get", r, err)
		transcript.Say("no number", c.Set(ctx, "limit:10.0.0.3", "x", 0).Err())
		r, err = l.Get(ctx, "10.0.0.3")
		say("get what holds no number", r, err)
		r, err = l.Peek(ctx, "10.0.0.3")
		say("peek at what holds no number", r, err)
		return nil
	}})
}

func TestThrottled(t *testing.T) {
	play(t, Program{Name: "github.com/throttled/throttled/v2", Scripts: 1, Play: func(addr string, transcript *Transcript) error {
		ctx, c := context.Background(), client(addr)
		defer c.Close()
		store, err := goredisstore.NewCtx(c, "throttle:")
		if err != nil {
			return err
		}
		l, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{MaxRate: throttled.PerHour(2), MaxBurst: 3})
		if err != nil {
			return err
		}
		for _, n := range []int{1, 1, 2, 1, 5, 0} {
			limited, r, err := l.RateLimitCtx(ctx, "user", n)
			transcript.Say("limit", limited, r.Limit, r.Remaining, r.ResetAfter.Round(time.Minute), r.RetryAfter.Round(time.Minute), err)
		}
		for _, old := range []int64{7, 8, 7} {
			swapped, err := store.CompareAndSwapWithTTL(ctx, "swap", old, 8, time.Hour)
			transcript.Say("swap", old, swapped, err)
			updated, err := store.SetIfNotExistsWithTTL(ctx, "swap", 7, time.Minute)
			transcript.Say("set", updated, err)
		}
		swapped, err := store.CompareAndSwapWithTTL(ctx, "swap", 8, 1<<62, 0)
		transcript.Say("swap to a large number, without a time to live", swapped, err)
		return nil
	}})
}
