package datastore

import "fmt"

// slotIndex holds the keys of a database by slot. A key takes about 100 bytes, and its slot is
// computed each time it is added or removed.
//
// Invariant: nodes has exactly the keys of the database; the list of a slot has each key of the
// slot once.
type slotIndex struct {
	nodes map[string]*slotNode
	slots [Slots]struct {
		newest *slotNode
		count  int
	}
}

// slotNode is a key in the list of its slot.
type slotNode struct {
	key          string
	slot         int
	newer, older *slotNode
}

func newSlotIndex() *slotIndex { return &slotIndex{nodes: map[string]*slotNode{}} }

// add adds a missing key, as the newest of its slot.
func (ix *slotIndex) add(key string) {
	n := &slotNode{key: key, slot: Slot(key)}
	n.older = ix.slots[n.slot].newest
	ix.link(n)
}

// link inserts n between the neighbours that it names. It undoes a remove, once everything after
// that remove has been undone.
func (ix *slotIndex) link(n *slotNode) {
	s := &ix.slots[n.slot]
	s.count++
	ix.nodes[n.key] = n
	if n.older != nil {
		n.older.newer = n
	}
	if n.newer != nil {
		n.newer.older = n
	} else {
		s.newest = n
	}
}

// remove removes an existing key. The returned node still names its old neighbours.
func (ix *slotIndex) remove(key string) *slotNode {
	n := ix.nodes[key]
	s := &ix.slots[n.slot]
	s.count--
	delete(ix.nodes, key)
	if n.older != nil {
		n.older.newer = n.newer
	}
	if n.newer != nil {
		n.newer.older = n.older
	} else {
		s.newest = n.older
	}
	return n
}

// IndexSlots indexes the keys of the database by slot from now on, for KeysInSlot and
// CountKeysInSlot. SwapDB exchanges the indexes with the keys.
func (db *DB) IndexSlots() {
	db.slots = newSlotIndex()
	db.keys.All(func(p **Entry) bool {
		db.slots.add((*p).key)
		return true
	})
}

// CountKeysInSlot returns the number of keys of a slot. Expired keys count until they are removed.
// IndexSlots must have been called.
func (db *DB) CountKeysInSlot(slot int) int { return db.slots.slots[slot].count }

// KeysInSlot returns at most limit keys of a slot, the newest first. IndexSlots must have been
// called.
func (db *DB) KeysInSlot(slot, limit int) []string {
	keys := make([]string, 0, min(limit, db.CountKeysInSlot(slot)))
	for n := db.slots.slots[slot].newest; n != nil && len(keys) < limit; n = n.older {
		keys = append(keys, n.key)
	}
	return keys
}

func (ix *slotIndex) check(keys *keyTable) error {
	if len(ix.nodes) != keys.Len() {
		return fmt.Errorf("%d keys by slot, %d in all", len(ix.nodes), keys.Len())
	}
	listed := 0
	for slot := range ix.slots {
		s := &ix.slots[slot]
		count := 0
		for n, newer := s.newest, (*slotNode)(nil); n != nil; n, newer = n.older, n {
			count++
			linked := count <= s.count && n.newer == newer && ix.nodes[n.key] == n
			if !linked || n.slot != slot || Slot(n.key) != slot || !keys.Has(n.key) {
				return fmt.Errorf("slot %d: key %q is misplaced", slot, n.key)
			}
		}
		if count != s.count {
			return fmt.Errorf("slot %d: %d keys, counted as %d", slot, count, s.count)
		}
		listed += count
	}
	if listed != len(ix.nodes) {
		return fmt.Errorf("%d keys in the lists of slots, %d in all", listed, len(ix.nodes))
	}
	return nil
}
