package engine

import (
	"errors"
	"math/rand/v2"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/keydiff"
)

// Snapshot is a copy of all databases of an engine at one moment. It does not change. Only the
// engine that it was taken from can use it.
type Snapshot struct {
	e     *Engine
	store *datastore.Store
}

// errForeignSnapshot is returned for a snapshot of another engine.
var errForeignSnapshot = errors.New("redmoon: the snapshot is of another engine")

// Snapshot copies all databases in one atomic step; other calls wait meanwhile. Time and memory
// grow with the size of the keyspace. The only errors are [ErrClosed] and [ErrReentrant].
func (e *Engine) Snapshot() (*Snapshot, error) {
	s := &Snapshot{e: e}
	if err := e.onLoop(func() { s.store = e.server.Store.Fork(rand.NewPCG(0, 0)) }); err != nil {
		return nil, err
	}
	return s, nil
}

// Restore sets all databases back to their state in s, which must not be nil and can be restored
// again. Clients that watch or track keys are notified as by FLUSHALL. Keys whose time to live has
// ended since the snapshot are not restored. Restore returns an error, and changes nothing, if s is
// a snapshot of another engine.
func (e *Engine) Restore(s *Snapshot) error {
	if s.e != e {
		return errForeignSnapshot
	}
	return e.onLoop(func() {
		e.setNow()
		e.server.Replace(s.store)
	})
}

// KeyChange is a key whose value or time to live differs between two moments.
type KeyChange struct {
	DB  int
	Key string
	// Before and After describe the key for people: its type, size and time to live, and the elements
	// that differ, one on each line. Each shows at most 20 elements, and at most 200 bytes of a text.
	// It is "" if the key did not exist.
	Before, After string
}

// Changes returns the keys that differ between s and now, ordered by database and name. A key whose
// time to live has ended counts as missing, also in s. Changes returns an error if s is a snapshot
// of another engine.
func (e *Engine) Changes(s *Snapshot) (changes []KeyChange, err error) {
	if s.e != e {
		return nil, errForeignSnapshot
	}
	err = e.onLoop(func() {
		e.setNow()
		now := e.server.Store
		for i := range now.Databases() {
			keydiff.Each(s.store.DB(i), now.DB(i), now.Now(), func(key, before, after string) {
				changes = append(changes, KeyChange{DB: i, Key: key, Before: before, After: after})
			})
		}
	})
	return changes, err
}
