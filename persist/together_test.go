package persist_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/persist/internal/faultdisk"
)

// Two engines with one directory that end at the same time both end, and the last one's data stays.
func TestTwoEnginesOfADirectoryEndTogether(t *testing.T) {
	dir := t.TempDir()
	ends := make(chan error, 2)
	for _, value := range []string{"1", "2"} {
		e := start(t, persist.Options{Dir: dir, Save: "3600 1"})
		do(t, e, "SET k "+value)
		go func() { ends <- e.Close() }()
	}
	require.NoError(t, patience.Receive(t, ends))
	require.NoError(t, patience.Receive(t, ends))
	e := start(t, persist.Options{Dir: dir})
	require.Contains(t, []string{"1", "2"}, do(t, e, "GET k"))
	require.NoError(t, e.Close())
}

// An engine whose files are whole starts on a full disk and serves what they hold; writes are
// refused.
func TestAStartOnAFullDisk(t *testing.T) {
	d := newDisk(t)
	open := func() (*engine.Engine, error) {
		o := persist.Options{Dir: "/data", AppendOnly: true, AppendFsync: "always"}
		return engine.New(engine.Options{Persistence: persist.New(persist.OnDisk(o, d))})
	}
	e, err := open()
	require.NoError(t, err)
	do(t, e, "SET k 1")
	require.NoError(t, e.Close())

	d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
		switch c.Op {
		case faultdisk.Write, faultdisk.Create:
			return &faultdisk.Fault{Err: syscall.ENOSPC}
		}
		return nil
	})
	e, err = open()
	require.NoError(t, err)
	require.Equal(t, "1", do(t, e, "GET k"))
	_, err = e.DoStrings(ctx, "SET", "k", "2")
	require.ErrorContains(t, err, "MISCONF")
	d.Inject(nil)
	_ = e.Close()
	e, err = open()
	require.NoError(t, err)
	require.NoError(t, e.Close())
}
