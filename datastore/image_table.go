package datastore

// imageTable is what an image knows about one table of keys. It belongs to the table, not to the
// database: after SWAPDB and FLUSHALL the image still writes the keys of the table as keys of the
// database whose keys they were.
//
// The image writes the keys from the last position to the first. Removing a key moves the last key
// into the gap, to a lower position, where the image still finds it. New keys go behind the last.
//
// Invariant: the key at position p is still to be written if and only if p < len(written)*64,
// written has no bit for p, and p is the position of a key. Those positions are below next.
type imageTable struct {
	image   *Image
	db      int // number of the database
	keys    *keyTable
	written []uint64 // a bit for each position that there was when the image began
	next    int      // the image goes on below this position
}

func newImageTable(img *Image, db *DB) *imageTable {
	n := db.keys.Len()
	t := &imageTable{image: img, db: db.id, keys: db.keys, written: make([]uint64, (n+63)/64), next: n}
	for p := n; p < len(t.written)*64; p++ {
		t.mark(p)
	}
	return t
}

// isWritten reports whether the key at position p has been written or is not of the image.
func (t *imageTable) isWritten(p int) bool {
	return p>>6 >= len(t.written) || t.written[p>>6]>>(p&63)&1 != 0
}

func (t *imageTable) mark(p int) {
	if p>>6 < len(t.written) {
		t.written[p>>6] |= 1 << (p & 63)
	}
}

// keep writes e, which is about to change, if it is still to be written.
func (t *imageTable) keep(e *Entry) {
	if t.image.part == e {
		t.image.finishPart()
		return
	}
	if p := t.keys.Position(e.key); p >= 0 && !t.isWritten(p) && *t.keys.At(p) == e {
		t.mark(p)
		t.image.writeNow(t.db, e)
	}
}

// willRemove writes the entry of key, which is about to be removed.
func (t *imageTable) willRemove(key string) {
	if p := t.keys.Position(key); p >= 0 {
		t.keep(*t.keys.At(p))
	}
}

// removed follows the removal of the key at position p, into which the key at position last has
// moved. Nothing is at last any longer: a key that comes there is new, or was written before it was
// removed.
func (t *imageTable) removed(p, last int) {
	if p != last && !t.isWritten(last) {
		t.written[p>>6] &^= 1 << (p & 63)
	}
	t.mark(last)
}

// inserted follows the undoing of a removal: a key that was written before it was removed is at p
// again, and the key that was there is again at last.
func (t *imageTable) inserted(p, last int) {
	if p == last || t.isWritten(p) {
		return
	}
	t.mark(p)
	if last>>6 >= len(t.written) { // cannot be: the key was at last when the image began
		t.image.writeNow(t.db, *t.keys.At(last))
		return
	}
	t.written[last>>6] &^= 1 << (last & 63)
	t.next = max(t.next, last+1)
}

// take returns the next entry to write and marks it, or nil if there is none.
func (t *imageTable) take() *Entry {
	for t.next > 0 {
		t.next--
		p := t.next
		if p&63 == 63 && t.written[p>>6] == ^uint64(0) {
			t.next = p &^ 63
			continue
		}
		if !t.isWritten(p) {
			t.mark(p)
			return *t.keys.At(p)
		}
	}
	return nil
}
