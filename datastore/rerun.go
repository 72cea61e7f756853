package datastore

import (
	"math/rand/v2"
	"slices"
)

// Rerun is a time in the life of a store that can be undone as if it had never been, any number of times: what happens then anew begins from the same state, with
// the same random choices. Beside what a Rollback undoes, that is the layout of tables, on which the order of SCAN depends, the accesses of keys, and the
// counters. Begin it with [Store.BeginRerun]; [Rerun.End] must follow.
//
// Keys must not be evicted meanwhile, nor removed by ExpireCycle.
type Rerun struct {
	s         *Store
	mark      Mark
	listeners []Listener
	rng       *rand.Rand // the store's own
	random    *replayed
	before    counters
	expires   []heapOrder
	tables    map[Object]kept // the layouts of values that may have changed
	keys      []func()        // put the layouts of the tables of keys back
	usage     map[*Entry]uint32
}

// kept is the layout of the value of an entry.
type kept struct {
	e       *Entry
	restore func() // nil: it has no table
}

// counters are the numbers of a store that no journal keeps.
type counters struct {
	dirty, evicted, expired, expiredFields, earliest, now int64
	evictNext                                             int
}

func (s *Store) counters() counters {
	return counters{s.dirty, s.evicted, s.expired, s.expiredFields, s.earliest, s.nowMicros, s.evictNext}
}

// heapOrder is a heap of entries as it was.
type heapOrder struct {
	h     *expiryHeap
	order []*Entry
}

// BeginRerun begins a Rerun. In place of the listeners of the feed, tell is told of changes until it ends. The price is a copy of the tables of keys.
func (s *Store) BeginRerun(tell Listener) *Rerun {
	r := &Rerun{s: s, mark: s.Begin(), listeners: s.listeners, rng: s.rng, random: &replayed{src: s.source}, before: s.counters()}
	s.listeners = []Listener{tell}
	s.rng = rand.New(r.random)
	r.keep()
	s.rerun, s.watching, s.touching = r, true, s.touching|touchRecorded
	return r
}

// keep notes the state of what no journal restores.
func (r *Rerun) keep() {
	r.tables, r.usage = map[Object]kept{}, map[*Entry]uint32{}
	r.keys, r.expires = r.keys[:0], r.expires[:0]
	for _, db := range r.s.dbs {
		r.keys = append(r.keys, db.keys.keepIndex())
		for _, h := range []*expiryHeap{&db.expires, db.alarms} {
			r.expires = append(r.expires, heapOrder{h, slices.Clone(*h)})
		}
	}
}

// keepTable notes the layout of a value that is about to change.
func (r *Rerun) keepTable(e *Entry) {
	if !r.s.Recording() {
		return
	}
	if _, there := r.tables[e.obj]; !there {
		r.tables[e.obj] = kept{e, keepIndexOf(e.obj)}
	}
}

// keepIndexOf returns how to put the layout of a value's table back, or nil where it has none.
func keepIndexOf(o Object) func() {
	switch o := o.(type) {
	case *Set:
		if o.dict != nil {
			return o.dict.keepIndex()
		}
	case *Hash:
		if o.dict != nil {
			index, times := o.dict.keepIndex(), o.times.keepOrder()
			return func() { index(); times() }
		}
	case *ZSet:
		if o.dict != nil {
			return o.dict.keepIndex()
		}
	}
	return nil
}

// keepIndex returns how to put the index back once all elements are in their places again.
func (t *table[E]) keepIndex() (restore func()) {
	index := slices.Clone(t.index)
	return func() { t.index = append([]uint64(nil), index...) }
}

// keepOrder returns how to put the heap of fields that expire back once the same fields expire at the same times again.
func (t *fieldTimes) keepOrder() (restore func()) {
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

func (r *Rerun) keepUsage(e *Entry) {
	if _, there := r.usage[e]; !there {
		r.usage[e] = e.usage
	}
}

// Undo undoes all that has happened since the Rerun began, or since the last Undo. Nobody is told. The Rerun goes on.
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
	for e, usage := range r.usage {
		e.usage = usage
	}
	b := &r.before
	s.dirty, s.evicted, s.expired, s.expiredFields, s.evictNext = b.dirty, b.evicted, b.expired, b.expiredFields, b.evictNext
	s.earliest, s.nowMicros = b.earliest, b.now
	r.random.at = 0
	s.Begin()
	r.keep()
}

// restoreTables puts the layouts of values back, and what that makes of the bytes that are counted. Values that came later are gone.
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

// End ends the Rerun and keeps what has happened since the last Undo. The listeners of the feed have still to be told of it; see [Store.Tell].
func (r *Rerun) End() {
	s := r.s
	s.listeners, s.rng, s.rerun = r.listeners, r.rng, nil
	s.watching = s.counting
	s.touching &^= touchRecorded
	s.Commit()
}

// Tell tells the listeners of the feed of a change that a [Rerun] has kept from them.
func (s *Store) Tell(ch Change) { s.tell(ch) }

// replayed is a source of random numbers that can give those that it has given once more.
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
