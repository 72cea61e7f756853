package redmoontest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

// recordingTB is the TB of a test whose end another test looks at.
type recordingTB struct {
	testing.TB
	cleanups []func()
	errors   []string
}

func (r *recordingTB) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recordingTB) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// endsAnyway runs a test in which a script does not end, and returns what the end of the test says.
func endsAnyway(t *testing.T, run func(e *redmoontest.Engine)) string {
	tb := &recordingTB{TB: t}
	e := redmoontest.New(tb)
	_, err := e.DoStrings(context.Background(), "CONFIG", "SET", "busy-reply-threshold", "1")
	require.NoError(t, err)
	run(e)
	for _, f := range slices.Backward(tb.cleanups) {
		f()
	}
	return strings.Join(tb.errors, "\n")
}

// awaitBusy waits until a script runs.
func awaitBusy(t *testing.T, e *redmoontest.Engine) {
	patience.Until(t, func() bool {
		_, err := e.DoStrings(context.Background(), "PING")
		return errors.Is(err, engine.ErrBusy)
	}, "a script runs")
}

// A script that loops for ever, and whose client has given up, does not keep a test from its end,
// which says what was stopped.
func TestAnEndlessScriptEndsWithTheTest(t *testing.T) {
	t.Parallel()
	const loop = "while true do end"
	over := func(text string) func(e *redmoontest.Engine) {
		return func(e *redmoontest.Engine) {
			nc, err := net.Dial("tcp", e.Addr())
			require.NoError(t, err)
			_, err = fmt.Fprintf(nc, "*3\r\n$4\r\nEVAL\r\n$%d\r\n%s\r\n$1\r\n0\r\n", len(text), text)
			require.NoError(t, err)
			awaitBusy(t, e)
			require.NoError(t, nc.Close())
		}
	}
	for name, c := range map[string]struct {
		run  func(e *redmoontest.Engine)
		want string
	}{
		"over a connection": {over(loop), `EVAL "while true do end" 0`},
		"after a write":     {over("redis.call('SET', 'a', 1) " + loop), "redis.call('SET', 'a', 1)"},
		"that catches":      {over("while true do pcall(function() " + loop + " end) end"), "while true do pcall"},
		"in a call": {func(e *redmoontest.Engine) {
			go func() { _, _ = e.Eval(context.Background(), "redis.call('SET', 'a', 1) "+loop, nil) }()
			awaitBusy(t, e)
		}, "EVAL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := endsAnyway(t, c.run)
			require.Contains(t, said, "still running at the end of the test, and has been stopped: EVAL")
			require.Contains(t, said, c.want)
			require.NotContains(t, said, "broken")
		})
	}
}

// A script that ends soon is not stopped.
func TestAShortScriptIsNotStopped(t *testing.T) {
	require.Empty(t, endsAnyway(t, func(e *redmoontest.Engine) {
		nc, err := net.Dial("tcp", e.Addr())
		require.NoError(t, err)
		_, err = fmt.Fprintf(nc, "EVAL 'local x = 0 for i = 1, 1e5 do x = x + i end return x' 0\r\n")
		require.NoError(t, err)
		_, err = bufio.NewReader(nc).ReadString('\n')
		require.NoError(t, err)
	}))
}
