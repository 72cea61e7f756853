package reply

import "strings"

// Clone returns a copy of v that shares no memory with it, for a caller that keeps a reply whose
// memory is reused.
func (v Value) Clone() Value {
	c := v
	if list := v.Slice(); list != nil {
		copied := make([]Value, len(list))
		for i, e := range list {
			copied[i] = e.Clone()
		}
		c.p = newList(v.kind, copied).p
		return c
	}
	if text := v.str(); text != "" {
		c.p = newText(v.kind, strings.Clone(text)).p
	}
	return c
}

// Equal reports whether two values have the same kind and content.
func (v Value) Equal(w Value) bool {
	a, b := v.Slice(), w.Slice()
	if v.kind != w.kind || len(a) != len(b) || v.str() != w.str() {
		return false
	}
	if a == nil {
		return v.n == w.n
	}
	for i := range a {
		if !a[i].Equal(b[i]) {
			return false
		}
	}
	return true
}
