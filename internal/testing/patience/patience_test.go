package patience

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// failing records how a test fails. It ends the goroutine, as *testing.T does.
type failing struct {
	testing.TB
	text string
}

func (*failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) {
	f.text = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// failure returns how run fails; empty if it does not.
func failure(run func(testing.TB)) string {
	f := &failing{}
	var wait sync.WaitGroup
	wait.Go(func() { run(f) })
	wait.Wait()
	return f.text
}

func TestUntilEndsWithTheFirstYes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		require.Empty(t, failure(func(t testing.TB) { Until(t, func() bool { asked++; return asked == 3 }) }))
		require.Equal(t, 3, asked)
	})
}

func TestTryReturnsTheLastError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, broken := 0, errors.New("broken")
		try := func(enough int) error {
			return Try(func() error {
				if asked++; asked < enough {
					return broken
				}
				return nil
			})
		}
		require.NoError(t, try(3))
		require.Equal(t, 3, asked)
		require.ErrorIs(t, try(1e9), broken)
	})
}

func TestWhatNeverComesFailsTheTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		require.Equal(t, "not within 3m0s: key 7", failure(func(t testing.TB) {
			Until(t, func() bool { return false }, "key %d", 7)
		}))
		require.Equal(t, "nothing received within 3m0s", failure(func(t testing.TB) { Receive(t, make(chan int)) }))
		require.Equal(t, 7, Receive(t, func() chan int { c := make(chan int, 1); c <- 7; return c }()))
		<-Context(t).Done()
	})
}
