package datastore

// keptJournal is the number of steps from which the memory of the journal is not used again.
const keptJournal = 1 << 14

// Mark is a point in the undo journal.
type Mark int

// Recording reports whether changes are journaled for Rollback.
func (s *Store) Recording() bool { return s.recording > 0 }

// Begin starts journaling and returns the current point of the journal. Calls may nest; each needs
// a Commit or Rollback.
func (s *Store) Begin() Mark {
	s.UpdateUsed()
	s.recording++
	s.touching |= touchRecorded
	return Mark(len(s.journal))
}

// Commit ends the journaling that the matching Begin started, and keeps the changes.
func (s *Store) Commit() {
	s.recording--
	if s.recording > 0 {
		return
	}
	s.touching &^= touchRecorded
	s.kept, s.put, s.copied = 0, 0, 0
	if cap(s.journal) > keptJournal {
		s.journal = nil
		return
	}
	clear(s.journal)
	s.journal = s.journal[:0]
}

// Rollback undoes everything since m, newest first, and ends the matching Begin. Undoing emits no
// change; the caller must invalidate what depends on the feed.
func (s *Store) Rollback(m Mark) {
	s.UpdateUsed()
	depth := s.recording
	s.recording = 0
	for i := len(s.journal) - 1; i >= int(m); i-- {
		s.journal[i]()
		s.journal[i] = nil
	}
	s.journal = s.journal[:m]
	s.recording = depth
	s.earliest = s.findEarliest()
	s.Commit()
}

// record adds an undo step. Call it only if s.Recording(), so that the closure is not allocated in
// vain:
//
//	if st.Recording() {
//		st.record(func() { h.restore(old) })
//	}
func (s *Store) record(undo func()) { s.journal = append(s.journal, undo) }

// OnRollback adds an undo step of the owner: f runs when the changes that come after it have been
// undone. It does nothing if the store is not recording. f must not change the store.
func (s *Store) OnRollback(f func()) {
	if s.Recording() {
		s.record(f)
	}
}

// The journal holds what commands have replaced or removed. That takes more memory only if the same
// recording has put it there: so JournalSize compares what is kept with what has been put.

// noteKept counts n bytes of values that have been replaced or removed, and that the journal holds.
func (s *Store) noteKept(n int) { s.kept += int64(n) }

// noteCopied counts n bytes that are copied for the journal.
func (s *Store) noteCopied(n int) { s.copied += int64(n) }

// NotePut counts n bytes that a command puts into values. The store itself counts whole values. It
// matters only while the store is recording.
func (s *Store) NotePut(n int) { s.put += int64(n) }

// recordKept is record for a step that holds n bytes that have been replaced or removed.
func (s *Store) recordKept(n int, undo func()) {
	s.noteKept(n)
	s.record(undo)
}

// stepSize is about the size of an undo step, in bytes.
const stepSize = 160

// JournalSize estimates by how many bytes the memory has grown because of the journal.
func (s *Store) JournalSize() int64 {
	return int64(len(s.journal))*stepSize + s.copied + min(s.kept, s.put)
}

// Trial is a period of a store that may be undone: in addition to what [Store.Rollback] undoes, the
// counters are restored ([Store.Dirty], [Store.Expired] ...). It must end with Commit or Rollback.
type Trial struct {
	s      *Store
	mark   Mark
	before counters
}

// BeginTrial begins a Trial. Trials may nest.
func (s *Store) BeginTrial() Trial { return Trial{s: s, mark: s.Begin(), before: s.counters()} }

// Commit ends the trial and keeps the changes.
func (t *Trial) Commit() { t.s.Commit() }

// Rollback ends the trial and undoes the changes; see [Store.Rollback]. The clock stays.
func (t *Trial) Rollback() {
	t.s.Rollback(t.mark)
	t.before.restore(t.s)
}
