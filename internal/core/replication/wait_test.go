package replication_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/reply"
)

// A replica acknowledges what its append-only file has on the disk, and its master counts it.
func TestWaitForFilesOfReplicas(t *testing.T) {
	options := func() engine.Options {
		return engine.Options{Server: "redis-7.2",
			Persistence: persist.New(persist.Options{Dir: t.TempDir(), AppendOnly: true, AppendFsync: "always"})}
	}
	m, r, without := serveWith(t, options()), serveWith(t, options()), serveWith(t, engine.Options{Server: "redis-7.2"})
	r.follow(m)
	without.follow(m)
	require.Equal(t, "OK", m.do("SET k v"))
	v, err := m.e.DoStrings(context.Background(), "WAITAOF", "1", "1", "0")
	require.NoError(t, err)
	require.Equal(t, reply.Array(reply.Int(1), reply.Int(1)).String(), v.String())

	v, err = m.e.DoStrings(context.Background(), "WAIT", "2", "0")
	require.NoError(t, err)
	require.Equal(t, reply.Int(2).String(), v.String())
	// One replica has no file, so the time runs out, at times before the other has answered.
	patience.Until(t, func() bool {
		v, err = m.e.DoStrings(context.Background(), "WAITAOF", "1", "2", "1")
		return err == nil && v.String() == reply.Array(reply.Int(1), reply.Int(1)).String()
	})
	require.Equal(t, "ERR WAITAOF cannot be used with replica instances. Please also note that writes to replicas are just "+
		"local and are not propagated.", r.do("WAITAOF 0 0 0"))
}
