package tables

import (
	lua "github.com/yuin/gopher-lua"
)

// split makes a table a split one.
func (l *layout) split() *parts {
	if p := l.parts(); p != nil {
		return p
	}
	p := new(parts)
	l.place(p)
	l.keys = append(l.keys[:0:0], p)
	l.dict, l.k2i = nil, nil
	return p
}

// place fills p with the nodes of a plain, logged or foreign table, and makes its slice the whole
// array part.
func (l *layout) place(p *parts) {
	log := l.keys
	p.murmur = l.murmurs()
	for i := len(l.array); i < cap(l.array); i++ {
		l.array = append(l.array, lua.LNil)
	}
	nodes := 0
	if len(log) > 0 {
		if s, ok := log[0].(*sizes); ok {
			nodes, log = s.nodes, log[1:]
		} else if l.foreign() && len(log) == 1 { // the table arg of a function: Lua makes it with room for n
			nodes = 1
		}
	}
	p.nodes, p.free = roomFor(p.nodes, nodes), nodes
	for _, k := range log {
		var v lua.LValue
		if s, ok := k.(lua.LString); ok {
			if _, there := l.strdict[string(s)]; there {
				v = lua.LTrue
			}
		} else if d, there := l.dict[k]; there {
			v = d
		}
		if v != nil && p.find(k) == nil {
			sum, odd := p.hash(k)
			p.put(l, k, v, sum, odd)
		}
	}
}

func roomFor(nodes []node, n int) []node {
	if cap(nodes) >= n {
		clear(nodes[:n])
		return nodes[:n]
	}
	return make([]node, n)
}

// canLog reports whether a new string key can join the log of a table without parts.
func (l *layout) canLog() bool {
	if l.k2i != nil {
		return false
	}
	if len(l.keys) > 0 {
		if s, ok := l.keys[0].(*sizes); ok {
			return s.array == 0 && len(l.array) == 0 || len(l.keys) <= s.nodes
		}
		return len(l.array) == 0
	}
	if len(l.array) == 0 {
		l.array = nil // Lua would rehash now, and find the array part empty
		return true
	}
	return false
}
