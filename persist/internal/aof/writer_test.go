package aof_test

import (
	"errors"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/persist/internal/aof"
	"github.com/redmoon-lua/redmoon/persist/internal/faultdisk"
)

// gate is a fault function that lets a test stop calls of one kind.
type gate struct {
	op      faultdisk.Op
	reached chan struct{}
	leave   chan struct{}
}

func newGate(op faultdisk.Op) *gate {
	return &gate{op, make(chan struct{}, 100), make(chan struct{}, 100)}
}

// logs collects log lines.
type logs struct {
	mu    sync.Mutex
	lines []string
}

func (l *logs) log(_ slog.Level, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

func (l *logs) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

func TestUnderAlwaysWhatIsSafeSurvivesACrash(t *testing.T) {
	d, f := newDisk(t)
	w := aof.NewWriter(f, 0, aof.Options{Policy: aof.Always, Clock: newClock()})
	require.EqualValues(t, 3, w.Append([]byte("one")))
	require.NoError(t, await(w, w.Append([]byte("two"))))
	require.Equal(t, "onetwo", content(t, d.Crash(lose), "a"))
	_ = w.Close()
}

func TestUnderEverysecAFlushFollowsWithinASecond(t *testing.T) {
	d, f := newDisk(t)
	c := newClock()
	w := aof.NewWriter(f, 0, aof.Options{Clock: c})
	require.NoError(t, await(w, w.Append([]byte("one"))))
	require.Equal(t, "one", content(t, d, "a"), "the system has it")
	require.EqualValues(t, 0, w.Stats().Synced)
	due := c.awaitTimer()
	require.Equal(t, c.Now().Add(time.Second), due)
	c.advance(time.Second - 1)
	require.NoError(t, await(w, w.Append([]byte("two"))))
	require.EqualValues(t, 0, w.Stats().Synced)
	require.Equal(t, due, c.awaitTimer(), "a write does not put the flush off")
	c.advance(1)
	patience.Until(t, func() bool { return w.Stats().Synced == 6 }, "the flush")
	require.NoError(t, await(w, w.Append([]byte("three"))))
	require.Equal(t, c.Now(), w.Stats().LastSync)
	require.Equal(t, "onetwo", content(t, d.Crash(lose), "a"))
	require.Error(t, w.Close())
}

// Nobody waits for it, but what is appended soon after a write reaches the system within 5 ms.
func TestWhatNobodyWaitsForIsWrittenSoon(t *testing.T) {
	for _, policy := range []aof.Policy{aof.Everysec, aof.No} {
		synctest.Test(t, func(t *testing.T) {
			d, f := newDisk(t)
			w := aof.NewWriter(f, 0, aof.Options{Policy: policy})
			w.Append([]byte("one"))
			synctest.Wait()
			require.Equal(t, "one", content(t, d, "a"))
			w.Append([]byte("two"))
			time.Sleep(5*time.Millisecond - 1)
			w.Append([]byte("three"))
			synctest.Wait()
			require.Equal(t, "one", content(t, d, "a"))
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			require.Equal(t, "onetwothree", content(t, d, "a"))
			require.NoError(t, w.Close())
		})
	}
}

func TestUnderNoOnlyCloseFlushes(t *testing.T) {
	d, f := newDisk(t)
	c := newClock()
	w := aof.NewWriter(f, 0, aof.Options{Policy: aof.No, Clock: c})
	for range 3 {
		require.NoError(t, await(w, w.Append([]byte("x"))))
		c.advance(time.Hour)
	}
	require.EqualValues(t, 0, w.Stats().Synced)
	require.NoError(t, w.Close())
	require.NoError(t, w.Close())
	require.Equal(t, "xxx", content(t, d.Crash(lose), "a"))
	require.NoError(t, await(w, 3))
	require.ErrorIs(t, await(w, w.Append([]byte("y"))), aof.ErrClosed)
}

func TestAlwaysFlushesWhatWasWrittenBefore(t *testing.T) {
	d, f := newDisk(t)
	w := aof.NewWriter(f, 0, aof.Options{Policy: aof.No, Clock: newClock()})
	pos := w.Append([]byte("x"))
	require.NoError(t, await(w, pos))
	w.SetPolicy(aof.Always)
	require.NoError(t, await(w, pos))
	require.Equal(t, "x", content(t, d.Crash(lose), "a"))
	_ = w.Close()
}

// While one flush runs, others append; one more flush serves them all.
func TestOneFlushServesAllThatWait(t *testing.T) {
	d, f := newDisk(t)
	g, syncs := newGate(faultdisk.Sync), 0
	d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
		if c.Op == faultdisk.Sync {
			syncs++
			g.reached <- struct{}{}
			<-g.leave
		}
		return nil
	})
	w := aof.NewWriter(f, 0, aof.Options{Policy: aof.Always, Clock: newClock()})
	results := make(chan int, 100)
	for i := range 51 {
		w.OnSafe(w.Append([]byte("x")), func(err error) {
			if err != nil {
				i = -1
			}
			results <- i
		})
		if i == 0 {
			<-g.reached
		}
	}
	g.leave <- struct{}{}
	g.leave <- struct{}{}
	for i := range 51 {
		require.Equal(t, i, <-results, "in order")
	}
	require.NoError(t, await(w, 51))
	d.Inject(nil)
	require.Equal(t, 2, syncs)
	require.NoError(t, w.Close())
}

func TestAFailedWriteIsTriedAgain(t *testing.T) {
	for _, policy := range []aof.Policy{aof.Always, aof.Everysec, aof.No} {
		d, f := newDisk(t)
		c, l := newClock(), &logs{}
		w := aof.NewWriter(f, 0, aof.Options{Policy: policy, Clock: c, Log: l.log})
		require.NoError(t, await(w, w.Append([]byte("one "))))
		full := true
		d.Inject(func(call faultdisk.Call) *faultdisk.Fault {
			if full && call.Op == faultdisk.Write {
				return &faultdisk.Fault{Err: syscall.ENOSPC, Keep: 2}
			}
			return nil
		})
		pos := w.Append([]byte("two "))
		err := await(w, pos)
		require.ErrorIs(t, err, aof.ErrWrite)
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.ErrorIs(t, w.Err(), aof.ErrWrite)
		require.ErrorIs(t, w.WaitRoom(), aof.ErrWrite)
		require.Equal(t, "one ", content(t, d, "a"), "half a write is cut off")
		require.NoError(t, await(w, 4), "what was safe is safe")
		c.awaitTimer()
		c.advance(time.Second)
		require.ErrorIs(t, await(w, w.Append([]byte("three"))), aof.ErrWrite)
		c.awaitTimer()
		require.Equal(t, "Short write while writing to the AOF file: (nwritten=2, expected=4)", l.all(), "once in 30 seconds")
		d.Inject(nil)
		c.advance(time.Second)
		for w.Err() != nil || w.Stats().Pending > 0 {
			c.advance(time.Second)
		}
		require.NoError(t, await(w, w.Stats().End))
		require.Equal(t, "one two three", content(t, d, "a"))
		require.Contains(t, l.all(), "AOF write error looks solved, Redis can write again.")
		require.NoError(t, w.Close())
		require.Equal(t, "one two three", content(t, d.Crash(lose), "a"))
	}
}

func TestAPartThatCannotBeCutOffIsTheEndOfTheFile(t *testing.T) {
	d, f := newDisk(t)
	l := &logs{}
	w := aof.NewWriter(f, 0, aof.Options{Policy: aof.Always, Clock: newClock(), Log: l.log})
	require.NoError(t, await(w, w.Append([]byte("one "))))
	d.Inject(func(call faultdisk.Call) *faultdisk.Fault {
		return &faultdisk.Fault{Err: syscall.EIO, Keep: 2}
	})
	err := await(w, w.Append([]byte("two ")))
	require.ErrorIs(t, err, aof.ErrLost)
	require.ErrorIs(t, err, syscall.EIO)
	require.Contains(t, l.all(), "Could not remove short write from the append-only file.")
	d.Inject(nil)
	require.ErrorIs(t, await(w, w.Append([]byte("three"))), aof.ErrLost)
	require.Equal(t, "one tw", content(t, d, "a"))
	require.EqualValues(t, 0, w.Stats().Pending)
	require.ErrorIs(t, w.Close(), aof.ErrLost)
}

// The fsync-gate: the second flush would succeed, and the bytes are gone all the same.
func TestAfterAFailedFlushNothingIsSafeUntilTheNextFileStands(t *testing.T) {
	for _, policy := range []aof.Policy{aof.Always, aof.Everysec} {
		d, f := newDisk(t)
		c, l := newClock(), &logs{}
		w := aof.NewWriter(f, 0, aof.Options{Policy: policy, Clock: c, Log: l.log})
		c.advance(time.Hour)
		failed := false
		d.Inject(func(call faultdisk.Call) *faultdisk.Fault {
			if call.Op == faultdisk.Sync && !failed {
				failed = true
				return &faultdisk.Fault{Err: syscall.EIO}
			}
			return nil
		})
		first := w.Append([]byte("one"))
		_ = await(w, first) // under Everysec it may be safe: the system has it
		for w.Err() == nil {
			w.SetPolicy(policy)
		}
		require.ErrorIs(t, await(w, first), aof.ErrLost)
		require.ErrorIs(t, await(w, w.Append([]byte("two"))), aof.ErrLost)
		require.Contains(t, l.all(), "Fail to fsync the AOF file: Input/output error")
		require.EqualValues(t, 0, w.Stats().Pending, "nothing is kept")

		pos := w.Switch(appendFile(t, d, "b"))
		require.EqualValues(t, 6, pos)
		last := w.Append([]byte("three"))
		require.ErrorIs(t, await(w, last), aof.ErrLost, "the base is not there yet")
		require.Empty(t, content(t, d, "b"))
		require.ErrorIs(t, w.Covered(pos-1), aof.ErrNotSwitched)
		require.NoError(t, d.SyncDir("."))
		require.NoError(t, w.Covered(pos))
		require.NoError(t, w.Err())
		require.NoError(t, await(w, first), "in the base")
		require.NoError(t, await(w, last))
		require.NoError(t, w.Close())
		require.Equal(t, "three", content(t, d.Crash(lose), "b"))
	}
}

func TestASwitchDividesTheBytes(t *testing.T) {
	d, f := newDisk(t)
	g := newGate(faultdisk.Write)
	d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
		if c.Op == faultdisk.Write {
			g.reached <- struct{}{}
			<-g.leave
		}
		return nil
	})
	w := aof.NewWriter(f, 0, aof.Options{Policy: aof.No, Clock: newClock()})
	w.Append([]byte("1"))
	<-g.reached
	w.Append([]byte("2"))
	b, err := d.OpenAppend("b")
	require.NoError(t, err)
	require.NoError(t, d.SyncDir("."))
	require.EqualValues(t, 2, w.Switch(b))
	pos := w.Append([]byte("3"))
	for range 3 {
		g.leave <- struct{}{}
	}
	require.NoError(t, await(w, pos))
	require.NoError(t, w.Covered(2), "too late to matter")
	require.NoError(t, w.Covered(0), "earlier than the file")
	require.EqualValues(t, 1, w.Stats().FileSize)
	d.Inject(nil)
	after := d.Crash(lose)
	require.Equal(t, "12", content(t, after, "a"), "flushed before the next file")
	require.Empty(t, content(t, after, "b"))
	_ = w.Close()
}

// A full disk, and a rewrite that makes room: the old file is not needed any more.
func TestARewriteEndsAWriteError(t *testing.T) {
	d, f := newDisk(t)
	d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
		if c.Op == faultdisk.Write && c.Name == "a" {
			return &faultdisk.Fault{Err: syscall.ENOSPC}
		}
		return nil
	})
	w := aof.NewWriter(f, 0, aof.Options{Policy: aof.Always, Clock: newClock()})
	old := w.Append([]byte("one"))
	require.ErrorIs(t, await(w, old), aof.ErrWrite)
	pos := w.Switch(appendFile(t, d, "b"))
	next := w.Append([]byte("two"))
	require.ErrorIs(t, await(w, next), aof.ErrWrite)
	require.NoError(t, w.Covered(pos))
	require.NoError(t, await(w, old))
	require.NoError(t, await(w, next))
	require.NoError(t, w.Close())
	require.Empty(t, content(t, d, "a"))
	require.Equal(t, "two", content(t, d, "b"))
}

func TestTheBufferIsBounded(t *testing.T) {
	d, f := newDisk(t)
	g := newGate(faultdisk.Write)
	d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
		if c.Op == faultdisk.Write {
			g.reached <- struct{}{}
			<-g.leave
		}
		return nil
	})
	w := aof.NewWriter(f, 0, aof.Options{Clock: newClock(), Buffer: 10})
	require.NoError(t, w.WaitRoom())
	w.Append([]byte("12345"))
	<-g.reached
	require.False(t, w.Full())
	w.Append([]byte("123456"))
	require.True(t, w.Full())
	waited := make(chan error)
	go func() { waited <- w.WaitRoom() }()
	g.leave <- struct{}{}
	require.NoError(t, <-waited)
	g.leave <- struct{}{}
	require.NoError(t, w.Close())
	require.Equal(t, "12345123456", content(t, d, "a"))
}

// Nobody should append while writing fails; if somebody does, memory stays bounded, and what is
// discarded is reported.
func TestTheBufferIsBoundedWhileWritingFails(t *testing.T) {
	d, f := newDisk(t)
	d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
		if c.Op == faultdisk.Write && c.Name == "a" {
			return &faultdisk.Fault{Err: syscall.ENOSPC}
		}
		return nil
	})
	w := aof.NewWriter(f, 0, aof.Options{Policy: aof.Always, Clock: newClock(), Buffer: 100})
	require.ErrorIs(t, await(w, w.Append([]byte("one"))), aof.ErrWrite)
	lost := w.Switch(appendFile(t, d, "b"))
	for range 1000 {
		w.Append([]byte("0123456789"))
		require.Less(t, w.Stats().Pending, int64(200))
	}
	require.ErrorIs(t, w.Err(), aof.ErrLost)
	require.ErrorIs(t, w.Err(), syscall.ENOSPC)
	require.ErrorIs(t, w.Covered(lost), aof.ErrNotSwitched)
	pos := w.Switch(appendFile(t, d, "c"))
	next := w.Append([]byte("two"))
	require.NoError(t, w.Covered(pos))
	require.NoError(t, await(w, next))
	require.NoError(t, w.Close())
	require.Equal(t, "two", content(t, d, "c"))
	require.Empty(t, content(t, d, "b"))
}

func TestASlowFlushHoldsCallersUpAfterTwoSeconds(t *testing.T) {
	d, f := newDisk(t)
	g, c, l := newGate(faultdisk.Sync), newClock(), &logs{}
	d.Inject(func(call faultdisk.Call) *faultdisk.Fault {
		if call.Op == faultdisk.Sync {
			g.reached <- struct{}{}
			<-g.leave
		}
		return nil
	})
	w := aof.NewWriter(f, 0, aof.Options{Clock: c, Log: l.log})
	c.advance(time.Second)
	w.Append([]byte("one"))
	<-g.reached
	w.Append([]byte("two"))
	require.False(t, w.Full())
	c.advance(2*time.Second + 1)
	require.True(t, w.Full())
	waited := make(chan error)
	go func() { waited <- w.WaitRoom() }()
	g.leave <- struct{}{}
	g.leave <- struct{}{}
	require.NoError(t, <-waited)
	require.NoError(t, w.Close())
	require.EqualValues(t, 1, w.Stats().Delayed)
	require.Contains(t, l.all(), "Asynchronous AOF fsync is taking too long (disk is busy?).")
}

func TestCloseTriesAFailedWriteOnceMore(t *testing.T) {
	d, f := newDisk(t)
	d.FailAt(d.Calls()+1, faultdisk.Fault{Err: syscall.ENOSPC, Keep: 1})
	w := aof.NewWriter(f, 0, aof.Options{Policy: aof.Always, Clock: newClock()})
	require.ErrorIs(t, await(w, w.Append([]byte("one"))), aof.ErrWrite)
	require.NoError(t, w.Close())
	require.Equal(t, "one", content(t, d.Crash(lose), "a"))

	d, f = newDisk(t)
	d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
		if c.Op == faultdisk.Write {
			return &faultdisk.Fault{Err: syscall.ENOSPC}
		}
		return nil
	})
	w = aof.NewWriter(f, 0, aof.Options{Policy: aof.Always, Clock: newClock()})
	require.ErrorIs(t, await(w, w.Append([]byte("one"))), aof.ErrWrite)
	require.ErrorIs(t, w.Close(), syscall.ENOSPC)
	require.True(t, errors.Is(await(w, 3), syscall.ENOSPC))
}

// The first rewrite fails, the second succeeds: the file of the first is skipped.
func TestARewriteCoversSeveralFiles(t *testing.T) {
	d, f := newDisk(t)
	d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
		if c.Op == faultdisk.Sync && c.Name == "a" {
			return &faultdisk.Fault{Err: syscall.EIO}
		}
		return nil
	})
	w := aof.NewWriter(f, 0, aof.Options{Policy: aof.Always, Clock: newClock()})
	require.ErrorIs(t, await(w, w.Append([]byte("one"))), aof.ErrLost)
	w.Switch(appendFile(t, d, "b"))
	between := w.Append([]byte("two"))
	pos := w.Switch(appendFile(t, d, "c"))
	last := w.Append([]byte("three"))
	require.NoError(t, w.Covered(pos))
	require.NoError(t, await(w, between))
	require.NoError(t, await(w, last))
	require.EqualValues(t, 0, w.Stats().Pending)
	require.NoError(t, w.Close())
	require.Empty(t, content(t, d, "b"))
	require.Equal(t, "three", content(t, d, "c"))
}
