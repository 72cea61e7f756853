package command

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// objectOf looks the key of an OBJECT subcommand up without counting as an access.
func (c *Ctx) objectOf() *datastore.Entry {
	e := c.DB.Peek(c.Args[2])
	c.countLookup(e != nil)
	return e
}

func objectEncoding(c *Ctx) reply.Value {
	if e := c.objectOf(); e != nil {
		return reply.Bulk(e.Object().Encoding())
	}
	return reply.Nil()
}

func objectIdletime(c *Ctx) reply.Value {
	if e := c.objectOf(); e != nil {
		return reply.Int(e.Idle() / 1000)
	}
	return reply.Nil()
}

// objectRefcount answers 1, and for an integer that Redis keeps in an object of all keys the number
// that means "never freed".
func objectRefcount(c *Ctx) reply.Value {
	e := c.objectOf()
	if e == nil {
		return reply.Nil()
	}
	if s, ok := e.Object().(*datastore.String); ok && s.Shared() {
		return reply.Int(math.MaxInt32)
	}
	return reply.Int(1)
}

func objectFreq(c *Ctx) reply.Value {
	if c.objectOf() == nil {
		return reply.Nil()
	}
	return reply.Err("ERR An LFU maxmemory policy is not selected, access frequency not tracked. " +
		"Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.")
}

func objectHelp() Handler {
	return help("OBJECT",
		"ENCODING <key>",
		"    Return the kind of internal representation used in order to store the value",
		"    associated with a <key>.",
		"FREQ <key>",
		"    Return the access frequency index of the <key>. The returned integer is",
		"    proportional to the logarithm of the recent access frequency of the key.",
		"IDLETIME <key>",
		"    Return the idle time of the <key>, that is the approximated number of",
		"    seconds elapsed since the last access to the key.",
		"REFCOUNT <key>",
		"    Return the number of references of the value associated with the specified",
		"    <key>.",
	)
}
