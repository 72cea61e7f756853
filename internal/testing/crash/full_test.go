//go:build unix

package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/stretchr/testify/require"
)

func init() {
	limit = func(bytes int64) error {
		signal.Ignore(syscall.SIGXFSZ) // writes fail in place of it
		var l syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
			return err
		}
		if l.Cur = l.Max; bytes >= 0 {
			l.Cur = uint64(bytes)
		}
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l)
	}
}

// TestKilledWhenTheDiskIsFull lets the file of an engine with appendfsync always reach a limit in
// the middle of a write of the load. The callers get MISCONF, and reads go on. Then it kills the
// engine, or lifts the limit, waits until the engine accepts writes, and kills it under the load.
func TestKilledWhenTheDiskIsFull(t *testing.T) {
	left := kills(t, 4, 10)
	rnd := newRand(t)
	for left > 0 {
		now := min(left, season)
		full(t, now, rnd)
		left -= now
	}
}

func full(t *testing.T, kills int, rnd *rand.Rand) {
	c := &child{dir: t.TempDir(), fsync: "always"}
	r := &rain{packets: 2000 + 2000*kills, answered: map[string]answer{}}
	recovered := 0
	for i := range kills {
		a, hangUp := activity(t, c.start(t))
		if i == 0 {
			r.open(t, a)
		}
		info, err := os.Stat(lastIncrement(t, c.dir))
		require.NoError(t, err)
		c.limit(t, info.Size()+rnd.Int64N(20_000))
		r.grab(a, 0)
		require.ErrorContains(t, r.failed, "MISCONF Errors writing to the AOF file")
		_, err = a.Status(context.Background())
		require.NoError(t, err, "not readable")
		if rnd.IntN(2) == 0 {
			recovered++
			c.limit(t, -1)
			require.NoError(t, patience.Try(func() error {
				_, err := a.Grab(context.Background(), fmt.Sprint("u", r.next.Add(1)))
				return err
			}), "it does not recover")
			enough, done := r.after(rnd.IntN(150)), make(chan struct{})
			go func() {
				<-enough
				c.kill()
				close(done)
			}()
			r.grab(a, 0)
			<-done
		} else {
			c.kill()
		}
		hangUp()
		a, hangUp = activity(t, c.start(t))
		r.check(t, a, time.Time{})
		hangUp()
		c.kill()
	}
	t.Logf("%d times full, %d times recovered before the kill, %d grabs answered, none missing, none twice", kills, recovered, len(r.answered))
}
