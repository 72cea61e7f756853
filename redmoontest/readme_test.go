package redmoontest_test

import (
	"context"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/stretchr/testify/require"
)

// TestClaim is the README's example.
func TestClaim(t *testing.T) {
	e := redmoontest.New(t) // a fresh engine on a clock that only the test moves
	e.MustDo("SET", "stock", 1, "EX", 60)

	v := e.MustEval("return redis.call('DECR', KEYS[1])", []string{"stock"})
	require.Equal(t, int64(0), v.MustInt())
	e.RequireKeyspace(redmoontest.Keyspace{"stock": "0"})

	e.FailNext("DECR", "OOM command not allowed") // what does the script do then?
	_, err := e.Eval(context.Background(), "return redis.pcall('DECR', KEYS[1])", []string{"stock"})
	require.ErrorContains(t, err, "OOM")

	e.Advance(61 * time.Second)
	require.Empty(t, e.Keyspace())
}
