package aof

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/persist/internal/disk"
)

// Policy is when a [Writer] flushes (appendfsync).
type Policy int

const (
	// Everysec flushes once a second. Bytes are safe when they were handed to the operating system,
	// immediately, or within 5 ms of the last write, if the disk keeps up.
	Everysec Policy = iota
	// Always flushes after each write. Bytes are safe when they were flushed.
	Always
	// No leaves flushing to the operating system. Bytes are safe when they were handed to it.
	No
)

// Errors of a Writer.
var (
	// ErrWrite is wrapped by the error of a failed write, which is tried again each second. The
	// bytes are kept meanwhile: they may become safe later.
	ErrWrite = errors.New("writing the append only file")
	// ErrLost is wrapped by the error of a failed flush, of a partial write that could not be cut
	// off, and of bytes that were discarded because the buffer was full while writing failed.
	// Nothing more is written to the file: only [Writer.Covered] ends this state.
	ErrLost = errors.New("the append only file has lost data")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("the append only file is closed")
)

// Clock is the time of a Writer.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once, after d. stop cancels the call if it can.
	AfterFunc(d time.Duration, f func()) (stop func())
}

// Options are the settings of a Writer.
type Options struct {
	Policy Policy // default Everysec
	Clock  Clock  // default: the machine's
	// Buffer is the number of pending bytes from which [Writer.Full] reports true. Default 64 MiB.
	Buffer int64
	// Log gets log lines in the words of Redis, on the Writer's goroutine. Default: none. It must
	// not call the Writer.
	Log func(level slog.Level, line string)
	// Synced is called on the Writer's goroutine after each flush. Default: none. It must not call the
	// Writer.
	Synced func()
}

const (
	retryAfter   = time.Second
	syncEvery    = time.Second
	syncIsLate   = 2 * time.Second
	logErrors    = 30 * time.Second // between log lines about errors
	maxSpare     = 4 << 20          // bytes of a buffer that is used again
	defaultSpace = 64 << 20
)

// Writer appends to files. Its methods may be called by several goroutines, but the order of the
// bytes is the order of the calls of Append: one goroutine should make them.
//
// Errors. After a failed write the partial write is cut off, and the Writer tries again each second
// and when it is closed. Whatever else fails loses the data from the last safe position on:
// [Writer.Err] wraps [ErrLost], Append discards what it gets, and the way out is a new base file:
//
//  1. [Writer.Switch] to a new file, at the moment whose state the base file will hold;
//  2. write the base file and replace the manifest, which lists both files now and not earlier;
//  3. [Writer.Covered] with the position that Switch returned.
//
// A rewrite without errors does the same, except that the manifest lists the new incremental file
// before step 1.
//
// Invariant: a position is reported safe only if all bytes up to it are in the files, or covered.
type Writer struct {
	opt  Options
	wake chan struct{} // capacity 1
	done chan struct{} // closed when the goroutine has ended

	status  atomic.Pointer[failure] // nil: writing works
	pending atomic.Int64            // bytes that are not written
	syncing atomic.Int64            // when a flush began, in nanoseconds of Unix time; 0: none runs

	mu       sync.Mutex
	room     *sync.Cond // pending or status has changed
	queue    []*segment // not empty before the end; the last takes what is appended
	end      int64      // the position of the next byte
	waiters  []waiter   // by position
	policy   Policy
	closing  bool
	ended    bool // the goroutine calls nobody any more
	closeErr error
	garbage  []disk.File // to be closed
	lastSync time.Time
	lastLog  time.Time
	retryAt  time.Time
	stats    Stats
	spare    []byte
	gathering
}

// failure is the state of a Writer that cannot write.
type failure struct{ err error }

// segment is what goes to one file.
type segment struct {
	file    disk.File
	start   int64  // the position of the first byte that was appended
	written int64  // the position up to which the file is written
	synced  int64  // the position up to which the file is flushed
	size    int64  // bytes of the file
	batch   []byte // the goroutine's: being written. It begins at written.
	buf     []byte // follows batch
	dead    bool   // nothing more is written: data are lost
}

// waiter is a callback of OnSafe.
type waiter struct {
	pos int64
	f   func(error)
}

// NewWriter returns a Writer that appends to a file of size bytes, and starts its goroutine. The
// Writer owns the file. Close ends it.
func NewWriter(file disk.File, size int64, opt Options) *Writer {
	if opt.Clock == nil {
		opt.Clock = machineClock{}
	}
	if opt.Buffer == 0 {
		opt.Buffer = defaultSpace
	}
	w := &Writer{opt: opt, policy: opt.Policy, wake: make(chan struct{}, 1), done: make(chan struct{})}
	w.room = sync.NewCond(&w.mu)
	w.queue = []*segment{{file: file, size: size}}
	w.lastSync = opt.Clock.Now()
	w.stats.LastSync = w.lastSync
	go w.run()
	return w
}

type machineClock struct{}

func (machineClock) Now() time.Time { return time.Now() }

func (machineClock) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// Append appends bytes and returns the position after them. It copies p and never waits. The caller
// should not let a command run that appends while [Writer.Full] is true or [Writer.Err] is not nil;
// what is appended all the same in the state of [ErrLost] is discarded.
func (w *Writer) Append(p []byte) (pos int64) {
	w.mu.Lock()
	w.end += int64(len(p))
	pos = w.end
	last := w.queue[len(w.queue)-1]
	switch {
	case last.dead || w.closing:
	case w.status.Load() != nil && w.pending.Load() > w.opt.Buffer:
		w.overflow()
	default:
		last.buf = append(last.buf, p...)
		w.pending.Add(int64(len(p)))
		w.gather()
	}
	now := w.mustWrite(last)
	w.mu.Unlock()
	if now {
		w.notify()
	}
	return pos
}

func (w *Writer) notify() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// OnSafe calls f when all bytes up to a position are safe by the policy, or immediately after it is
// known that they may not be. Then err wraps [ErrWrite], [ErrLost] or [ErrClosed]: the bytes may be
// in the file after a restart or not. f runs on the Writer's goroutine, in the order of positions;
// it must return soon and must not call Close. It is called exactly once. After Close it runs on
// the goroutine of the caller.
func (w *Writer) OnSafe(pos int64, f func(err error)) {
	w.mu.Lock()
	if w.ended {
		err := w.closeErr
		switch {
		case pos <= w.safe():
			err = nil
		case err == nil:
			err = ErrClosed
		}
		w.mu.Unlock()
		f(err)
		return
	}
	i := len(w.waiters)
	for i > 0 && w.waiters[i-1].pos > pos {
		i--
	}
	w.waiters = append(w.waiters, waiter{})
	copy(w.waiters[i+1:], w.waiters[i:])
	w.waiters[i] = waiter{pos, f}
	now := w.mustWrite(w.queue[0])
	w.mu.Unlock()
	if now {
		w.notify()
	}
}

// Err returns nil while writing works, and otherwise an error that wraps [ErrWrite] or [ErrLost].
// It costs one atomic load.
func (w *Writer) Err() error {
	if f := w.status.Load(); f != nil {
		return f.err
	}
	return nil
}

// Full reports whether callers should wait with [Writer.WaitRoom] before they append more: the
// buffer is full, or under Everysec a flush has been running for more than two seconds while bytes
// wait. It costs two atomic loads.
func (w *Writer) Full() bool {
	pending := w.pending.Load()
	if pending > w.opt.Buffer {
		return true
	}
	began := w.syncing.Load()
	return began != 0 && pending > 0 && w.opt.Clock.Now().UnixNano()-began > int64(syncIsLate)
}

// WaitRoom returns when [Writer.Full] is false, or with the error of [Writer.Err].
func (w *Writer) WaitRoom() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		if err := w.Err(); err != nil {
			return err
		}
		if w.closing || !w.Full() {
			return nil
		}
		w.room.Wait()
	}
}

// SetPolicy changes the policy from the next write on. Under Always, what was written before is
// flushed.
func (w *Writer) SetPolicy(p Policy) {
	w.mu.Lock()
	w.policy = p
	w.gather()
	w.mu.Unlock()
	w.notify()
}

// Close writes and flushes what is pending, once even if writing fails, closes the files and ends
// the goroutine. It returns nil if everything is flushed. Later calls return the same.
func (w *Writer) Close() error {
	w.mu.Lock()
	w.closing = true
	w.mu.Unlock()
	w.notify()
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closeErr
}
