package redmoontest_test

import (
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/stretchr/testify/require"
)

const takeOne = `
	local left = tonumber(redis.call('GET', KEYS[1]) or 0)
	if left < 1 then return -1 end
	redis.call('RPUSH', KEYS[2], ARGV[1])
	return redis.call('DECR', KEYS[1])`

// A test of a script that sells what is in stock.
func ExampleNew() {
	_ = func(t *testing.T) { // func TestStockIsNeverOversold(t *testing.T)
		t.Parallel()
		e := redmoontest.New(t)
		e.MustDo("SET", "stock", 1, "EX", 60)

		require.Equal(t, int64(0), e.MustEval(takeOne, []string{"stock", "buyers"}, "ann").Int())
		require.Equal(t, int64(-1), e.MustEval(takeOne, []string{"stock", "buyers"}, "bob").Int())
		require.Equal(t, redmoontest.Keyspace{
			"stock":  "0",
			"buyers": redmoontest.List{"ann"},
		}, e.Keyspace())

		e.Advance(time.Minute)
		require.Equal(t, []string{"buyers"}, e.Keyspace().Keys())
	}
}
