package command

import (
	"math"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// countLookup counts a lookup for keyspace_hits and keyspace_misses also in a write command: those that
// read first (GETSET, COPY ...) count as Redis counts them. A key that is not there is told to those who want such events.
func (c *Ctx) countLookup(found bool, key string) {
	c.countOnly(found)
	if !found {
		c.Server.missed(c.DB, key)
	}
}

// countOnly is countLookup that tells nobody.
func (c *Ctx) countOnly(found bool) {
	if found {
		c.Server.Stats.Hits++
	} else {
		c.Server.Stats.Misses++
	}
}

// readString looks a string up for reading; nil when there is no such key.
func (c *Ctx) readString(key string) (*datastore.String, error) {
	s, err := c.DB.String(key)
	c.countLookup(s != nil || err != nil, key)
	return s, err
}

// parseDB reads a database number as MOVE and COPY take it.
func (c *Ctx) parseDB(arg string) (db *datastore.DB, errReply reply.Value, ok bool) {
	n, ok := parseInt(arg)
	switch {
	case !ok:
		return nil, reply.Err(errNotInteger), false
	case n < math.MinInt32 || n > math.MaxInt32:
		return nil, reply.Err(errNotInt32), false
	case n < 0 || n >= int64(c.Server.Store.Databases()):
		return nil, reply.Err(errDBIndex), false
	}
	return c.Server.Store.DB(int(n)), reply.Value{}, true
}

// expireUnit tells how a command counts expiry times.
type expireUnit struct {
	scale    int64 // ms in one unit: 1000 or 1
	absolute bool  // since the epoch, not from now
}

var (
	inSeconds = expireUnit{1000, false}
	inMillis  = expireUnit{1, false}
	atSeconds = expireUnit{1000, true}
	atMillis  = expireUnit{1, true}
)

// toMillis turns a number of units into ms since the epoch; ok is false when that overflows.
func (c *Ctx) toMillis(n int64, u expireUnit) (at int64, ok bool) {
	if n > math.MaxInt64/u.scale || n < math.MinInt64/u.scale {
		return 0, false
	}
	n *= u.scale
	if u.absolute {
		return n, true
	}
	if now := c.Now(); n > math.MaxInt64-now {
		return 0, false
	} else {
		return n + now, true
	}
}

// parseExpire reads the expiry time of SET and its relatives: it must lie above zero.
func (c *Ctx) parseExpire(arg string, u expireUnit) (at int64, errReply reply.Value, ok bool) {
	n, ok := parseInt(arg)
	if !ok {
		return 0, reply.Err(errNotInteger), false
	}
	if n > 0 {
		if at, ok = c.toMillis(n, u); ok {
			return at, reply.Value{}, true
		}
	}
	return 0, c.badExpire(), false
}

func (c *Ctx) badExpire() reply.Value {
	return reply.Errorf("ERR invalid expire time in '%s' command", strings.ToLower(c.Spec.Name))
}
