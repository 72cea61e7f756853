package explore

// Mode says how a step uses something.
type Mode uint8

// The modes. Two steps that use the same thing commute if both read it or both add to it.
const (
	Read Mode = iota + 1
	Add       // changes it in a way that does not depend on other additions, and that they do not see
	Write
)

// Uses is what a step has used and changed. The zero value is a step that used nothing.
type Uses struct {
	// Everything is set if the step commutes with no other.
	Everything bool
	// AllKeys is how it used the keys that it did not name, 0 for not at all.
	AllKeys Mode
	// Keys is how it used each key that it named.
	Keys map[string]Mode
	// Others is how it used things that are not keys.
	Others map[string]Mode
}

// Key adds the use of a key.
func (u *Uses) Key(name string, m Mode) { put(&u.Keys, name, m) }

// Other adds the use of something that is not a key.
func (u *Uses) Other(name string, m Mode) { put(&u.Others, name, m) }

// All adds the use of all keys.
func (u *Uses) All(m Mode) { u.AllKeys = joined(u.AllKeys, m) }

// Join adds the uses of another step.
func (u *Uses) Join(v Uses) {
	u.Everything = u.Everything || v.Everything
	u.All(v.AllKeys)
	for name, m := range v.Keys {
		u.Key(name, m)
	}
	for name, m := range v.Others {
		u.Other(name, m)
	}
}

func put(to *map[string]Mode, name string, m Mode) {
	if *to == nil {
		*to = map[string]Mode{}
	}
	(*to)[name] = joined((*to)[name], m)
}

// joined is the mode of a step that uses something in two ways.
func joined(a, b Mode) Mode {
	switch {
	case a == 0 || a == b:
		return b
	case b == 0:
		return a
	}
	return Write
}

// Writes reports whether the step changes keys.
func (u Uses) Writes() bool {
	for _, m := range u.Keys {
		if m != Read {
			return true
		}
	}
	return u.Everything || u.AllKeys > Read
}

// Conflicts reports whether the order of two steps may matter.
func (u Uses) Conflicts(v Uses) bool {
	if u.Everything || v.Everything || clash(u.AllKeys, v.AllKeys) {
		return true
	}
	return conflict(u.Keys, v.Keys) || conflict(u.Others, v.Others) || anyClash(u.AllKeys, v.Keys) || anyClash(v.AllKeys, u.Keys)
}

// clash reports whether two uses of the same thing do not commute. 0 is not used.
func clash(a, b Mode) bool { return a != 0 && b != 0 && (a != b || a == Write) }

func conflict(a, b map[string]Mode) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for name, m := range a {
		if clash(m, b[name]) {
			return true
		}
	}
	return false
}

func anyClash(all Mode, keys map[string]Mode) bool {
	if all == 0 {
		return false
	}
	for _, m := range keys {
		if clash(all, m) {
			return true
		}
	}
	return false
}
