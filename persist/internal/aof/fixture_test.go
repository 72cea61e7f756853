package aof_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/persist/internal/aof"
	"github.com/redmoon-lua/redmoon/persist/internal/disk"
	"github.com/redmoon-lua/redmoon/persist/internal/faultdisk"
)

// clock moves only when a test moves it.
type clock struct {
	mu     sync.Mutex
	cond   sync.Cond
	now    time.Time
	timers map[int]timer
	last   int
}

type timer struct {
	at time.Time
	f  func()
}

func newClock() *clock {
	c := &clock{now: time.Unix(1_000_000, 0), timers: map[int]timer{}}
	c.cond.L = &c.mu
	return c
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) AfterFunc(d time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	id := c.last
	c.timers[id] = timer{c.now.Add(d), f}
	c.cond.Broadcast()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, id)
	}
}

// awaitTimer returns when somebody waits for the clock. It returns for which time.
func (c *clock) awaitTimer() (first time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.timers) == 0 {
		c.cond.Wait()
	}
	for _, t := range c.timers {
		if first.IsZero() || t.at.Before(first) {
			first = t.at
		}
	}
	return first
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []func()
	for id, t := range c.timers {
		if !t.at.After(c.now) {
			due = append(due, t.f)
			delete(c.timers, id)
		}
	}
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
}

// await waits until the bytes up to a position are safe or known not to be.
func await(w *aof.Writer, pos int64) error {
	c := make(chan error, 1)
	w.OnSafe(pos, func(err error) { c <- err })
	return <-c
}

func appendFile(t *testing.T, d disk.FS, name string) disk.File {
	t.Helper()
	f, err := d.OpenAppend(name)
	require.NoError(t, err)
	return f
}

func content(t *testing.T, d disk.FS, name string) string {
	t.Helper()
	f, err := d.Open(name)
	require.NoError(t, err)
	text, err := io.ReadAll(f)
	require.NoError(t, err)
	return string(text)
}

// newDisk returns a disk with an empty file "a" that survives a crash, and that file.
func newDisk(t *testing.T) (*faultdisk.Disk, disk.File) {
	t.Helper()
	d := faultdisk.New()
	f := appendFile(t, d, "a")
	require.NoError(t, d.SyncDir("."))
	return d, f
}

func lose(int) int { return 0 }

func dice(seed uint64) func(int) int { return rand.New(rand.NewPCG(seed, 1)).IntN }

// readAll returns the commands of a text, and the error if it is damaged.
func readAll(r *aof.Reader) (commands [][]string, err error) {
	for {
		args, err := r.Next()
		if errors.Is(err, io.EOF) {
			return commands, nil
		}
		if err != nil {
			return commands, err
		}
		commands = append(commands, args)
	}
}

func command(args ...string) string { return string(aof.AppendCommand(nil, args)) }
