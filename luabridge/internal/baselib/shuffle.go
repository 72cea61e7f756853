package baselib

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// shuffled walks tables in an order that depends on a seed. A key has the same place in each walk,
// so walks can be nested, and keys may be removed during a walk. A key that is added during a walk
// may be left out, as in Lua.
type shuffled struct {
	seed  uint64 // 0: walks are in Lua's order
	walks [16]walk
	next  int // the walk to replace
}

// walk is the keys of a table in the order of their sums.
type walk struct {
	tb   *lua.LTable
	keys []placed
	last int // index of the key that was returned last
}

// placed is a key with its place.
type placed struct {
	sum uint64
	key lua.LValue
}

// entryCost is the approximate number of bytes of a key in a walk.
const entryCost = int(unsafe.Sizeof(placed{}))

// after returns the entry behind key; the first one for LNil. At the end it returns the key LNil.
func (s *shuffled) after(b *Library, L *lua.LState, tb *lua.LTable, key lua.LValue) (k, v lua.LValue) {
	w := s.walkOf(b, L, tb, key == lua.LNil)
	i := 0
	if key != lua.LNil {
		i = w.behind(key, s.seed)
	}
	for ; i < len(w.keys); i++ {
		k := w.keys[i].key
		if v := tables.Get(tb, k); v != lua.LNil {
			w.last = i
			return k, v
		}
	}
	return lua.LNil, lua.LNil
}

// walkOf returns the walk over a table, and makes a new one if a walk begins.
func (s *shuffled) walkOf(b *Library, L *lua.LState, tb *lua.LTable, begins bool) *walk {
	at := slices.IndexFunc(s.walks[:], func(w walk) bool { return w.tb == tb })
	if at >= 0 && !begins {
		return &s.walks[at]
	}
	if at < 0 {
		at, s.next = s.next, (s.next+1)%len(s.walks)
	}
	n := tables.Size(tb)
	b.Budget.Work(L, 4*n)
	b.Budget.Ask(L, n*(entryCost+tables.EntrySize))
	w := &s.walks[at]
	*w = walk{tb: tb, keys: w.keys[:0]}
	if cap(w.keys) > keptKeys {
		w.keys = nil
	}
	tables.Each(tb, func(e tables.Entry) bool {
		w.keys = append(w.keys, placed{s.sum(e.Key), e.Key})
		return true
	})
	slices.SortStableFunc(w.keys, func(a, b placed) int { return cmp.Compare(a.sum, b.sum) })
	return w
}

// keptKeys is the number of keys for which memory is kept.
const keptKeys = 1 << 10

// behind returns the index behind a key, which may have been removed.
func (w *walk) behind(key lua.LValue, seed uint64) int {
	if w.last < len(w.keys) && w.keys[w.last].key == key {
		return w.last + 1
	}
	s := shuffled{seed: seed}
	sum := s.sum(key)
	i, _ := slices.BinarySearchFunc(w.keys, sum, func(p placed, sum uint64) int { return cmp.Compare(p.sum, sum) })
	for j := i; j < len(w.keys) && w.keys[j].sum == sum; j++ {
		if w.keys[j].key == key {
			return j + 1
		}
	}
	return i
}

// forget drops the tables.
func (s *shuffled) forget() {
	for i := range s.walks {
		w := &s.walks[i]
		clear(w.keys[:cap(w.keys)])
		*w = walk{keys: w.keys[:0]}
	}
}

// sum returns the place of a key. Tables, functions and threads have places that differ between
// runs of the program.
func (s *shuffled) sum(key lua.LValue) uint64 {
	const prime = 0x100000001b3
	h := mix(s.seed ^ 0xcbf29ce484222325)
	switch k := key.(type) {
	case lua.LString:
		for i := range len(k) {
			h = (h ^ uint64(k[i])) * prime
		}
	case lua.LNumber:
		h ^= math.Float64bits(float64(k)) * prime
	case lua.LBool:
		if k {
			h++
		}
	case *lua.LTable:
		h ^= uint64(uintptr(unsafe.Pointer(k)))
	case *lua.LFunction:
		h ^= uint64(uintptr(unsafe.Pointer(k)))
	case *lua.LState:
		h ^= uint64(uintptr(unsafe.Pointer(k)))
	case *lua.LUserData:
		h ^= uint64(uintptr(unsafe.Pointer(k)))
	}
	return mix(h)
}

// mix spreads the bits of x, as the finalizer of splitmix64 does.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
