package server

import (
	"math"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/reply"
)

// CountLookup counts a lookup for keyspace_hits and keyspace_misses, also in write commands that
// read first (GETSET, COPY), as in Redis. A missing key is published as a keyspace event if the
// configuration asks for it.
func (c *Ctx) CountLookup(found bool, key string) {
	c.CountLookupSilently(found)
	if !found {
		c.Server.missed(c.DB, key)
	}
}

// CountLookupSilently is CountLookup without the event.
func (c *Ctx) CountLookupSilently(found bool) {
	if found {
		c.Server.Stats.Hits++
	} else {
		c.Server.Stats.Misses++
	}
}

// ReadString looks up a string for reading. It returns nil if there is no such key.
func (c *Ctx) ReadString(key string) (*datastore.String, error) {
	s, err := c.DB.String(key)
	c.CountLookup(s != nil || err != nil, key)
	return s, err
}

// ParseDB parses a database number as MOVE and COPY take it.
func (c *Ctx) ParseDB(arg string) (db *datastore.DB, errReply reply.Value, ok bool) {
	n, ok := parse.Int(arg)
	switch {
	case !ok:
		return nil, reply.Err(errtext.NotInteger), false
	case n < math.MinInt32 || n > math.MaxInt32:
		return nil, reply.Err(errtext.NotInt32), false
	case n < 0 || n >= int64(c.Server.Store.Databases()):
		return nil, reply.Err(errtext.DBIndex), false
	}
	return c.Server.Store.DB(int(n)), reply.Value{}, true
}

// ExpireUnit is the unit in which a command gives expiry times.
type ExpireUnit struct {
	Scale    int64 // ms in one unit: 1000 or 1
	Absolute bool  // since the epoch instead of from now
}

var (
	InSeconds = ExpireUnit{1000, false}
	InMillis  = ExpireUnit{1, false}
	AtSeconds = ExpireUnit{1000, true}
	AtMillis  = ExpireUnit{1, true}
)

// ToMillis converts a number of units into ms since the epoch. ok is false on overflow.
func (c *Ctx) ToMillis(n int64, u ExpireUnit) (at int64, ok bool) {
	if n > math.MaxInt64/u.Scale || n < math.MinInt64/u.Scale {
		return 0, false
	}
	n *= u.Scale
	if u.Absolute {
		return n, true
	}
	if now := c.Now(); n > math.MaxInt64-now {
		return 0, false
	} else {
		return n + now, true
	}
}

// ParseExpire parses the expiry time of SET and related commands, which must be positive.
func (c *Ctx) ParseExpire(arg string, u ExpireUnit) (at int64, errReply reply.Value, ok bool) {
	n, ok := parse.Int(arg)
	if !ok {
		return 0, reply.Err(errtext.NotInteger), false
	}
	if n > 0 {
		if at, ok = c.ToMillis(n, u); ok {
			return at, reply.Value{}, true
		}
	}
	return 0, c.BadExpire(), false
}

// BadExpire returns the error reply for an invalid expiry time.
func (c *Ctx) BadExpire() reply.Value {
	return reply.Errorf("ERR invalid expire time in '%s' command", strings.ToLower(c.Spec.Name))
}
