package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/stretchr/testify/require"
)

func TestLoadBar(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dump.rdb")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Truncate(path, 400e6))
	var out strings.Builder
	now := time.Unix(1000, 0)
	b := newLoadBar(&out, path, func() time.Time { return now })
	show := func(after time.Duration, read int64) string {
		out.Reset()
		now = now.Add(after)
		b.show(read)
		return out.String()
	}
	require.Empty(t, show(0, 0))
	require.Empty(t, show(999*time.Millisecond, 50e6))
	b.clear()
	require.Empty(t, out.String(), "no bar, nothing to remove")
	require.Equal(t, "\rdump.rdb: [#######.......................]  25% of 400 MB\x1b[K", show(time.Millisecond, 100e6))
	require.Empty(t, show(99*time.Millisecond, 101e6))
	require.Equal(t, "\rdump.rdb: [##############################] 100% of 400 MB\x1b[K", show(time.Millisecond, 500e6))
	b.clear()
	require.True(t, strings.HasSuffix(out.String(), "\r\x1b[K"))

	b = newLoadBar(&out, "pipe", func() time.Time { return now })
	require.Equal(t, "\rpipe: 3 MB\x1b[K", show(time.Second, 3e6))
}

// The bar is drawn only on a terminal, and not for a short load.
func TestAShortLoadShowsNoBar(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dump.rdb")
	require.NoError(t, writeDump(path))
	for _, tty := range []bool{false, true} {
		e, err := engine.New(engine.Options{})
		require.NoError(t, err)
		defer e.Close()
		var out strings.Builder
		f := rdbFlags{RDB: path}
		require.NoError(t, f.load(context.Background(), &streams{err: &out, errTTY: tty}, e))
		require.Empty(t, out.String())
	}
}
