package tables

import (
	"maps"
	"math"
	"math/bits"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// parts is the node part of a table as in Lua 5.1: a chained scatter table with Brent's variation.
// The number of nodes is a power of two. Free nodes are taken from the end. It is an LValue only to
// fit into LTable.keys.
type parts struct {
	lua.LValue
	nodes []node
	free  int // the nodes from here up are not free, or have been passed over

	murmur bool // strings have MurmurHashing
	reuse  bool // keep the nodes from before the last resize for the next one
	// frozen is set if the table may be read on several goroutines; see Freeze.
	frozen bool
	spare  []node
}

// node holds a key. A removed key keeps its node, without a value, until the next rehash.
type node struct {
	key   lua.LValue // nil: free
	value lua.LValue // nil: removed; lua.LTrue for a string key that is present
	next  uint32     // the next node of the chain, counted from 1; 0: none; may have the bit buried
	sum   uint32     // the hash of a string key
}

// buried marks a removed key that only next finds.
const buried = 1 << 31

// following returns the next node of the chain, or -1.
func (n *node) following() int { return int(n.next&^buried) - 1 }

// hash returns what Lua computes from a key before it knows the table's size. Odd keys are taken
// modulo (size-1)|1, not modulo size.
func (p *parts) hash(key lua.LValue) (sum uint32, odd bool) {
	switch k := key.(type) {
	case lua.LString:
		if p.murmur {
			return murmurHash(string(k)), false
		}
		return hashString(string(k)), false
	case lua.LNumber:
		if k == 0 {
			return 0, false
		}
		b := math.Float64bits(float64(k))
		return uint32(b) + uint32(b>>32), true
	case lua.LBool:
		if k {
			return 1, false
		}
		return 0, false
	case *lua.LUserData: // cjson.null, a null pointer in Redis
		return 0, false
	case *lua.LTable:
		return uint32(uintptr(unsafe.Pointer(k)) >> 4), true
	case *lua.LFunction:
		return uint32(uintptr(unsafe.Pointer(k)) >> 4), true
	case *lua.LState:
		return uint32(uintptr(unsafe.Pointer(k)) >> 4), true
	}
	return 0, false
}

// home returns the node where a key with that hash belongs. There must be nodes.
func (p *parts) home(sum uint32, odd bool) int {
	size := uint32(len(p.nodes))
	if odd {
		return int(sum % ((size - 1) | 1))
	}
	return int(sum & (size - 1))
}

// hashOf returns the hash of the node's key.
func (p *parts) hashOf(n *node) (sum uint32, odd bool) {
	if _, ok := n.key.(lua.LString); ok {
		return n.sum, false
	}
	return p.hash(n.key)
}

// find returns the node of a key, which may have been removed; nil if there is none.
func (p *parts) find(key lua.LValue) *node {
	if i := p.place(key, 0); i >= 0 {
		return &p.nodes[i]
	}
	return nil
}

// place returns the index of the node of a key, or -1. If also is not 0, the node may be buried.
func (p *parts) place(key lua.LValue, also uint32) int {
	if len(p.nodes) == 0 {
		return -1
	}
	for i := p.home(p.hash(key)); ; {
		n := &p.nodes[i]
		if n.key == key && n.next&buried&^also == 0 {
			return i
		}
		if i = n.following(); i < 0 {
			return -1
		}
	}
}

// get returns the value of a key that is not a string, or LNil.
func (p *parts) get(key lua.LValue) lua.LValue {
	if n := p.find(key); n != nil && n.value != nil {
		return n.value
	}
	return lua.LNil
}

// add gives a node to a key that has no node and no place in the array part.
func (p *parts) add(l *layout, key, value lua.LValue) {
	sum, odd := p.hash(key)
	p.addHashed(l, key, value, sum, odd)
}

func (p *parts) addHashed(l *layout, key, value lua.LValue, sum uint32, odd bool) {
	if len(p.nodes) == 0 {
		p.rehash(l, key)
		p.put(l, key, value, sum, odd)
		return
	}
	at := p.home(sum, odd)
	n := &p.nodes[at]
	if n.value != nil {
		free := p.takeFree()
		if free < 0 {
			p.rehash(l, key)
			p.put(l, key, value, sum, odd)
			return
		}
		if other := p.home(p.hashOf(n)); other != at { // the key there does not belong there: it moves
			for p.nodes[other].following() != at {
				other = p.nodes[other].following()
			}
			p.nodes[other].next = uint32(free+1) | p.nodes[other].next&buried
			p.nodes[free] = *n
			n.next = 0
		} else {
			p.nodes[free].next = n.next
			n.next = uint32(free + 1)
			n = &p.nodes[free]
		}
	}
	n.key, n.value, n.sum = key, value, sum
	n.next &^= buried
}

// put is add for a key that may belong into the array part.
func (p *parts) put(l *layout, key, value lua.LValue, sum uint32, odd bool) {
	if i := arrayIndex(key); i >= 0 && i < len(l.array) {
		if value == nil { // a nil was set; the node has no value
			value = lua.LNil
		}
		l.array[i] = value
		return
	}
	p.addHashed(l, key, value, sum, odd)
}

func (p *parts) takeFree() int {
	for p.free > 0 {
		p.free--
		if p.nodes[p.free].key == nil {
			return p.free
		}
	}
	return -1
}

// rehash makes room for one more key, and computes the sizes of both parts. The array part is the
// largest power of two of which more than half is in use.
func (p *parts) rehash(l *layout, key lua.LValue) {
	var counts [bits.UintSize]int // counts[i]: keys above 2^(i-1), up to 2^i
	total, ints := 1, 0
	count := func(i int) {
		if i >= 0 {
			counts[bits.Len(uint(i))]++
			ints++
		}
	}
	for i, v := range l.array {
		if v != lua.LNil {
			counts[bits.Len(uint(i))]++
			ints++
			total++
		}
	}
	for i := range p.nodes {
		if n := &p.nodes[i]; n.value != nil {
			total++
			count(arrayIndex(n.key))
		}
	}
	count(arrayIndex(key))
	size, inArray := 0, 0
	for i, power, sum := 0, 1, 0; power/2 < ints; i, power = i+1, power*2 {
		sum += counts[i]
		if counts[i] > 0 && sum > power/2 {
			size, inArray = power, sum
		}
		if sum == ints {
			break
		}
	}
	p.resize(l, size, total-inArray)
}

// shrinkFrom is the number of nodes above which a table's map is rebuilt when the table shrinks.
const shrinkFrom = 256

// resize sets the sizes of both parts. It inserts the old nodes from the last to the first, as Lua
// does.
func (p *parts) resize(l *layout, array, nodes int) {
	oldArray, oldNodes := l.array, p.nodes
	// a map keeps its size when keys are removed
	if few := len(l.strdict); len(oldNodes) > shrinkFrom && few < len(oldNodes)/4 && nodes < len(oldNodes)/2 {
		strdict := make(map[string]lua.LValue, few)
		maps.Copy(strdict, l.strdict)
		l.strdict = strdict
	}
	p.nodes = roomFor(p.spare, powerAbove(nodes))
	p.free = len(p.nodes)
	if p.reuse {
		p.spare = oldNodes
	}
	if array != len(oldArray) {
		l.array = nil
		if array > 0 {
			l.array = make([]lua.LValue, array)
			for i := copy(l.array, oldArray); i < array; i++ {
				l.array[i] = lua.LNil
			}
		}
		for i := array; i < len(oldArray); i++ {
			if oldArray[i] != lua.LNil {
				p.add(l, lua.LNumber(i+1), oldArray[i])
			}
		}
	}
	for i := len(oldNodes) - 1; i >= 0; i-- {
		if n := &oldNodes[i]; n.value != nil {
			sum, odd := p.hashOf(n)
			p.put(l, n.key, n.value, sum, odd)
		}
	}
}
