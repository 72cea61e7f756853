package goredistest_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/goredis/goredistest"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

func TestClient(t *testing.T) {
	e := redmoontest.New(t)
	rdb := goredistest.Client(t, e, func(o *redis.Options) { o.DB = 0 })
	ctx := context.Background()
	require.NoError(t, rdb.Set(ctx, "k", "v", time.Minute).Err())
	require.Equal(t, "v", e.Get("k"))
	e.Advance(61 * time.Second)
	require.ErrorIs(t, rdb.Get(ctx, "k").Err(), redis.Nil)
	e.FailNext("GET", "ERR the server is tired")
	require.EqualError(t, rdb.Get(ctx, "k").Err(), "ERR the server is tired")
	e.Restart()
	require.Error(t, rdb.Ping(ctx).Err())
	require.NoError(t, goredistest.Client(t, e).Ping(ctx).Err())
}
