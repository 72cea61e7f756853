package aof

import "time"

// Stats describes a [Writer].
type Stats struct {
	End      int64     // the position after everything that was appended
	Safe     int64     // the position up to which bytes are safe
	Synced   int64     // the position up to which bytes are flushed
	Pending  int64     // bytes that are not written yet (aof_buffer_length)
	FileSize int64     // bytes of the file that is written at present
	LastSync time.Time // beginning of the last successful flush; before it when the Writer was made
	Syncing  bool      // a flush is running
	Delayed  int64     // flushes under Everysec that held writes up for more than two seconds (aof_delayed_fsync)
	LastErr  error     // the last error, also if it is over; nil if there was none
}

// Stats returns the present figures.
func (w *Writer) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.stats
	s.End, s.Safe, s.Synced, s.Pending = w.end, w.safe(), w.queue[0].synced, w.pending.Load()
	s.FileSize = w.queue[0].size
	return s
}
