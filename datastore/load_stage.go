package datastore

import (
	"io"
	"math/rand/v2"
)

// StagedFile holds the keys of an RDB file for a store that does not have them yet. The store must
// not change before Enter, except that its clock may move.
type StagedFile struct {
	st    *Store // the values belong to it
	fresh *Store // holds the keys
}

// StageFile reads an RDB file as [Store.LoadFile] does, but leaves the keyspace unchanged, also if
// it succeeds: [StagedFile.Enter] puts the keys into it. o.Replace has no effect: a key that is
// twice in the file is an error.
func (s *Store) StageFile(src io.Reader, o FileLoadOptions) (*StagedFile, FileLoaded, error) {
	if s.Recording() {
		return nil, FileLoaded{}, ErrRecording
	}
	o.Replace = false
	fresh := New(Options{Databases: len(s.dbs), Rand: rand.NewPCG(0, 0), Limits: s.limits})
	fresh.SetNow(s.NowMicros())
	l := fileLoader{s: fresh, values: s, o: o, f: NewFileReader(src, o.File)}
	l.f.r.dropExpired = !o.KeepExpired
	err := l.load()
	l.done.Version, l.done.Bytes = l.f.Version(), l.f.Offset()
	if err != nil {
		return nil, l.done, err
	}
	return &StagedFile{st: s, fresh: fresh}, l.done, nil
}

// Len returns the number of staged keys of database db.
func (f *StagedFile) Len(db int) int { return f.fresh.dbs[db].Len() }

// Has reports whether a key of database db is staged.
func (f *StagedFile) Has(db int, key string) bool { return f.fresh.dbs[db].keys.Has(key) }

// Conflict returns a staged key that the store has, too. found is false if there is none. Keys of
// the store that have expired do not count.
func (f *StagedFile) Conflict() (db int, key string, found bool) {
	for i, from := range f.fresh.dbs {
		to := f.st.dbs[i]
		if to.Len() == 0 {
			continue
		}
		from.keys.All(func(p **Entry) bool {
			there, expired := to.Has((*p).key)
			if there && !expired {
				db, key, found = i, (*p).key, true
			}
			return !found
		})
	}
	return db, key, found
}

// Enter moves the keys into the store, where they replace keys of the same name. Nothing is staged
// after that. Each key counts as a change of the keyspace. Enter emits what the removal of a
// replaced key emits, and nothing else.
func (f *StagedFile) Enter() {
	s := f.st
	s.UpdateUsed()
	for i, from := range f.fresh.dbs {
		to := s.dbs[i]
		from.keys.All(func(p **Entry) bool {
			to.enterStaged(*p)
			return true
		})
		s.dirty += int64(from.Len())
		from.keys, from.expires, from.alarms = newKeyTable(f.fresh), nil, new(expiryHeap)
	}
	s.UpdateUsed()
}

// enterStaged moves an entry of another store to db.
func (db *DB) enterStaged(e *Entry) {
	at := e.expireAt
	e.detach()
	e.expireAt, e.heapPos = 0, 0 // it leaves the heap of its old database
	if !db.load(e) {
		if db.Peek(e.key) != nil { // nil: it had expired, and Peek has removed it
			db.Delete(e.key)
		}
		db.load(e)
	}
	if at != 0 {
		db.schedule(e, at)
	}
}
