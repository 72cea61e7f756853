package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// XREADGROUP with CLAIM and BLOCK waits until a pending entry has been idle for long enough.
func TestAReaderWaitsForAnEntryToBecomeIdle(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_000_000))
	e := newEngine(t, engine.Options{Clock: clock, Server: "redis-8.6"})
	do(t, e, "XADD", "s", "1-1", "a", "b")
	do(t, e, "XGROUP", "CREATE", "s", "g", "0")
	do(t, e, "XREADGROUP", "GROUP", "g", "c", "STREAMS", "s", ">")
	sess, err := e.NewSession()
	require.NoError(t, err)
	wait := func(block string) <-chan string {
		got := make(chan string, 1)
		go func() {
			v, err := sess.Do(context.Background(), "XREADGROUP", "GROUP", "g", "d", "BLOCK", block, "CLAIM", "300", "STREAMS", "s", ">")
			if err != nil {
				got <- err.Error()
				return
			}
			got <- v.String()
		}()
		patience.Until(t, func() bool { return readerWaits(t, e) })
		return got
	}
	got := wait("0")
	clock.Advance(200 * time.Millisecond)
	do(t, e, "XCLAIM", "s", "g", "c", "0", "1-1") // idle again from now on
	clock.Advance(200 * time.Millisecond)
	require.True(t, readerWaits(t, e))
	clock.Advance(100 * time.Millisecond)
	require.Contains(t, <-got, "(integer) 300")
	require.Equal(t, "d", do(t, e, "XPENDING", "s", "g", "-", "+", "10").Slice()[0].Slice()[1].Text())

	got = wait("100") // the time-out comes first
	clock.Advance(100 * time.Millisecond)
	require.Equal(t, "(nil)", <-got)

	do(t, e, "XDEL", "s", "1-1") // what was deleted is never read
	got = wait("1000")
	clock.Advance(999 * time.Millisecond)
	require.True(t, readerWaits(t, e))
	clock.Advance(time.Millisecond)
	require.Equal(t, "(nil)", <-got)
}

// readerWaits reports whether a client waits.
func readerWaits(t *testing.T, e *engine.Engine) bool {
	t.Helper()
	return !strings.Contains(do(t, e, "INFO", "clients").Text(), "blocked_clients:0\r\n")
}
