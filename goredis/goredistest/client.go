// Package goredistest gives a test of code that uses go-redis a client, and an engine behind it:
//
//	e := redmoontest.New(t)
//	rdb := goredistest.Client(t, e)
//	shop := NewShop(rdb) // the code under test
//	...
//	require.Equal(t, "0", e.Get("stock"))
//
// It is a package of its own so that package redmoontest does not need go-redis.
package goredistest

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

// Client returns a go-redis client of e in memory, without a socket; see [goredis.NewClient]. It is
// closed when t ends. After e.Restart its calls return errors: call Client again.
func Client(t testing.TB, e *redmoontest.Engine, configure ...func(*redis.Options)) *redis.Client {
	t.Helper()
	rdb := goredis.NewClient(e.Engine, configure...)
	t.Cleanup(func() {
		if err := rdb.Close(); err != nil {
			t.Errorf("goredistest: %v", err)
		}
	})
	return rdb
}
