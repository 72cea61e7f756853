package tables

import (
	"sync"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
)

// Array returns the array part, which may contain nils. The caller must not change it.
func Array(tb *lua.LTable) []lua.LValue { return opened(tb).array }

// HasHash reports whether the table holds anything outside its array part.
func HasHash(tb *lua.LTable) bool {
	l := opened(tb)
	if len(l.strdict)+len(l.dict) > 0 {
		return true
	}
	if p := l.parts(); p != nil {
		for i := range p.nodes {
			if p.nodes[i].value != nil {
				return true
			}
		}
	}
	return false
}

// Entry is a key with its value.
type Entry struct {
	Key, Value lua.LValue
}

// scratch holds node parts, so that walks over logged tables need not split them.
var scratch = sync.Pool{New: func() any { return &parts{reuse: true} }}

// Hash appends the entries outside the array part to buf, in the order in which Lua 5.1 walks its
// nodes. In Lua the order of table and function keys follows from addresses, so any order of those
// is right.
func Hash(tb *lua.LTable, buf []Entry) []Entry {
	opened(tb).eachNode(func(e Entry) bool {
		buf = append(buf, e)
		return true
	})
	return buf
}

// HashSize returns the largest number of entries that [Hash] returns.
func HashSize(tb *lua.LTable) int {
	l := look(tb)
	if len(l.keys) == 0 {
		return 0
	}
	return opened(tb).hashSize()
}

func (l *layout) hashSize() int {
	if p := l.parts(); p != nil {
		return len(p.nodes)
	}
	return len(l.keys)
}

// Size returns the largest number of entries that a table may have.
func Size(tb *lua.LTable) int { return len(opened(tb).array) + HashSize(tb) }

// EntrySize is the size of an [Entry] in bytes.
const EntrySize = int(unsafe.Sizeof(Entry{}))

// HashCost is the approximate number of bytes that [Hash] and [Each] use per entry while they run.
const HashCost = 2 * int(unsafe.Sizeof(node{}))

// eachNode calls f for the entries of the node part until f returns false.
func (l *layout) eachNode(f func(Entry) bool) {
	p := l.parts()
	if p == nil {
		if len(l.keys) == 0 {
			return
		}
		p = scratch.Get().(*parts)
		defer p.putBack()
		copied := *l
		copied.place(p)
	}
	for i := range p.nodes {
		if n := &p.nodes[i]; n.value != nil && !f(Entry{n.key, l.value(n)}) {
			return
		}
	}
}

// keptNodes is the number of nodes kept for the next walk over a logged table.
const keptNodes = 1 << 12

// putBack clears the scratch memory and returns it.
func (p *parts) putBack() {
	if cap(p.nodes) > keptNodes || cap(p.spare) > keptNodes {
		return
	}
	clear(p.nodes)
	clear(p.spare)
	scratch.Put(p)
}

// Each calls f for all entries in the order of next, until f returns false. f must not change the
// table.
func Each(tb *lua.LTable, f func(Entry) bool) {
	l := opened(tb)
	for i, v := range l.array {
		if v != lua.LNil && !f(Entry{boxes.Int(i + 1), v}) {
			return
		}
	}
	l.eachNode(f)
}

// value returns the value of a node's key, which must be present.
func (l *layout) value(n *node) lua.LValue {
	if s, ok := n.key.(lua.LString); ok {
		return l.strdict[string(s)]
	}
	return n.value
}

// Entries appends all entries to buf, in the order of next.
func Entries(tb *lua.LTable, buf []Entry) []Entry {
	for i, v := range opened(tb).array {
		if v != lua.LNil {
			buf = append(buf, Entry{boxes.Int(i + 1), v})
		}
	}
	return Hash(tb, buf)
}

// Cursor remembers positions in walks, so that each step of [Cursor.Next] has the same cost. The
// zero value works.
type Cursor struct {
	tb *lua.LTable
	at int // the node of the key that was returned last
}

// Next returns the entry after key, or the first one for LNil. At the end it returns the key LNil.
// ok is false if the table does not have the key.
func (c *Cursor) Next(tb *lua.LTable, key lua.LValue) (k, v lua.LValue, ok bool) {
	l := opened(tb)
	var p *parts
	if len(l.keys) > 0 || l.k2i != nil {
		p = l.split()
	}
	i := arrayIndex(key)
	if key == lua.LNil || i >= 0 && i < cap(l.array) {
		for i++; i < len(l.array); i++ {
			if v := l.array[i]; v != lua.LNil {
				return boxes.Int(i + 1), v, true
			}
		}
		if p == nil {
			return lua.LNil, lua.LNil, true
		}
		i = -1
	} else {
		if p == nil {
			return nil, nil, false
		}
		if c.tb == tb && c.at < len(p.nodes) && p.nodes[c.at].key == key {
			i = c.at
		} else if i = p.place(key, buried); i < 0 {
			return nil, nil, false
		}
	}
	for i++; i < len(p.nodes); i++ {
		n := &p.nodes[i]
		if n.value == nil {
			continue
		}
		c.tb, c.at = tb, i
		return n.key, l.value(n), true
	}
	return lua.LNil, lua.LNil, true
}

// Forget drops the table that the cursor holds.
func (c *Cursor) Forget() { c.tb = nil }
