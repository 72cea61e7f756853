package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// Configurations share declarations and the texts of defaults, but no values.
func TestConfigurationsAreIndependent(t *testing.T) {
	a, b := New(datastore.DefaultLimits(), servers.Redis70), New(datastore.DefaultLimits(), servers.Redis70)
	var defaults []string
	for i := range b.Params {
		defaults = append(defaults, b.ValueAt(i))
	}
	for name, value := range map[string]string{
		"maxmemory": "100", "maxmemory-policy": "allkeys-lfu", "maxclients": "7", "maxmemory-clients": "5%",
		"notify-keyspace-events": "AKE", "slowlog-log-slower-than": "1", "dir": "/", "hash-max-listpack-entries": "3",
		"client-output-buffer-limit": "normal 1 2 3 slave 4 5 6 pubsub 7 8 9",
	} {
		a.SetAt(a.Names[name], value)
		require.Equal(t, value, a.Value(name))
	}
	a.RefuseBy("port", func(string) string { return "no" })

	for i := range b.Params {
		require.Equal(t, defaults[i], b.ValueAt(i), b.Params[i].Name)
		require.Equal(t, b.Params[i].refuse == nil, b.RefusalAt(i) == nil)
	}
	require.Equal(t, "no", a.RefusalAt(a.Names["port"])("1"))
	require.Equal(t, New(datastore.DefaultLimits(), servers.Redis70).derived, b.derived)
	require.EqualValues(t, 7, a.ConnLimits().MaxClients)
	require.EqualValues(t, 10000, b.ConnLimits().MaxClients)
	require.True(t, a.limits.LFU)
	require.False(t, b.limits.LFU)
	require.False(t, a.Memory == b.Memory)
}

// A new configuration takes the defaults of parameters whose values are elsewhere, too.
func TestDefaultsArePutInPlace(t *testing.T) {
	limits := datastore.DefaultLimits()
	limits.LFU = true
	c := New(limits, servers.Redis70)
	require.False(t, limits.LFU)
	require.True(t, c.LatencyTracking)
	require.EqualValues(t, 1_000_000, c.MaxTrackedKeys)
	require.EqualValues(t, 10_000, c.SlowlogSlowerThan)
	require.NotEmpty(t, c.Value("dir"))
}

// dir is the working directory at the time when the configuration is made.
func TestDirIsTheWorkingDirectory(t *testing.T) {
	before := New(datastore.DefaultLimits(), servers.Redis70)
	dir := t.TempDir()
	t.Chdir(dir)
	require.Equal(t, dir, New(datastore.DefaultLimits(), servers.Redis70).Value("dir"))
	require.NotEqual(t, dir, before.Value("dir"))
}
