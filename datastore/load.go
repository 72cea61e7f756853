package datastore

import (
	"errors"
	"fmt"
	"io"
	"strconv"
)

// FileLoadOptions say how the keys of an RDB file are loaded.
type FileLoadOptions struct {
	File FileReaderOptions

	// KeepExpired loads keys that have expired: a replica and the base of an append-only file do
	// that. Otherwise they are left out.
	KeepExpired bool
	// Expired gets the keys that are left out because they have expired. Optional.
	Expired func(db int, key string)
	Replace bool // replace keys that are in the store; otherwise they are an error
	Idle    bool // keep the times since the last access (under an LRU policy)
	Freq    bool // keep the access frequencies (under an LFU policy)

	// Filter, if it is set, chooses the keys to load. The others are read and dropped: damage in them
	// counts.
	Filter func(db int, key string) bool
	// Aux gets the auxiliary fields. Optional; an error ends the load.
	Aux func(name, value string) error
	// Function gets the source texts of function libraries. If it is nil, they are skipped; an error
	// ends the load.
	Function func(text string) error
	// Progress is called after about each 2 MiB, with the number of bytes read. Optional; an error
	// ends the load. It may look at the store, but not change it.
	Progress func(read int64) error
}

// FileLoaded says what a load did.
type FileLoaded struct {
	Version int   // of the format
	Bytes   int64 // size of the file
	Keys    int   // keys loaded
	Expired int   // keys left out because they had expired
	Empty   int   // keys left out because their value had no elements
	Skipped int   // keys that Filter left out
	Timed   int   // hashes left out because all their fields had expired; Valkey only

	EmptyKeys []string // the names of the first ten of Empty, which Redis logs
}

// emptyKeys is the greatest length of EmptyKeys.
const emptyKeys = 10

// progressBytes is the number of bytes between two calls of Progress.
const progressBytes = 2 << 20

// LoadFile puts the keys of an RDB file into the store. That does not count as a change of the
// keyspace and emits nothing. If it returns an error, the keys before the error have been loaded.
// The error is a [*FileError], that of a function in the options, or ErrRecording.
func (s *Store) LoadFile(src io.Reader, o FileLoadOptions) (FileLoaded, error) {
	loaded, _, err := s.LoadFileFrom(src, o)
	return loaded, err
}

// LoadFileFrom is LoadFile, and returns a reader of what follows the file in src.
func (s *Store) LoadFileFrom(src io.Reader, o FileLoadOptions) (FileLoaded, io.Reader, error) {
	if s.Recording() {
		return FileLoaded{}, nil, ErrRecording
	}
	l := fileLoader{s: s, values: s, o: o, f: NewFileReader(src, o.File)}
	l.f.r.dropExpired = !o.KeepExpired
	err := l.load()
	l.done.Version, l.done.Bytes = l.f.Version(), l.f.Offset()
	if err != nil {
		return l.done, nil, err
	}
	return l.done, l.f.Rest(), nil
}

type fileLoader struct {
	s      *Store // gets the keys
	values *Store // the store that the values belong to
	o      FileLoadOptions
	f      *FileReader
	done   FileLoaded
	next   int64 // offset of the next call of Progress
}

func (l *fileLoader) load() error {
	dirty, listeners := l.s.dirty, l.s.listeners
	l.s.listeners = nil
	defer func() {
		l.s.UpdateUsed()
		l.s.dirty, l.s.listeners = dirty, listeners
	}()
	for {
		it, err := l.f.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		switch it.Kind {
		case FileSelect:
			if it.DB >= len(l.s.dbs) {
				err = l.wrong(it, ErrFileDatabase, "than "+strconv.Itoa(len(l.s.dbs)))
			}
		case FileModuleAux:
			err = l.wrong(it, ErrFileModuleAux, "'"+it.Name+"'")
		case FileKey:
			err = l.key(it)
		case FileAux:
			if l.o.Aux != nil {
				err = l.o.Aux(it.Name, it.Value)
			}
		case FileFunction:
			if l.o.Function != nil {
				err = l.o.Function(it.Value)
			}
		}
		if err == nil && l.o.Progress != nil && l.f.Offset() >= l.next {
			l.next = l.f.Offset() + progressBytes
			err = l.o.Progress(l.f.Offset())
		}
		if err != nil {
			return err
		}
	}
}

// key loads a key, or skips it.
func (l *fileLoader) key(it *FileItem) error {
	s, o := l.s, &l.o
	if o.Filter != nil && !o.Filter(it.DB, it.Key) {
		l.done.Skipped++
		_, err := l.f.Describe()
		return err
	}
	if !o.KeepExpired && it.ExpireAt != 0 && it.ExpireAt < s.Now() {
		l.done.Expired++
		if o.Expired != nil {
			o.Expired(it.DB, it.Key)
		}
		_, err := l.f.Describe() // damage in it counts, as in Redis
		return err
	}
	e, err := l.entry(it)
	if err != nil {
		return err
	}
	if e == nil {
		if l.f.r.allExpired {
			l.done.Timed++
			return nil
		}
		if l.done.Empty++; len(l.done.EmptyKeys) < emptyKeys {
			l.done.EmptyKeys = append(l.done.EmptyKeys, it.Key)
		}
		return nil
	}
	db := s.dbs[it.DB]
	if !db.load(e) {
		if !o.Replace {
			return l.wrong(it, ErrFileDuplicate, fmt.Sprintf("%s in DB %d", quoteKey(it.Key), it.DB))
		}
		db.Delete(it.Key)
		db.load(e)
	}
	if it.ExpireAt != 0 {
		db.schedule(e, it.ExpireAt)
	}
	if o.Idle && it.Idle >= 0 {
		e.SetIdle(it.Idle, s.Now())
	}
	if o.Freq && it.Freq >= 0 {
		e.SetFreq(uint8(it.Freq))
	}
	l.done.Keys++
	return nil
}

// entry builds the entry of a key; nil if its value has no elements.
func (l *fileLoader) entry(it *FileItem) (*Entry, error) {
	if it.ValueKind == rdbString {
		text, err := l.f.text()
		if err != nil {
			return nil, err
		}
		both := &struct {
			e Entry
			s String
		}{} // one allocation
		both.s.set(text, l.s.limits.OwnIntegers)
		both.e.init(it.Key, &both.s, l.s.Now())
		return &both.e, nil
	}
	obj, err := l.f.Value(l.values)
	if err != nil || obj == nil {
		return nil, err
	}
	e := &Entry{}
	e.init(it.Key, obj, l.s.Now())
	return e, nil
}

// load puts the entry of a missing key into the database. It journals and emits nothing, and
// reports false if the key exists.
func (db *DB) load(e *Entry) bool {
	p, added := db.keys.Put(e.key)
	if !added {
		return false
	}
	*p = e
	db.enter(e)
	if db.slots != nil {
		db.slots.add(e.key)
	}
	return true
}

func (l *fileLoader) wrong(it *FileItem, err error, detail string) error {
	return &FileError{Err: err, Detail: detail, Offset: it.Offset, DB: it.DB, Key: it.Key, HasKey: it.Kind == FileKey}
}
