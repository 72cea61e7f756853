package tables

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/reply"
)

// pending is in the log of a table that is an array reply which has not been read. The elements are
// made at the first access. It is an LValue only to fit there.
type pending struct {
	lua.LValue
	reply reply.Value
	open  func(reply.Value) []lua.LValue
}

// NewPending returns a table whose elements, as those of [NewArray], open makes of v at the first
// access.
func NewPending(v reply.Value, open func(v reply.Value) []lua.LValue) *lua.LTable {
	t := &struct {
		lua.LTable
		keys [1]lua.LValue
		pending
	}{LTable: lua.LTable{Metatable: lua.LNil}, pending: pending{reply: v, open: open}}
	t.keys[0] = &t.pending
	look(&t.LTable).keys = t.keys[:]
	return &t.LTable
}

// Pending returns the reply that a table still is. ok is false if the table has been read.
func Pending(tb *lua.LTable) (v reply.Value, ok bool) {
	if l := look(tb); len(l.keys) == 1 {
		if p, ok := l.keys[0].(*pending); ok {
			return p.reply, true
		}
	}
	return v, false
}

// opened is look for callers that need the elements.
func opened(tb *lua.LTable) *layout {
	l := look(tb)
	if len(l.keys) == 1 {
		l.fill()
	}
	return l
}

// fill makes the elements of a pending table. It reports whether the table was pending.
func (l *layout) fill() bool {
	if len(l.keys) != 1 {
		return false
	}
	p, ok := l.keys[0].(*pending)
	if ok {
		l.keys = nil
		l.array = p.open(p.reply)
		*p = pending{}
	}
	return ok
}
