package datastore

import (
	"math"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore/internal/intset"
	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
	"github.com/redmoon-lua/redmoon/datastore/internal/rdb"
	"github.com/redmoon-lua/redmoon/datastore/internal/ziplist"
)

// object reads a kind and the value after it; nil if it is malformed or empty.
func (r *rdbReader) object() Object {
	o := r.ofKind(r.Byte())
	if o == nil || r.Bad || o.Len() == 0 && !mayBeEmpty(o) {
		return nil
	}
	return o
}

// ofKind reads a value whose kind has been read as a byte.
func (r *rdbReader) ofKind(b byte) Object {
	kind, ok := knownKind(b, r.version)
	if !ok {
		r.Fail()
		return nil
	}
	return r.valueOf(byte(kind))
}

// valueOf reads a value of a known kind.
func (r *rdbReader) valueOf(kind byte) Object {
	switch kind {
	case rdbString:
		return r.st.newString(r.Text())
	case rdbList:
		return settled(r.list())
	case rdbListZiplist:
		return r.listOf(r.ziplist())
	case rdbQuicklist, rdbQuicklist2:
		return settled(r.quicklist(kind))
	case rdbSet:
		return r.set()
	case rdbIntset:
		return r.intset()
	case rdbSetListpack:
		return r.setListpack()
	case rdbZSet, rdbZSetText:
		return r.zset(kind)
	case rdbZSetZiplist:
		return r.zsetOf(r.ziplist(), nil)
	case rdbZSetListpack:
		b := r.OwnBlob()
		els := r.views(b)
		if len(els)/2 > r.st.limits.ZSetMaxListpackEntries {
			els = r.entries(b)
		}
		return r.zsetOf(els, b)
	case rdbHash:
		return r.hash()
	case rdbHashZipmap:
		return r.hashOf(r.zipmap(), true)
	case rdbHashZiplist:
		return r.hashOf(r.ziplist(), false)
	case rdbHashListpack:
		return r.hashListpack()
	case rdbHashTimes, rdbHashTimesEarly:
		return r.hashTimes(kind)
	case rdbHashListpackTimes, rdbHashListpackEarly:
		return r.hashListpackTimes(kind)
	case rdbHashValkey:
		return r.valkeyHash()
	case rdbStream, rdbStream2, rdbStream3, rdbStream4:
		return r.stream(kind)
	}
	r.Fail()
	return nil
}

// entries returns the entries of a listpack as strings.
func (r *rdbReader) entries(b []byte) []string {
	if r.Bad || listpack.Validate(b, true) != nil {
		r.Fail()
		return nil
	}
	lp := listpack.List(b)
	var out []string
	for p := lp.First(); p != listpack.None; p = lp.Next(p) {
		out = append(out, lp.Text(p))
	}
	return out
}

// views is entries, but the strings are parts of b, and the slice is valid until the next call.
func (r *rdbReader) views(b []byte) []string {
	if r.Bad || listpack.Validate(b, true) != nil {
		r.Fail()
		return nil
	}
	r.texts = listpack.List(b).AppendTexts(r.texts[:0])
	return r.texts
}

// ziplist reads the entries of a ziplist.
func (r *rdbReader) ziplist() []string {
	out, err := ziplist.Texts(r.Blob())
	if err != nil {
		r.Fail()
	}
	return out
}

func (r *rdbReader) zipmap() []string {
	out, err := ziplist.Pairs(r.Blob())
	if err != nil {
		r.Fail()
	}
	return out
}

// distinct calls fail if els[0], els[step], els[2*step] ... are not distinct, or if len(els) is not
// a multiple of step.
func (r *rdbReader) distinct(els []string, step int) {
	if len(els)%step != 0 {
		r.Fail()
		return
	}
	if len(els) <= few*step {
		for i := 0; i < len(els); i += step {
			for j := 0; j < i; j += step {
				if els[i] == els[j] {
					r.Fail()
					return
				}
			}
		}
		return
	}
	if r.seen == nil {
		r.seen = map[string]struct{}{}
	}
	defer clear(r.seen)
	for i := 0; i < len(els); i += step {
		if _, again := r.seen[els[i]]; again {
			r.Fail()
			return
		}
		r.seen[els[i]] = struct{}{}
	}
}

// few is the number of strings up to which comparing each with each is the fastest way to find two
// that are equal.
const few = 16

// set reads a sequence of members. A set of integers becomes an intset if the length read allows
// it.
func (r *rdbReader) set() Object {
	s := r.st.NewSet()
	n := r.Length()
	if n > uint64(r.st.limits.SetMaxIntsetEntries) {
		s.toDict()
	}
	for ; n > 0 && !r.Bad; n-- {
		if m := r.Text(); !r.Bad && !s.Add(m) {
			r.Fail()
		}
	}
	return s
}

// setListpack reads a listpack of members.
func (r *rdbReader) setListpack() Object {
	b := r.OwnBlob()
	els := r.entries(b)
	if r.distinct(els, 1); r.Bad {
		return nil
	}
	if lim := r.st.limits; lim.CompactSets {
		if lp := listpack.List(b); len(els) <= lim.SetMaxListpackEntries {
			return &Set{st: r.st, lp: &lp}
		}
	}
	s := r.st.NewSet()
	if r.st.limits.CompactSets {
		s.toDict()
	}
	for _, m := range els {
		s.Add(m)
	}
	return s
}

func (r *rdbReader) intset() Object {
	b := r.Blob()
	if r.Bad || intset.Validate(b, true) != nil {
		r.Fail()
		return nil
	}
	s := &Set{st: r.st, ints: intset.Set(b).Clone()}
	if s.Len() > r.st.limits.SetMaxIntsetEntries {
		s.toDict()
	}
	return s
}

// zset reads a sequence of members and scores.
func (r *rdbReader) zset(kind byte) Object {
	var items []ZItem
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		it := ZItem{Member: r.Text()}
		if kind == rdbZSet {
			it.Score = r.Double()
		} else {
			it.Score = r.DoubleText()
		}
		if math.IsNaN(it.Score) {
			r.Fail()
		}
		items = append(items, it)
	}
	n := len(items)
	if n <= r.st.limits.ZSetMaxListpackEntries {
		members := make([]string, n)
		for i := range items {
			members[i] = items[i].Member
		}
		r.distinct(members, 1)
	}
	if r.Bad {
		return nil
	}
	z := r.st.NewZSet(items)
	if z.dict != nil && z.dict.Len() != n { // a member twice
		r.Fail()
	}
	return z
}

// zsetOf makes a sorted set of els: member, score, member, score ... It gets the compact encoding
// if there are few enough members, however long they are. lp, if not nil, is the listpack of els:
// it is used, not copied, if it is in order.
func (r *rdbReader) zsetOf(els []string, lp listpack.List) Object {
	if r.distinct(els, 2); r.Bad {
		return nil
	}
	if cap(r.items) < len(els)/2 {
		r.items = make([]ZItem, 0, len(els)/2)
	}
	items := r.items[:0]
	for i := 0; i < len(els); i += 2 {
		it := ZItem{parseScore(els[i+1]), els[i]}
		if math.IsNaN(it.Score) {
			r.Fail()
			return nil
		}
		items = append(items, it)
	}
	if len(items) <= r.st.limits.ZSetMaxListpackEntries {
		if z := (&ZSet{st: r.st, lp: lp}); lp != nil && z.holds(items) {
			return z
		}
	}
	return r.st.restoredZSet(items)
}

// holds reports whether a sorted set with the compact encoding has exactly items, in order.
func (z *ZSet) holds(items []ZItem) bool {
	i, ok := 0, true
	z.Ascend(0, len(items), func(it ZItem) bool {
		ok = it == items[i] && (i == 0 || items[i-1].before(it))
		i++
		return ok
	})
	return ok
}

// restoredZSet is NewZSet, but chooses the encoding by the number of items alone, not by their
// lengths.
func (s *Store) restoredZSet(items []ZItem) *ZSet {
	if len(items) > s.limits.ZSetMaxListpackEntries {
		return s.NewZSet(items)
	}
	SortZItems(items)
	z := s.NewZSet(nil)
	for _, it := range items {
		z.st.putItem(&z.lp, z.lp.End(), it)
	}
	return z
}

// hash reads a sequence of fields and values.
func (r *rdbReader) hash() Object {
	h := r.st.NewHash()
	n := r.Length()
	if n > uint64(r.st.limits.HashMaxListpackEntries) {
		h.toDict()
	}
	for ; n > 0 && !r.Bad; n-- {
		field, value := r.Text(), r.Text()
		if !r.Bad && !h.Set(field, value) {
			r.Fail()
		}
	}
	return h
}

// hashOf makes a hash of els: field, value, field, value ... It gets the compact encoding if there
// are few enough and, if long is set, if they are short enough.
func (r *rdbReader) hashOf(els []string, long bool) Object {
	if r.distinct(els, 2); r.Bad {
		return nil
	}
	h := r.st.NewHash()
	lim := r.st.limits
	if len(els)/2 > lim.HashMaxListpackEntries || long && slices.ContainsFunc(els, h.tooLong) {
		h.toDict()
		for i := 0; i < len(els); i += 2 {
			setText(h.dict, els[i], els[i+1])
		}
		return h
	}
	for _, el := range els {
		h.lp.Append(el)
	}
	return h
}

// hashListpack reads a listpack of fields and values.
func (r *rdbReader) hashListpack() Object {
	b := r.OwnBlob()
	els := r.views(b)
	if len(els)/2 > r.st.limits.HashMaxListpackEntries {
		return r.hashOf(r.entries(b), false)
	}
	if r.distinct(els, 2); r.Bad {
		return nil
	}
	return &Hash{st: r.st, lp: b}
}

// parseScore returns the number that s begins with, as C's strtod does; 0 if there is none.
func parseScore(s string) float64 {
	f, _ := rdb.ScanFloat(s)
	return f
}
