package keycmds

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// LookupObject looks up the key that is argument 2, as OBJECT does: it does not count as an access.
func LookupObject(c *server.Ctx) *datastore.Entry {
	e := c.DB.Peek(c.Args[2])
	c.CountLookupSilently(e != nil)
	return e
}

func objectEncoding(c *server.Ctx) reply.Value {
	if e := LookupObject(c); e != nil {
		return reply.Bulk(e.Object().Encoding())
	}
	return reply.Nil()
}

// lfu reports whether the eviction policy counts how often keys are used.
func lfu(c *server.Ctx) bool { return c.Server.Store.Limits().LFU }

func objectIdletime(c *server.Ctx) reply.Value {
	e := LookupObject(c)
	switch {
	case e == nil:
		return reply.Nil()
	case lfu(c):
		return reply.Err("ERR An LFU maxmemory policy is selected, idle time not tracked." + policySwitch)
	}
	return reply.Int(e.Idle(c.Now()) / 1000)
}

const policySwitch = " Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust."

// objectRefcount returns 1, or the number that means "never freed" for a small integer, which Redis
// keeps in an object that all keys share, unless servers.OwnNumbers.
func objectRefcount(c *server.Ctx) reply.Value {
	e := LookupObject(c)
	if e == nil {
		return reply.Nil()
	}
	if s, ok := e.Object().(*datastore.String); ok && s.Shared() && !c.Has(servers.OwnNumbers) {
		return reply.Int(math.MaxInt32)
	}
	return reply.Int(1)
}

// objectFreq returns the access frequency, which only LFU policies keep.
func objectFreq(c *server.Ctx) reply.Value {
	switch e := LookupObject(c); {
	case e == nil:
		return reply.Nil()
	case lfu(c):
		return reply.Int(int64(c.Server.Store.Freq(e)))
	}
	return reply.Err("ERR An LFU maxmemory policy is not selected, access frequency not tracked." + policySwitch)
}

func objectHelp() server.Handler {
	return server.Help("OBJECT",
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
