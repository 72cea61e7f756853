package replay

// Which keys an operation touches, and whether the order of two operations may matter.

import "github.com/redmoon-lua/redmoon/internal/base/cmdtable"

// access says which keys an operation touches.
type access struct {
	keys   []keyUse
	global bool // it may touch any key
	writes bool // it writes some key
	// replaces is set if the operation gives its keys values that do not depend on what was there.
	replaces bool
}

// keyUse is a key that an operation touches.
type keyUse struct {
	db     int
	key    string
	writes bool
}

// add adds what a step touches.
func (a *access) add(s *step) {
	f := &s.facts
	if !f.data {
		return
	}
	a.writes = a.writes || f.writes
	a.global = a.global || f.global || (f.script && len(f.spec.FindKeys(s.args)) == 0)
	if !s.fits() {
		return
	}
	a.replaces = !f.script
	for _, k := range f.spec.FindKeys(s.args) {
		a.replaces = a.replaces && k.Flags&(cmdtable.OW|cmdtable.RM) != 0
		writes := f.script || (f.writes && k.Flags&(cmdtable.RW|cmdtable.OW|cmdtable.RM) != 0)
		a.keys = append(a.keys, keyUse{s.db, s.args[k.Pos], writes})
	}
}

// fits reports whether the step has a number of arguments that its command takes.
func (s *step) fits() bool {
	return len(s.args) >= s.facts.spec.MinArgs && len(s.args) <= s.facts.spec.MaxArgs
}

// conflicts reports whether the order of two operations may matter.
func (a *access) conflicts(b *access) bool {
	if !a.writes && !b.writes {
		return false
	}
	if (a.global && (b.global || len(b.keys) > 0)) || (b.global && len(a.keys) > 0) {
		return true
	}
	for i := range a.keys {
		for j := range b.keys {
			x, y := &a.keys[i], &b.keys[j]
			if (x.writes || y.writes) && x.key == y.key && x.db == y.db {
				return true
			}
		}
	}
	return false
}
