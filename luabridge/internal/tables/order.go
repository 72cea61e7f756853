package tables

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// Entry is one live key with its value.
type Entry struct {
	Key, Value lua.LValue
}

// small is how many keys are ordered without allocating.
const small = 16

// Hash appends the live entries beside the array part to buf, in the order in which Lua 5.1
// walks its node array. The order is exact for tables whose keys are strings, booleans and
// numbers, and from which nothing was removed; table and function keys hash by address
// in Lua, so no order of theirs is right or wrong.
func Hash(tb *lua.LTable, buf []Entry) []Entry {
	l := look(tb)
	start := len(buf)
	for _, k := range l.keys {
		var v lua.LValue
		var ok bool
		if s, isString := k.(lua.LString); isString {
			v, ok = l.strdict[string(s)]
		} else {
			v, ok = l.dict[k]
		}
		if ok {
			buf = append(buf, Entry{k, v})
		}
	}
	if n := len(buf) - start; n > 1 {
		arrange(buf[start:], presized(l))
	}
	return buf
}

// arrange puts entries, given in insertion order, into node order. size is that of a
// constructor's hash part, or 0.
func arrange(es []Entry, size int) {
	var hashes [small]keyHash
	var nodes [4 * small]int32
	var out [small]Entry
	p := placer{keys: hashes[:0], nodes: nodes[:0]}
	sorted := out[:0]
	if len(es) > small {
		p.keys = make([]keyHash, 0, len(es))
		p.nodes = make([]int32, 0, 2*len(es))
		sorted = make([]Entry, 0, len(es))
	}
	p.resize(size)
	for _, e := range es {
		p.keys = append(p.keys, hashOf(e.Key))
		p.insert(int32(len(p.keys)))
	}
	for _, n := range p.nodes {
		if n != 0 {
			sorted = append(sorted, es[n-1])
		}
	}
	copy(es, sorted)
}

// keyHash is what Lua 5.1 computes from a key before it knows the table's size.
type keyHash struct {
	sum uint32
	odd bool // taken modulo (size-1)|1 instead of size
}

// placer replays insertions into Lua 5.1's node array. A node holds a key's number
// (its place among keys, from 1), or 0 when it is free.
type placer struct {
	keys  []keyHash
	nodes []int32
	free  int // all nodes from here up are taken or were passed over
}

func (p *placer) resize(size int) {
	if cap(p.nodes) >= size {
		p.nodes = p.nodes[:size]
		clear(p.nodes)
	} else {
		p.nodes = make([]int32, size)
	}
	p.free = size
}

func (p *placer) home(key int32) int {
	h, size := p.keys[key-1], uint32(len(p.nodes))
	if h.odd {
		return int(h.sum % ((size - 1) | 1))
	}
	return int(h.sum & (size - 1))
}

func (p *placer) insert(key int32) {
	if len(p.nodes) == 0 {
		p.grow(key)
		return
	}
	at := p.home(key)
	there := p.nodes[at]
	if there == 0 {
		p.nodes[at] = key
		return
	}
	free := p.nextFree()
	if free < 0 {
		p.grow(key)
		return
	}
	if p.home(there) != at { // the one that stands there is a guest: it moves
		p.nodes[free] = there
		p.nodes[at] = key
	} else {
		p.nodes[free] = key
	}
}

func (p *placer) nextFree() int {
	for p.free > 0 {
		p.free--
		if p.nodes[p.free] == 0 {
			return p.free
		}
	}
	return -1
}

// grow makes room for every placed key and one more, puts the old ones back from the last node to
// the first, as Lua does, then inserts key.
func (p *placer) grow(key int32) {
	var keep [small]int32
	old := append(keep[:0], p.nodes...)
	n := 1
	for _, k := range old {
		if k != 0 {
			n++
		}
	}
	p.resize(1 << log2(n))
	for i := len(old) - 1; i >= 0; i-- {
		if old[i] != 0 {
			p.insert(old[i])
		}
	}
	p.insert(key)
}

func hashOf(key lua.LValue) keyHash {
	switch k := key.(type) {
	case lua.LString:
		return keyHash{sum: hashString(string(k))}
	case lua.LNumber:
		if k == 0 {
			return keyHash{}
		}
		b := math.Float64bits(float64(k))
		return keyHash{sum: uint32(b) + uint32(b>>32), odd: true}
	case lua.LBool:
		if k {
			return keyHash{sum: 1}
		}
	}
	return keyHash{}
}

// hashString is the string hash of the Lua inside Redis: every byte counts, from the last to
// the first.
func hashString(s string) uint32 {
	h := uint32(len(s))
	for i := len(s) - 1; i >= 0; i-- {
		h ^= h<<5 + h>>2 + uint32(s[i])
	}
	return h
}
