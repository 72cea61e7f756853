package redmoontest_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/redmoontest"
)

// A call is one line, also if its reply is a list or long.
func TestACallIsOneLine(t *testing.T) {
	e := redmoontest.New(t)
	e.MustDo("RPUSH", "l", "a", "two words")
	e.ResetCalls()
	e.MustDo("LRANGE", "l", 0, -1)
	e.MustDo("ECHO", strings.Repeat("x", 10_000))
	calls := e.Calls()
	require.Equal(t, `LRANGE l 0 -1 -> ["a", "two words"]`, calls[0].String())
	require.Less(t, len(calls[1].String()), 1000)
	require.Contains(t, calls[1].String(), "xxx… (10000 bytes) -> ")
	require.Len(t, calls[1].Args[1], 10_000)
}

// fatalTB is the TB of a test that another test lets end.
type fatalTB struct {
	testing.TB
	text string
}

func (f *fatalTB) Fatalf(format string, args ...any) {
	f.text = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// An error reply is one line, so a fault cannot have more.
func TestAnErrorOfSeveralLinesEndsTheTest(t *testing.T) {
	tb := &fatalTB{TB: t}
	e := redmoontest.New(tb)
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.FailNext("GET", "ERR a\nb")
	}()
	<-done
	require.Equal(t, "redmoontest: Inject: an error reply is one line", tb.text)
	_, err := e.DoStrings(context.Background(), "GET", "k")
	require.NoError(t, err)
}
