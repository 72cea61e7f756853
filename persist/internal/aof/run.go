package aof

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/files"
)

// run is the Writer's goroutine. Every step holds the lock, except during calls of the file system
// and of callers' functions.
func (w *Writer) run() {
	w.mu.Lock()
	for !w.ended {
		w.step()
	}
	w.mu.Unlock()
	close(w.done)
}

// step does the next thing that is to be done, or waits for one.
func (w *Writer) step() {
	w.closeGarbage()
	s, now := w.queue[0], w.opt.Clock.Now()
	switch {
	case s.dead:
		w.drop(s)
		w.rest(0)
	case w.status.Load() != nil && now.Before(w.retryAt) && !w.closing:
		w.rest(w.retryAt.Sub(now))
	case w.mustWrite(s) && s.take(&w.spare):
		w.gatherAgain(len(s.batch))
		w.write(s)
	case s.synced < s.written && w.mustSync(now):
		w.sync(s)
	case len(w.queue) > 1:
		w.garbage = append(w.garbage, s.file)
		w.queue = slices.Delete(w.queue, 0, 1)
	case s.synced < s.written && w.policy == Everysec:
		w.rest(w.lastSync.Add(syncEvery).Sub(now))
	default:
		w.rest(0)
	}
}

// take makes a batch of what was appended, if there is not one already.
func (s *segment) take(spare *[]byte) bool {
	if len(s.batch) == 0 && len(s.buf) > 0 {
		s.batch, s.buf, *spare = s.buf, *spare, nil
	}
	return len(s.batch) > 0
}

// mustSync reports whether what is written must be flushed now.
func (w *Writer) mustSync(now time.Time) bool {
	return w.policy == Always || w.closing || len(w.queue) > 1 ||
		w.policy == Everysec && now.Sub(w.lastSync) >= syncEvery
}

// drop discards the batch of a file that is not written any more.
func (w *Writer) drop(s *segment) {
	w.pending.Add(-int64(len(s.batch)))
	s.batch = nil
}

// rest calls the callbacks that are due, and waits for something to do, at most d if d is positive.
// At the end it ends the Writer.
func (w *Writer) rest(d time.Duration) {
	w.answer()
	if len(w.garbage) > 0 {
		return
	}
	if w.closing {
		w.finish()
		return
	}
	stop := func() {}
	if d > 0 {
		stop = w.opt.Clock.AfterFunc(d, w.notify)
	}
	w.mu.Unlock()
	<-w.wake
	stop()
	w.mu.Lock()
}

// finish ends the Writer. What callbacks did meanwhile may have left more to do.
func (w *Writer) finish() {
	s := w.queue[0]
	if !s.dead && (len(s.batch)+len(s.buf) > 0 || len(w.queue) > 1 || s.synced < s.written) {
		return
	}
	if f := w.status.Load(); f != nil {
		w.closeErr = f.err
	}
	for _, s := range w.queue {
		w.garbage = append(w.garbage, s.file)
	}
	w.closeGarbage()
	for len(w.waiters) > 0 { // of bytes that were appended after Close had begun
		x := w.waiters[0]
		w.waiters = w.waiters[1:]
		w.mu.Unlock()
		x.f(ErrClosed)
		w.mu.Lock()
	}
	w.ended = true
	w.room.Broadcast()
}

func (w *Writer) closeGarbage() {
	for len(w.garbage) > 0 {
		list := w.garbage
		w.garbage = nil
		w.mu.Unlock()
		for _, f := range list {
			_ = f.Close() // what must be safe is flushed
		}
		w.mu.Lock()
	}
}

// safe returns the position up to which bytes are safe by the policy.
func (w *Writer) safe() int64 {
	s := w.queue[0]
	if w.policy == Always || s.dead {
		return s.synced
	}
	return s.written
}

// answer calls the callbacks of positions that are safe, and those of all others if writing fails.
func (w *Writer) answer() {
	for len(w.waiters) > 0 {
		safe, failed, n := w.safe(), w.status.Load(), 0
		for n < len(w.waiters) && (w.waiters[n].pos <= safe || failed != nil) {
			n++
		}
		if n == 0 {
			return
		}
		list := w.waiters[:n:n]
		w.waiters = append([]waiter(nil), w.waiters[n:]...)
		w.gatherCallers(n)
		w.mu.Unlock()
		for _, x := range list {
			if x.pos <= safe {
				x.f(nil)
			} else {
				x.f(failed.err)
			}
		}
		w.mu.Lock()
	}
}

// write writes the batch of the first file.
func (w *Writer) write(s *segment) {
	batch := s.batch
	w.mu.Unlock()
	n, err := s.file.Write(batch)
	if err == nil && n < len(batch) {
		err = io.ErrShortWrite
	}
	var cutErr error
	if err != nil {
		cutErr = s.file.Truncate(s.size)
	}
	w.mu.Lock()
	switch {
	case s != w.queue[0] || s.dead: // covered or lost meanwhile
	case err == nil:
		w.wrote(s)
	case cutErr != nil || w.closing:
		w.logWriteError(err, n, len(batch), cutErr)
		w.lose(fmt.Errorf("%w: %w", ErrLost, errors.Join(err, cutErr)))
		w.drop(s)
	default:
		w.logWriteError(err, n, len(batch), nil)
		w.stats.LastErr = err
		w.status.Store(&failure{fmt.Errorf("%w: %w", ErrWrite, err)})
		w.retryAt = w.opt.Clock.Now().Add(retryAfter)
		w.room.Broadcast()
	}
	w.answerIfDue(s)
}

// wrote notes that the batch of a file is written.
func (w *Writer) wrote(s *segment) {
	n := int64(len(s.batch))
	s.size += n
	s.written += n
	if cap(s.batch) <= maxSpare {
		w.spare = s.batch[:0]
	}
	s.batch = nil
	w.pending.Add(-n)
	if w.status.Swap(nil) != nil {
		w.log(slog.LevelWarn, "AOF write error looks solved, Redis can write again.")
	}
	w.room.Broadcast()
}

// answerIfDue calls callbacks between two steps that do not wait.
func (w *Writer) answerIfDue(s *segment) {
	if s == w.queue[0] && (w.policy != Always || s.dead || s.synced == s.written) {
		w.answer()
	}
}

// sync flushes the first file.
func (w *Writer) sync(s *segment) {
	target, began := s.written, w.opt.Clock.Now()
	everysec := w.policy == Everysec
	if everysec {
		w.syncing.Store(began.UnixNano())
	}
	w.stats.Syncing = true
	w.mu.Unlock()
	start := time.Now()
	err := s.file.Sync()
	took := time.Since(start)
	w.mu.Lock()
	w.syncTook = took
	w.syncing.Store(0)
	w.stats.Syncing = false
	w.lastSync = began
	if everysec && w.pending.Load() > 0 && w.opt.Clock.Now().Sub(began) > syncIsLate {
		w.stats.Delayed++
		w.log(slog.LevelInfo, "Asynchronous AOF fsync is taking too long (disk is busy?). Writing the AOF buffer without "+
			"waiting for fsync to complete, this may slow down Redis.")
	}
	switch {
	case s != w.queue[0] || s.dead:
	case err != nil:
		w.log(slog.LevelError, "Fail to fsync the AOF file: "+files.Strerror(err))
		w.lose(fmt.Errorf("%w: flushing: %w", ErrLost, err))
	default:
		s.synced = target
		w.stats.LastSync = began
		if w.opt.Synced != nil {
			w.mu.Unlock()
			w.opt.Synced()
			w.mu.Lock()
		}
	}
	w.room.Broadcast()
	w.answerIfDue(s)
}

// logWriteError logs a failed write, at most once in 30 seconds.
func (w *Writer) logWriteError(err error, n, want int, cutErr error) {
	now := w.opt.Clock.Now()
	if cutErr == nil && !w.lastLog.IsZero() && now.Sub(w.lastLog) <= logErrors {
		return
	}
	w.lastLog = now
	if n > 0 {
		w.log(slog.LevelError, fmt.Sprintf("Short write while writing to the AOF file: (nwritten=%d, expected=%d)", n, want))
	} else {
		w.log(slog.LevelError, "Error writing to the AOF file: "+files.Strerror(err))
	}
	if cutErr != nil {
		w.log(slog.LevelError, "Could not remove short write from the append-only file.  Redis may refuse to load the AOF the "+
			"next time it starts.  ftruncate: "+files.Strerror(cutErr))
	}
}

func (w *Writer) log(level slog.Level, line string) {
	if w.opt.Log != nil {
		w.opt.Log(level, line)
	}
}
