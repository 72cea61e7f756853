package datastore

import "errors"

// ErrKeyExists is returned by [Store.Load] if a key of the snapshot is already in the store.
var ErrKeyExists = errors.New("datastore: key exists")

// Snapshot is an immutable copy of a keyspace in serialized form.
type Snapshot struct{ keys []savedKey }

type savedKey struct {
	db       int
	key      string
	dump     string
	expireAt int64 // ms since the epoch; 0 is never
	idle     int64 // seconds
	freq     uint8
}

// LoadOptions say how a snapshot is loaded.
type LoadOptions struct {
	Flush bool // remove all keys first
	Merge bool // replace existing keys; otherwise they are an error
	Idle  bool // keep the times since the last access
	Freq  bool // keep the access frequencies
	Dump  DumpOptions
}

// Save returns the whole keyspace in serialized form.
func (s *Store) Save(opt DumpOptions) *Snapshot {
	snap := &Snapshot{}
	for _, db := range s.dbs {
		db.keys.All(func(p **Entry) bool {
			e := *p
			snap.keys = append(snap.keys, savedKey{
				db: db.id, key: e.key, dump: string(Dump(e.obj, opt)), expireAt: e.expireAt, idle: e.Idle(s.Now()) / 1000, freq: s.Freq(e),
			})
			return true
		})
	}
	return snap
}

// Load puts the keys of snap into the store, except expired ones. It does not count as a change of
// the keyspace. The error is [ErrKeyExists], or that of [Store.Restore]; then nothing has changed.
func (s *Store) Load(snap *Snapshot, o LoadOptions) error {
	objects := make([]Object, len(snap.keys))
	for i := range snap.keys {
		k := &snap.keys[i]
		if !o.Flush && !o.Merge {
			if there, _ := s.dbs[k.db].Has(k.key); there {
				return ErrKeyExists
			}
		}
		var err error
		if objects[i], err = s.Restore(k.dump, o.Dump); err != nil {
			return err
		}
	}
	dirty := s.dirty
	if o.Flush {
		s.FlushAll()
	}
	for i := range snap.keys {
		k := &snap.keys[i]
		if s.isPast(k.expireAt) {
			continue
		}
		db := s.dbs[k.db]
		db.Delete(k.key)
		e := db.Put(k.key, objects[i])
		db.setExpire(e, k.expireAt)
		if o.Idle {
			e.SetIdle(k.idle, s.Now())
		}
		if o.Freq {
			e.SetFreq(k.freq)
		}
	}
	s.dirty = dirty
	return nil
}
