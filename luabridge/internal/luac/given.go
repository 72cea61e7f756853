package luac

import lua "github.com/yuin/gopher-lua"

// Given says how a chunk uses KEYS and ARGV. It is used to fill these tables only when necessary,
// and to use them again for the next run.
type Given struct {
	Keys, Argv bool // the chunk may read the table
	Kept       bool // the chunk may keep one of the tables: it does more than read and set its elements
}

// lentCall is a call of pairs or ipairs with KEYS or ARGV. It returns its argument, so the chunk
// may keep the table unless the results go to a generic for.
type lentCall struct {
	in *funcState
	pc int
}

// borrower is a function that gets a table as its first argument and does not keep it.
type borrower int

const (
	keeper   borrower = iota // may keep its argument
	unpacker                 // returns elements only
	iterator                 // returns its argument for a generic for
)

// borrowerOf returns what the function e does with its first argument. Scripts cannot change these
// globals.
func (fs *funcState) borrowerOf(e *expDesc) borrower {
	if e.kind != vGlobal {
		return keeper
	}
	switch fs.globalName(e) {
	case "unpack":
		return unpacker
	case "pairs", "ipairs":
		return iterator
	}
	return keeper
}

func (fs *funcState) globalName(e *expDesc) lua.LString {
	return fs.proto.Constants[e.info].(lua.LString)
}

// note records a use of a global. Only these names lead to KEYS and ARGV.
func (fs *funcState) note(e *expDesc, kept bool) (given bool) {
	g := &fs.c.given
	switch fs.globalName(e) {
	case "KEYS":
		g.Keys = true
	case "ARGV":
		g.Argv = true
	case "_G", "load", "loadstring":
		g.Keys, g.Argv, g.Kept = true, true, true
		return false
	default:
		return false
	}
	g.Kept = g.Kept || kept
	return true
}

// lend reads e for an instruction that does not keep the value. It reports whether e is KEYS or
// ARGV.
func (fs *funcState) lend(e *expDesc) bool {
	if e.kind != vGlobal || e.hasJumps() {
		return false
	}
	given := fs.note(e, false)
	e.set(vRelocable, fs.codeABx(lua.OP_GETGLOBAL, 0, e.info))
	return given
}

// iterates records that a generic for gets the results of a call, and nothing else does.
func (c *compiler) iterates(call *expDesc) {
	if n := len(c.lent) - 1; n >= 0 && call.kind == vCall && c.lent[n] == (lentCall{c.fs, call.info}) {
		c.lent = c.lent[:n]
	}
}
