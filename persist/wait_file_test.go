package persist_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/reply"
)

// waitsForFile starts a WAITAOF that must block, and returns its reply.
func waitsForFile(t *testing.T, e *engine.Engine) <-chan reply.Value {
	t.Helper()
	got := make(chan reply.Value, 1)
	go func() {
		v, err := e.DoStrings(ctx, "WAITAOF", "1", "0", "0")
		if err != nil {
			v = reply.Err(err.Error())
		}
		got <- v
	}()
	patience.Until(t, func() bool {
		v, err := e.DoStrings(ctx, "INFO", "clients")
		return err == nil && strings.Contains(v.Text(), "blocked_clients:1")
	}, "WAITAOF does not block")
	return got
}

// WAITAOF waits until the disk has what the session has written, and ends with an error when the
// file is turned off.
func TestWaitForFile(t *testing.T) {
	clock := engine.NewVirtualClock(time.Unix(1_700_000_000, 0))
	e, err := engine.New(engine.Options{Server: "redis-7.2", Clock: clock,
		Persistence: persist.New(persist.Options{Dir: t.TempDir(), AppendOnly: true})})
	require.NoError(t, err)
	defer e.Close()
	synced := func(yes int64) {
		t.Helper()
		v, err := e.DoStrings(ctx, "WAITAOF", "0", "0", "0")
		require.NoError(t, err)
		require.Equal(t, reply.Array(reply.Int(yes), reply.Int(0)).String(), v.String())
	}
	synced(1) // nothing has been written

	do(t, e, "SET k v")
	synced(0)
	got := waitsForFile(t, e)
	clock.Advance(time.Second)
	require.Equal(t, reply.Array(reply.Int(1), reply.Int(0)).String(), (<-got).String())
	synced(1)

	do(t, e, "SET k w")
	got = waitsForFile(t, e)
	do(t, e, "CONFIG SET appendonly no")
	off := (<-got).Text()
	require.Equal(t, "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.", off)
	synced(0)

	do(t, e, "CONFIG SET appendonly yes")
	v, err := e.DoStrings(ctx, "WAITAOF", "1", "0", "0") // until the base is there
	require.NoError(t, err)
	require.Equal(t, reply.Array(reply.Int(1), reply.Int(0)).String(), v.String())
}

// Under appendfsync no nothing waits for the disk: only a rewrite makes it sure.
func TestWaitForFileWithoutFlush(t *testing.T) {
	e, err := engine.New(engine.Options{Server: "valkey-9.1",
		Persistence: persist.New(persist.Options{Dir: t.TempDir(), AppendOnly: true, AppendFsync: "no"})})
	require.NoError(t, err)
	defer e.Close()
	do(t, e, "SET k v")
	v, err := e.DoStrings(ctx, "WAITAOF", "1", "0", "1")
	require.NoError(t, err)
	require.Equal(t, reply.Array(reply.Int(0), reply.Int(0)).String(), v.String())
	got := waitsForFile(t, e)
	do(t, e, "BGREWRITEAOF")
	require.Equal(t, reply.Array(reply.Int(1), reply.Int(0)).String(), (<-got).String())
}
