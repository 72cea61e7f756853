package rdbfile

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLogLines(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	l := &Loaded{Info: Info{RedisVersion: "7.0.15", Created: now, UsedMemory: 3 << 19}}
	l.Keys, l.Expired = 5, 2
	require.Equal(t, []string{
		"Loading RDB produced by version 7.0.15", "RDB age 0 seconds", "RDB memory usage when created 1.50 Mb",
		"Done loading RDB, keys loaded: 5, keys expired: 2.",
	}, l.LogLines(now))
	require.Contains(t, l.LogLines(now.Add(90*time.Second)), "RDB age 90 seconds")
	require.Contains(t, l.LogLines(now.Add(-time.Hour)), "RDB age 0 seconds", "another clock wrote it")
	require.Equal(t, []string{"Loading RDB produced by version 7.0.15", "RDB memory usage when created 0.00 Mb", "RDB is base AOF",
		"Done loading RDB, keys loaded: 0, keys expired: 0."}, (&Loaded{Info: Info{RedisVersion: "7.0.15", AOFBase: true}}).LogLines(now))
}
