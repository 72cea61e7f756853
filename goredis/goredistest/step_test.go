package goredistest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/goredis/goredistest"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

// silent takes the failure of a test that must fail.
type silent struct {
	testing.TB
	text string
}

func (s *silent) Errorf(format string, args ...any) { s.text = fmt.Sprintf(format, args...) }

func coupon() redmoontest.Play {
	return redmoontest.Play{
		Setup: func(e *redmoontest.Engine) { e.MustDo("SET", "stock", 1) },
		Check: func(s *redmoontest.State) error {
			if stock := s.Get("stock"); stock < "0" {
				return fmt.Errorf("the stock is %s", stock)
			}
			return nil
		},
	}
}

func clients(run func(c *redmoontest.StepClient, rdb *redis.Client)) []redmoontest.Client {
	f := func(c *redmoontest.StepClient) { run(c, goredistest.StepClient(c)) }
	return []redmoontest.Client{{Name: "ann", Run: f}, {Name: "bob", Run: f}}
}

func TestStepClientFindsCheckThenAct(t *testing.T) {
	ctx := context.Background()
	s := &silent{TB: t}
	r := redmoontest.Explore(s, coupon(), clients(func(c *redmoontest.StepClient, rdb *redis.Client) {
		if n, err := rdb.Get(ctx, "stock").Int(); err == nil && n > 0 {
			require.NoError(c, rdb.Decr(ctx, "stock").Err())
		}
	})...)
	require.NotNil(t, r.Violation)
	require.Equal(t, "1 2 2 1", r.Violation.Order)
	require.Contains(t, s.text, "GET stock")
}

// WATCH with a transaction: one of the two has to try again.
func TestStepClientTransactions(t *testing.T) {
	ctx := context.Background()
	tries := map[int]bool{}
	r := redmoontest.Explore(t, coupon(), clients(func(c *redmoontest.StepClient, rdb *redis.Client) {
		for i := 1; ; i++ {
			err := rdb.Watch(ctx, func(tx *redis.Tx) error {
				n, err := tx.Get(ctx, "stock").Int()
				if err != nil || n <= 0 {
					return err
				}
				_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
					p.Decr(ctx, "stock")
					p.HSet(ctx, "claims", c.Name(), 1)
					return nil
				})
				return err
			}, "stock")
			if !errors.Is(err, redis.TxFailedErr) {
				require.NoError(c, err)
				tries[i] = true
				return
			}
		}
	})...)
	require.True(t, r.Complete)
	require.Equal(t, map[int]bool{1: true, 2: true}, tries)
}

func TestStepClientScripts(t *testing.T) {
	ctx := context.Background()
	script := redis.NewScript(`if tonumber(redis.call('GET', KEYS[1])) > 0 then return redis.call('DECR', KEYS[1]) end return -1`)
	p := coupon()
	p.Serializable = true
	r := redmoontest.Explore(t, p, clients(func(c *redmoontest.StepClient, rdb *redis.Client) {
		n, err := script.Run(ctx, rdb, []string{"stock"}).Int()
		require.NoError(c, err)
		c.Note("left", n)
	})...)
	require.True(t, r.Complete)
}

// The commands of a pipeline are steps of their own.
func TestStepClientPipelines(t *testing.T) {
	ctx := context.Background()
	between := map[string]bool{}
	r := redmoontest.Explore(t, redmoontest.Play{},
		redmoontest.Client{Run: func(c *redmoontest.StepClient) {
			_, err := goredistest.StepClient(c).Pipelined(ctx, func(p redis.Pipeliner) error {
				p.Set(ctx, "a", 1, 0)
				p.Set(ctx, "a", 2, 0)
				return nil
			})
			require.NoError(c, err)
		}},
		redmoontest.Client{Run: func(c *redmoontest.StepClient) {
			v, err := goredistest.StepClient(c).Get(ctx, "a").Result()
			between[fmt.Sprint(v, err)] = true
		}})
	require.True(t, r.Complete)
	require.Equal(t, map[string]bool{"redis: nil": true, "1<nil>": true, "2<nil>": true}, between)
}

func TestStepClientWaits(t *testing.T) {
	ctx := context.Background()
	r := redmoontest.Explore(t, redmoontest.Play{Check: func(s *redmoontest.State) error {
		if s.Crashed("worker") || s.Exists("jobs") {
			return nil
		}
		require.Equal(t, "x", s.Note("worker", "job"))
		return nil
	}},
		redmoontest.Client{Name: "worker", Crashes: true, Run: func(c *redmoontest.StepClient) {
			v, err := goredistest.StepClient(c).BLPop(ctx, 0, "jobs").Result()
			require.NoError(c, err)
			c.Note("job", v[1])
		}},
		redmoontest.Client{Name: "boss", Run: func(c *redmoontest.StepClient) {
			require.NoError(c, goredistest.StepClient(c).RPush(ctx, "jobs", "x").Err())
		}})
	require.True(t, r.Complete)
}
