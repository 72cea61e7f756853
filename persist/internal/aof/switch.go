package aof

import (
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/persist/internal/disk"
)

// ErrNotSwitched is returned by [Writer.Covered] if no file begins at the position, or if bytes
// after it were lost as well: a new file and a new base are needed.
var ErrNotSwitched = errors.New("no file of the append only file begins at the position")

// Switch makes an empty file the one to which all later bytes go, and returns the present position.
// The Writer owns the file. The Writer flushes and closes the file before when it is written, and
// only then writes to the new one.
func (w *Writer) Switch(file disk.File) (pos int64) {
	w.mu.Lock()
	pos = w.end
	if w.closing {
		w.garbage = append(w.garbage, file)
	} else {
		w.queue = append(w.queue, &segment{file: file, start: pos, written: pos, synced: pos})
	}
	w.mu.Unlock()
	w.notify()
	return pos
}

// Covered reports that a base file which holds everything up to a position is safe: what is pending
// before the position is discarded and counts as safe, and the file that begins there is next. pos
// must be what [Writer.Switch] returned. It ends the states of [ErrWrite] and [ErrLost]. If that
// file is in use already it does nothing.
func (w *Writer) Covered(pos int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := -1
	for i, s := range w.queue {
		if s.start == pos && (i > 0 || !s.dead) && s.file != nil {
			at = i // the last, if nothing was appended between two switches
		}
	}
	switch {
	case w.closing:
		return ErrClosed
	case at < 0 && w.queue[0].start > pos && !w.queue[0].dead:
		return nil
	case at < 0 || w.queue[at].dead:
		return fmt.Errorf("%w: %d", ErrNotSwitched, pos)
	case at == 0:
		return nil
	}
	for _, s := range w.queue[:at] {
		w.pending.Add(-int64(len(s.batch) + len(s.buf)))
		w.garbage = append(w.garbage, s.file)
	}
	w.queue = w.queue[at:]
	w.status.Store(nil)
	w.room.Broadcast()
	w.notify()
	return nil
}

// overflow discards everything that is pending: nobody writes it, and it would grow without bound.
// The caller holds the lock.
func (w *Writer) overflow() {
	if e := w.status.Load(); e == nil || !errors.Is(e.err, ErrLost) {
		w.lose(fmt.Errorf("%w: its buffer is full: %w", ErrLost, w.Err()))
	}
	for _, s := range w.queue[1:] {
		w.garbage = append(w.garbage, s.file)
	}
	w.queue = w.queue[:1]
	w.queue[0].buf = nil
	w.pending.Store(int64(len(w.queue[0].batch)))
}

// lose makes the first file one that is not written any more. The caller holds the lock.
func (w *Writer) lose(err error) {
	s := w.queue[0]
	s.dead = true
	w.pending.Add(-int64(len(s.buf)))
	s.buf = nil
	w.status.Store(&failure{err})
	w.stats.LastErr = err
	w.room.Broadcast()
}
