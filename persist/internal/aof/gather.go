package aof

import "time"

// A write serves everything that was appended before it. What comes soon after a write waits a
// little for more, so that a busy engine does not wake the Writer for each command, and so that one
// flush serves all callers that work at the same time.

const (
	gatherFor   = 5 * time.Millisecond // under Everysec and No: at least, from write to write
	gatherUpTo  = 256 << 10            // bytes
	gatherShare = 4                    // under Always: at most this part of the last flush's time
)

type gathering struct {
	writes   int       // the number of writes, by which a timer knows that it is late
	wroteAt  time.Time // when the last write began, by the machine's clock
	gathers  bool      // a timer runs that will set gathered
	gathered bool      // what was appended must be written now

	expected int           // under Always: waiters that are likely to come before the next flush
	syncTook time.Duration // the last flush, by the machine's clock
}

// gather sees to it that what was appended is written soon, and immediately if nothing was written
// for a while. The caller holds the lock.
func (w *Writer) gather() {
	if w.policy == Always || w.gathers || w.gathered {
		return
	}
	if wait := gatherFor - time.Since(w.wroteAt); wait > 0 {
		w.gatherUntil(wait)
	} else {
		w.gathered = true
	}
}

func (w *Writer) gatherUntil(d time.Duration) {
	if w.gathers {
		return
	}
	w.gathers = true
	before := w.writes
	time.AfterFunc(d, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.writes == before {
			w.gathers, w.gathered, w.expected = false, true, 0
			w.notify()
		}
	})
}

// gatherAgain notes that a write of some bytes begins. The caller holds the lock.
func (w *Writer) gatherAgain(bytes int) {
	w.gathering = gathering{writes: w.writes + 1, wroteAt: time.Now(), syncTook: w.syncTook}
	if w.pending.Load() > int64(bytes) {
		w.gather()
	}
}

// gatherCallers makes the next write wait until the callers that were just answered, and those that
// wait already, have all come. They are about to come if they work in a loop. The caller holds the
// lock.
func (w *Writer) gatherCallers(answered int) {
	w.expected = 0
	if wait := w.syncTook / gatherShare; w.policy == Always && answered > 0 && wait > 0 {
		w.expected = answered + len(w.waiters)
		w.gatherUntil(wait)
	}
}

// mustWrite reports whether what was appended must be written now. The caller holds the lock.
func (w *Writer) mustWrite(s *segment) bool {
	if w.gathered || w.closing || len(w.queue) > 1 || len(s.batch) > 0 || len(s.buf) >= gatherUpTo || w.status.Load() != nil {
		return true
	}
	if w.policy == Always {
		return len(w.waiters) >= w.expected
	}
	return len(w.waiters) > 0
}
