package datastore

import (
	"math/rand/v2"
	"slices"
)

// Rerun is a period of a store that can be undone completely, any number of times, so that the same
// commands run again from the same state, with the same random choices and the same times. In
// addition to what Rollback undoes, Undo restores the layout of tables (on which the order of SCAN
// depends) and the counters. [Store.BeginRerun] begins it; the caller must call [Rerun.End].
//
// Evict and ExpireCycle must not be called during a Rerun.
type Rerun struct {
	s         *Store
	mark      Mark
	listeners []Listener
	rng       *rand.Rand // the store's own
	random    *replayed
	clock     replayedClock
	before    counters
	expires   []heapOrder
	tables    map[Object]savedLayout // the layouts of values that may have changed
	keys      []func()               // restore the layouts of the tables of keys
}

// savedLayout is the saved layout of the value of an entry.
type savedLayout struct {
	e       *Entry
	restore func() // nil if it has no hash table
}

// counters are the counters and times of a store that are not journaled.
type counters struct {
	dirty, evicted, expired, expiredFields, earliest, now int64
	evictNext                                             int
}

func (s *Store) counters() counters {
	return counters{s.dirty, s.evicted, s.expired, s.expiredFields, s.earliest, s.NowMicros(), s.evictNext}
}

// restore sets the counters back, but not the times.
func (b *counters) restore(s *Store) {
	s.dirty, s.evicted, s.expired, s.expiredFields, s.evictNext = b.dirty, b.evicted, b.expired, b.expiredFields, b.evictNext
}

// heapOrder is the saved order of an expiry heap.
type heapOrder struct {
	h     *expiryHeap
	order []*Entry
}

// BeginRerun begins a Rerun. Until it ends, the feed calls only listener. BeginRerun copies the
// index of each table of keys.
func (s *Store) BeginRerun(listener Listener) *Rerun {
	r := &Rerun{s: s, mark: s.Begin(), listeners: s.listeners, rng: s.rng, random: &replayed{src: s.source}, before: s.counters()}
	s.listeners = []Listener{listener}
	s.rng = rand.New(r.random)
	if r.clock.clock = s.time.clock; r.clock.clock != nil {
		s.time.clock = r.clock.read
	}
	r.save()
	s.rerun, s.watching = r, true
	return r
}

// save saves the state that is not journaled.
func (r *Rerun) save() {
	r.tables = map[Object]savedLayout{}
	r.keys, r.expires = r.keys[:0], r.expires[:0]
	for _, db := range r.s.dbs {
		r.keys = append(r.keys, db.keys.SaveIndex())
		for _, h := range []*expiryHeap{&db.expires, db.alarms} {
			r.expires = append(r.expires, heapOrder{h, slices.Clone(*h)})
		}
	}
}

// saveLayout saves the layout of a value that is about to change.
func (r *Rerun) saveLayout(e *Entry) {
	if !r.s.Recording() {
		return
	}
	if _, there := r.tables[e.obj]; !there {
		r.tables[e.obj] = savedLayout{e, saveIndexOf(e.obj)}
	}
}

// saveIndexOf returns a function that restores the layout of the hash table of o, or nil if it has
// none.
func saveIndexOf(o Object) func() {
	switch o := o.(type) {
	case *Set:
		if o.dict != nil {
			return o.dict.SaveIndex()
		}
	case *Hash:
		if o.dict != nil {
			index, times := o.dict.SaveIndex(), o.times.saveOrder()
			return func() { index(); times() }
		}
	case *ZSet:
		if o.dict != nil {
			return o.dict.SaveIndex()
		}
	}
	return nil
}

// saveOrder returns a function that restores the heap of fields, once the same fields expire at the
// same times again.
func (t *fieldTimes) saveOrder() (restore func()) {
	if t == nil {
		return func() {}
	}
	fields := make([]string, len(t.order))
	for i, e := range t.order {
		fields[i] = e.key
	}
	return func() {
		for i, f := range fields {
			e := t.byField[f]
			t.order[i], e.heapPos = e, int32(i+1)
		}
	}
}

// Undo undoes everything since the Rerun began. It emits nothing. The Rerun continues.
func (r *Rerun) Undo() {
	s := r.s
	s.Rollback(r.mark)
	for _, o := range r.expires {
		*o.h = append((*o.h)[:0], o.order...)
		for i, e := range o.order {
			e.heapPos = int32(i + 1)
		}
	}
	for _, restore := range r.keys {
		restore()
	}
	r.restoreTables()
	r.before.restore(s)
	s.earliest = r.before.earliest
	s.SetNow(r.before.now)
	r.random.at, r.clock.at = 0, 0
	s.Begin()
	r.save()
}

// restoreTables restores the layouts of values, and adjusts the counted bytes. It skips values that
// no longer exist.
func (r *Rerun) restoreTables() {
	for o, k := range r.tables {
		if k.restore == nil || k.e.obj != o {
			continue
		}
		for _, db := range r.s.dbs {
			if there, ok := db.keys.Get(k.e.key); ok && there == k.e {
				size := k.e.size()
				k.restore()
				db.count(k.e.size() - size)
				break
			}
		}
	}
}

// End ends the Rerun and keeps the changes since the last Undo. The caller must pass them on to the
// listeners of the feed by [Store.Notify].
func (r *Rerun) End() {
	s := r.s
	s.listeners, s.rng, s.rerun = r.listeners, r.rng, nil
	s.time.clock = r.clock.clock
	s.watch()
	s.Commit()
}

// Notify notifies the listeners of the feed about a change that was made during a [Rerun].
func (s *Store) Notify(ch Change) { s.notify(ch) }

// replayedClock records the readings of a clock and can repeat them.
type replayedClock struct {
	clock func() int64
	given []int64
	at    int
}

func (r *replayedClock) read() int64 {
	if r.at == len(r.given) {
		r.given = append(r.given, r.clock())
	}
	r.at++
	return r.given[r.at-1]
}

// replayed is a random source that records its numbers and can repeat them.
type replayed struct {
	src   rand.Source
	given []uint64
	at    int
}

// Uint64 implements rand.Source.
func (r *replayed) Uint64() uint64 {
	if r.at == len(r.given) {
		r.given = append(r.given, r.src.Uint64())
	}
	r.at++
	return r.given[r.at-1]
}
