package tables

import (
	lua "github.com/yuin/gopher-lua"
)

// Get returns the value of any key, without metamethods. It returns LNil if there is none.
func Get(tb *lua.LTable, key lua.LValue) lua.LValue {
	switch k := key.(type) {
	case lua.LString:
		if v, ok := look(tb).strdict[string(k)]; ok {
			return v
		}
		return lua.LNil
	case lua.LNumber:
		l := look(tb)
		if i := int(k); uint(i-1) < uint(len(l.array)) && lua.LNumber(i) == k {
			return l.array[i-1]
		}
	}
	return look(tb).getOther(key)
}

// GetInt is [Get] for an integer key.
func GetInt(tb *lua.LTable, i int) lua.LValue {
	l := look(tb)
	if uint(i-1) < uint(len(l.array)) {
		return l.array[i-1]
	}
	if len(l.keys) == 0 && l.dict == nil {
		return lua.LNil
	}
	return l.getOther(lua.LNumber(i))
}

// getOther is Get for keys that are neither strings nor in the array part.
func (l *layout) getOther(key lua.LValue) lua.LValue {
	if l.fill() {
		if i := arrayIndex(key); i >= 0 && i < len(l.array) {
			return l.array[i]
		}
		return lua.LNil
	}
	if p := l.parts(); p != nil {
		return p.get(key)
	}
	if l.dict != nil {
		if v, ok := l.dict[key]; ok {
			return v
		}
	}
	return lua.LNil
}

// Set sets the value of a key, without metamethods. The key must be neither nil nor NaN. The value
// LNil removes the key.
//
// In Lua 5.1, to set a missing key to nil has an effect: the key gets a node without a value, which
// may cause a rehash.
func Set(tb *lua.LTable, key, value lua.LValue) {
	switch k := key.(type) {
	case lua.LString:
		SetKey(tb, key, string(k), value)
		return
	case lua.LNumber:
		if i := int(k); i >= 1 && i <= MaxArray && lua.LNumber(i) == k {
			setIndex(tb, i, key, value)
			return
		}
	}
	opened(tb).setOther(key, value)
}

// SetInt is [Set] for an integer key.
func SetInt(tb *lua.LTable, i int, value lua.LValue) {
	if i >= 1 && i <= MaxArray {
		setIndex(tb, i, nil, value)
		return
	}
	opened(tb).setOther(lua.LNumber(i), value)
}

// SetString is [Set] for a string key.
func SetString(tb *lua.LTable, key string, value lua.LValue) { SetKey(tb, nil, key, value) }

// setIndex sets the element i, 1 to MaxArray. key is i as a value, or nil if the caller does not
// have it.
func setIndex(tb *lua.LTable, i int, key, value lua.LValue) {
	l := opened(tb)
	n := len(l.array)
	if value != lua.LNil {
		if i <= n {
			l.array[i-1] = value
			return
		}
		if i == n+1 && n < cap(l.array) { // a split table has no room after its last element
			l.array = append(l.array, value)
			return
		}
		if i == n+1 && len(l.keys) == 0 && l.k2i == nil {
			l.double()
			l.array = append(l.array, value)
			return
		}
	} else if l.k2i == nil && l.parts() == nil {
		switch {
		case i == n:
			l.array[n-1] = nil
			l.array = l.array[:n-1]
			return
		case i > n && i <= cap(l.array):
			return
		case i == n+1 && len(l.keys) == 0:
			l.double()
			return
		}
	}
	p := l.split()
	if i <= len(l.array) {
		l.array[i-1] = value
		return
	}
	if key == nil {
		key = lua.LNumber(i)
	}
	p.set(l, key, value)
}

// double makes room for one more element of a plain table that is full.
func (l *layout) double() {
	n := len(l.array)
	l.array = append(make([]lua.LValue, 0, powerAbove(n+1)), l.array...)
}

// setOther sets a key that is neither a string nor the index of an element.
func (l *layout) setOther(key, value lua.LValue) {
	l.split().set(l, key, value)
}

// set sets a key that is not a string and has no place in the array part.
func (p *parts) set(l *layout, key, value lua.LValue) {
	if value == lua.LNil {
		value = nil
	}
	if n := p.find(key); n != nil {
		n.value = value
		return
	}
	p.add(l, key, value)
}

// SetKey is [SetString] for a caller that may have the key as a value; nil if not.
func SetKey(tb *lua.LTable, key lua.LValue, s string, value lua.LValue) {
	l := look(tb)
	if _, ok := l.strdict[s]; ok {
		if value != lua.LNil {
			l.strdict[s] = value
		} else {
			l.remove(s)
		}
		return
	}
	l.fill()
	if key == nil {
		key = lua.LString(s)
	}
	if value == lua.LNil {
		l.split().set(l, key, value)
		return
	}
	if l.strdict == nil {
		l.strdict = make(map[string]lua.LValue)
	}
	p := l.parts()
	if p == nil {
		if l.canLog() {
			l.strdict[s] = value
			l.keys = append(l.keys, key)
			return
		}
		p = l.split()
	}
	l.strdict[s] = value
	if n := p.find(key); n != nil { // it was removed; it returns to its place
		n.value = lua.LTrue
		return
	}
	p.add(l, key, lua.LTrue)
}

func (l *layout) remove(s string) {
	p := l.split()
	delete(l.strdict, s)
	p.find(lua.LString(s)).value = nil
}
