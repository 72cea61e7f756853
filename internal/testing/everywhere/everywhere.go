// Package everywhere runs a test in every place where the ready scripts are to run: on an engine,
// on one in cluster mode, on a cluster of three engines, on a redis-server, and on a Redis Cluster
// of three masters.
package everywhere

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

// Place is one of them, and empty when the test begins.
type Place struct {
	engine.Client
	// Advance lets time pass; nil on a real server, whose clock cannot be moved.
	Advance func(time.Duration)
	// Redis is the client behind Client on a real server; nil elsewhere.
	Redis redis.UniversalClient
}

// Do runs a command that must succeed.
func (p Place) Do(t testing.TB, args ...string) engine.Value {
	t.Helper()
	v, err := p.DoStrings(context.Background(), args...)
	require.NoError(t, err)
	return v
}

// Configure sets a parameter of CONFIG, on a Redis Cluster on every master.
func (p Place) Configure(t testing.TB, name, value string) {
	t.Helper()
	cluster, ok := p.Redis.(*redis.ClusterClient)
	if !ok {
		p.Do(t, "CONFIG", "SET", name, value)
		return
	}
	require.NoError(t, cluster.ForEachMaster(context.Background(), func(ctx context.Context, c *redis.Client) error {
		return c.ConfigSet(ctx, name, value).Err()
	}))
}

// Now is the time of the place that owns a key.
func (p Place) Now(t testing.TB, key string) time.Time {
	t.Helper()
	v, err := engine.NewScript("return redis.call('TIME')").Run(context.Background(), p, []string{key})
	require.NoError(t, err)
	list := v.Slice()
	return time.Unix(list[0].MustInt(), 1000*list[1].MustInt())
}

// Run runs a test in every place, as a subtest named after it: "engine", "cluster engine", "three
// engines", "redis-server" and "redis cluster". The last two are skipped where there is no
// redis-server (see [redistest.Need]).
func Run(t *testing.T, f func(t *testing.T, p Place)) {
	t.Run("engine", func(t *testing.T) { f(t, embedded(redmoontest.New(t))) })
	t.Run("cluster engine", func(t *testing.T) { f(t, embedded(redmoontest.New(t, redmoontest.WithCluster()))) })
	t.Run("three engines", func(t *testing.T) { f(t, shards(t)) })
	t.Run("redis-server", func(t *testing.T) { f(t, Server(t)) })
	t.Run("redis cluster", func(t *testing.T) { f(t, Cluster(t)) })
}

func embedded(e *redmoontest.Engine) Place { return Place{Client: e, Advance: e.Advance} }

// shards is a cluster of three engines on a clock that only the test moves.
func shards(t testing.TB) Place {
	clock := engine.NewVirtualClock(time.Unix(redmoontest.Start, 0))
	c, err := engine.NewCluster(3, engine.Options{Clock: clock})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, c.Check(context.Background()))
		require.NoError(t, c.Close())
	})
	return Place{Client: c, Advance: clock.Advance}
}

// The servers are those of the whole test program: they end with it.
var (
	theServer  = sync.OnceValues(func() (*redistest.Server, error) { return redistest.Start() })
	theCluster = sync.OnceValues(func() (*redistest.Cluster, error) { return redistest.StartCluster(3) })
)

// Server is an empty redis-server.
func Server(t testing.TB) Place {
	redistest.Need(t)
	s, err := theServer()
	require.NoError(t, err)
	_, err = s.Do("FLUSHALL")
	require.NoError(t, err)
	_, err = s.Do("SCRIPT", "FLUSH")
	require.NoError(t, err)
	return real(t, redis.NewClient(&redis.Options{Addr: s.Addr}))
}

// Cluster is an empty Redis Cluster of three masters.
func Cluster(t testing.TB) Place {
	redistest.Need(t)
	c, err := theCluster()
	require.NoError(t, err)
	require.NoError(t, c.FlushAll())
	return real(t, redis.NewClusterClient(&redis.ClusterOptions{Addrs: c.Addrs()}))
}

func real(t testing.TB, rdb redis.UniversalClient) Place {
	t.Cleanup(func() { require.NoError(t, rdb.Close()) })
	return Place{Client: goredis.New(rdb), Redis: rdb}
}
