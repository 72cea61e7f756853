package redmoontest_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

func TestEachServer(t *testing.T) {
	floats := map[string]string{}
	names := []string{"redis-7.0", "redis-8.6", "valkey-9.1"}
	redmoontest.EachServer(t, names, func(t *testing.T, e *redmoontest.Engine) {
		require.True(t, slices.ContainsFunc(names, func(name string) bool { return t.Name() == "TestEachServer/"+name }))
		e.MustEval("redis.call('SET', KEYS[1], 1/3)", []string{"k"})
		floats[t.Name()] = e.MustDo("GET", "k").Text()
		require.Equal(t, "7", e.MustDo("CONFIG", "GET", "hash-max-listpack-entries").Slice()[1].Text())
	}, redmoontest.WithConfig("hash-max-listpack-entries", "7"))
	require.Equal(t, map[string]string{
		"TestEachServer/redis-7.0":  "0.33333333333333331",
		"TestEachServer/redis-8.6":  "0.3333333333333333",
		"TestEachServer/valkey-9.1": "0.3333333333333333",
	}, floats)
}

func TestAllServers(t *testing.T) {
	var ran []string
	redmoontest.EachServer(t, nil, func(t *testing.T, e *redmoontest.Engine) {
		ran = append(ran, t.Name())
		require.Equal(t, "PONG", e.MustDo("PING").Text())
	})
	require.Contains(t, ran, "TestAllServers/redis-7.4")
	require.Contains(t, ran, "TestAllServers/valkey-9.0")
	require.Len(t, ran, len(servers.All()))
}
