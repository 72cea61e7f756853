package datastore

import "errors"

// ErrKeyExists is returned by [Store.Load] for a key that is there already.
var ErrKeyExists = errors.New("datastore: key exists")

// Snapshot is a keyspace in serialized form. It does not change any more.
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
	Merge bool // keys that are there already are replaced; otherwise they are an error
	Idle  bool // keep the times since the last access
	Freq  bool // keep the access frequencies
	Dump  DumpOptions
}

// Save returns the whole keyspace in serialized form.
func (s *Store) Save(opt DumpOptions) *Snapshot {
	snap := &Snapshot{}
	for _, db := range s.dbs {
		db.keys.all(func(p **Entry) bool {
			e := *p
			snap.keys = append(snap.keys, savedKey{
				db: db.id, key: e.key, dump: string(Dump(e.obj, opt)), expireAt: e.expireAt, idle: e.Idle(s.Now()) / 1000, freq: s.Freq(e),
			})
			return true
		})
	}
	return snap
}

// Load puts the keys of snap into the store; those whose time has come are left out. It emits nothing and does not count as
// a change of the keyspace. When it returns an error it has changed nothing.
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
		if s.over(k.expireAt) {
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
