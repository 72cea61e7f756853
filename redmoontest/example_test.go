package redmoontest_test

import (
	"fmt"
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

		require.Equal(t, int64(0), e.MustEval(takeOne, []string{"stock", "buyers"}, "ann").MustInt())
		require.Equal(t, int64(-1), e.MustEval(takeOne, []string{"stock", "buyers"}, "bob").MustInt())
		require.Equal(t, redmoontest.Keyspace{
			"stock":  "0",
			"buyers": redmoontest.List{"ann"},
		}, e.Keyspace())

		e.Advance(61 * time.Second)
		require.Equal(t, []string{"buyers"}, e.Keyspace().Keys())
	}
}

// A test that a script can run on a Redis Cluster: its keys share a slot, and so a node.
func ExampleWithCluster() {
	_ = func(t *testing.T) { // func TestStockOnACluster(t *testing.T)
		e := redmoontest.New(t, redmoontest.WithCluster())

		_, err := e.Eval(t.Context(), takeOne, []string{"stock", "buyers"}, "ann")
		require.EqualError(t, err, "CROSSSLOT Keys in request don't hash to the same slot")

		e.MustDo("SET", "{shoe}:stock", 1)
		require.Equal(t, int64(0), e.MustEval(takeOne, []string{"{shoe}:stock", "{shoe}:buyers"}, "ann").MustInt())
	}
}

// A failed comparison prints both keyspaces; this is how one looks.
func ExampleKeyspace() {
	fmt.Print(redmoontest.Keyspace{
		"stock":  "0",
		"buyers": redmoontest.List{"ann", "bob"},
		"scores": redmoontest.ZSet{{Name: "ann", Score: 2.5}},
	})
	// Output:
	// "buyers": List{"ann", "bob"}
	// "scores": ZSet{Member{Name:"ann", Score:2.5}}
	// "stock": "0"
}
