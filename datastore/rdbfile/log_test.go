package rdbfile

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLog(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	logged := func(l *Loaded, now time.Time) string {
		var b bytes.Buffer
		l.Log(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})), now, LogForm{})
		return b.String()
	}
	l := &Loaded{Info: Info{RedisVersion: "7.0.15", Created: now, UsedMemory: 3 << 19}}
	l.Keys, l.Expired = 5, 2
	require.Equal(t, `level=INFO msg="Loading RDB produced by version 7.0.15"
level=INFO msg="RDB age 0 seconds"
level=INFO msg="RDB memory usage when created 1.50 Mb"
level=INFO msg="Done loading RDB, keys loaded: 5, keys expired: 2."
`, logged(l, now))
	require.Contains(t, logged(l, now.Add(90*time.Second)), "RDB age 90 seconds")
	require.Contains(t, logged(l, now.Add(-time.Hour)), "RDB age 0 seconds", "another clock wrote it")

	l = &Loaded{Info: Info{RedisVersion: "7.0.15", AOFBase: true}}
	l.Empty, l.EmptyKeys = 11, []string{"a", "b"}
	require.Equal(t, `level=INFO msg="Loading RDB produced by version 7.0.15"
level=INFO msg="RDB memory usage when created 0.00 Mb"
level=INFO msg="RDB is base AOF"
level=WARN msg="rdbLoadObject skipping empty key: a"
level=WARN msg="rdbLoadObject skipping empty key: b"
level=WARN msg="Done loading RDB, keys loaded: 0, keys expired: 0, empty keys skipped: 11."
`, logged(l, now))
}
