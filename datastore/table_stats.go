package datastore

import "hash/maphash"

// TableStats describe a hash table as Redis would keep it, for DEBUG HTSTATS: its number of slots
// is a power of two and at least the number of elements; each slot has a chain of elements.
type TableStats struct {
	Slots    int
	Elements int
	Chains   []int // Chains[n] is the number of slots with n elements
}

// tableStats computes the table of elements with these hashes.
func tableStats(hashes []uint32) TableStats {
	t := TableStats{Slots: 4, Elements: len(hashes)}
	for t.Slots < t.Elements {
		t.Slots *= 2
	}
	slots := make([]int, t.Slots)
	longest := 0
	for _, h := range hashes {
		i := h & uint32(t.Slots-1)
		slots[i]++
		longest = max(longest, slots[i])
	}
	t.Chains = make([]int, longest+1)
	for _, n := range slots {
		t.Chains[n]++
	}
	return t
}

// TableStats describes the table of keys, and the table of keys with a time to live, which Redis
// would have.
func (db *DB) TableStats() (keys, expires TableStats) {
	hashes := make([]uint32, 0, len(db.expires))
	for _, e := range db.expires {
		hashes = append(hashes, uint32(maphash.String(db.store.seed, e.key)))
	}
	return tableStats(db.keys.Hashes()), tableStats(hashes)
}

// TableStatsOf describes the hash table of a set, sorted set or hash; ok is false if o has a
// compact encoding or is of another type.
func TableStatsOf(o Object) (t TableStats, ok bool) {
	switch o := o.(type) {
	case *Set:
		if o.dict != nil {
			return tableStats(o.dict.Hashes()), true
		}
	case *ZSet:
		if o.dict != nil {
			return tableStats(o.dict.Hashes()), true
		}
	case *Hash:
		if o.dict != nil {
			return tableStats(o.dict.Hashes()), true
		}
	}
	return TableStats{}, false
}
