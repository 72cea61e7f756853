package persist_test

import (
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/persist/internal/faultdisk"
)

// A key of a dump whose time has ended meanwhile is not loaded, and the log and INFO say so.
func TestExpiredKeysOfADump(t *testing.T) {
	clock := engine.NewVirtualClock(time.Unix(1_700_000_000, 0))
	o := persist.Options{Dir: t.TempDir()}
	var log strings.Builder
	open := func() *engine.Engine {
		e, err := engine.New(engine.Options{Clock: clock, Persistence: persist.New(o), Logger: slog.New(slog.NewTextHandler(&log, nil))})
		require.NoError(t, err)
		t.Cleanup(func() { _ = e.Close() })
		return e
	}
	e := open()
	do(t, e, "SET gone v PX 1000")
	do(t, e, "SET stays v PX 9000")
	do(t, e, "SET ever v")
	do(t, e, "SAVE")
	require.NoError(t, e.Close())
	log.Reset()
	clock.Advance(5 * time.Second)
	e = open()
	require.EqualValues(t, 2, mustInt(t, e, "DBSIZE"))
	require.Equal(t, "1", info(t, e, "rdb_last_load_keys_expired"))
	require.Equal(t, "2", info(t, e, "rdb_last_load_keys_loaded"))
	require.Contains(t, log.String(), "Loading RDB produced by version 7.0.15")
	require.Contains(t, log.String(), "RDB age 5 seconds")
	require.Contains(t, log.String(), "Done loading RDB, keys loaded: 2, keys expired: 1.")
	require.EqualValues(t, 4000, mustInt(t, e, "PTTL stays"))
}

// A save point whose dump has failed tries again after five seconds, and not before.
func TestASavePointTriesAgain(t *testing.T) {
	clock := engine.NewVirtualClock(time.Unix(1_700_000_000, 0))
	d := newDisk(t)
	e, err := engine.New(engine.Options{Clock: clock,
		Persistence: persist.New(persist.OnDisk(persist.Options{Dir: "/data", Save: "10 1"}, d))})
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	do(t, e, "SET a 1")
	d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
		if c.Op == faultdisk.Create {
			return &faultdisk.Fault{Err: syscall.ENOSPC}
		}
		return nil
	})
	pass := func(seconds int) {
		for range seconds {
			clock.Advance(time.Second)
			do(t, e, "ECHO x")
		}
	}
	pass(11)
	untilInfoIs(t, e, "rdb_last_bgsave_status:err")
	d.Inject(nil)
	pass(4)
	require.Equal(t, "err", info(t, e, "rdb_last_bgsave_status"))
	pass(3)
	untilInfoIs(t, e, "rdb_last_bgsave_status:ok")
}
