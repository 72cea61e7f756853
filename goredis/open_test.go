package goredis_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

func TestOpenReadsAddresses(t *testing.T) {
	open := func(address string) redis.UniversalClient {
		t.Helper()
		rdb, err := goredis.Open(address)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, rdb.Close()) })
		return rdb
	}
	single := func(address string) *redis.Options { t.Helper(); return open(address).(*redis.Client).Options() }

	o := single("redis://ann:s%40crt@example.com/3?pool_size=7")
	require.Equal(t, []any{"tcp", "example.com:6379", "ann", "s@crt", 3, 7}, []any{o.Network, o.Addr, o.Username, o.Password, o.DB,
		o.PoolSize})
	require.True(t, o.ContextTimeoutEnabled)
	require.Nil(t, o.TLSConfig)
	o = single("redis://:pw@[::1]:7000")
	require.Equal(t, []any{"[::1]:7000", "", "pw"}, []any{o.Addr, o.Username, o.Password})
	require.Equal(t, "example.com", single("rediss://example.com:1").TLSConfig.ServerName)
	o = single("unix://:pw@/run/redis.sock?db=2")
	require.Equal(t, []any{"unix", "/run/redis.sock", "pw", 2}, []any{o.Network, o.Addr, o.Password, o.DB})

	c := open("redis+cluster://ann:pw@a:1?addr=b:2&addr=c:3&read_timeout=6s").(*redis.ClusterClient).Options()
	require.Equal(t, []string{"a:1", "b:2", "c:3"}, c.Addrs)
	require.Equal(t, []any{"ann", "pw", 6 * time.Second, true}, []any{c.Username, c.Password, c.ReadTimeout, c.ContextTimeoutEnabled})
	require.NotNil(t, open("rediss+cluster://a:1/").(*redis.ClusterClient).Options().TLSConfig)

	o = single("redis+sentinel://a:1/4?addr=b:2&master_name=m&password=pw")
	require.Equal(t, []any{"FailoverClient", 4, "pw"}, []any{o.Addr, o.DB, o.Password})
}

func TestOpenRefusesBadAddressesAndKeepsPasswordsToItself(t *testing.T) {
	for _, address := range []string{
		"", "localhost:6379", "http://x", "redis://", "redis://:6379", "redis://x/db", "redis+ring://x", "redis+cluster://",
		"redis+cluster://x/1",
		"redis+sentinel://x", "unix://", "unix+cluster:///x", "redis://x?nosuch=1", "redis+cluster://x?nosuch=1", "redis://:secret@x:y",
		"redis://:secret@x/db",
		"%:secret@", "redis+sentinel://:secret@x",
	} {
		_, err := goredis.Open(address)
		require.ErrorIs(t, err, goredis.ErrURL, "%s", address)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestOpenedClientsWork(t *testing.T) {
	redistest.Need(t)
	ctx := context.Background()
	s, err := redistest.Start("--unixsocket", "socket")
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	_, err = s.Do("CONFIG", "SET", "requirepass", "pw")
	require.NoError(t, err)
	cluster, err := redistest.StartCluster(1)
	require.NoError(t, err)
	t.Cleanup(cluster.Stop)
	for _, address := range []string{"redis://:pw@" + s.Addr, "unix://:pw@" + s.Dir + "/socket", "redis+cluster://" +
		cluster.Masters[0].Addr} {
		rdb, err := goredis.Open(address)
		require.NoError(t, err)
		v, err := goredis.New(rdb).RunScript(ctx, engine.NewScript("return ARGV[1]"), []string{"k"}, []string{"x"})
		require.NoError(t, err, address)
		require.Equal(t, "x", v.Text())
		require.NoError(t, rdb.Close())
	}
	rdb, err := goredis.Open("redis://" + s.Addr)
	require.NoError(t, err)
	_, err = goredis.New(rdb).DoStrings(ctx, "GET", "k")
	require.ErrorIs(t, err, &engine.Error{Code: "NOAUTH"})
	require.NoError(t, rdb.Close())
}
