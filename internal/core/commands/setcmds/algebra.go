package setcmds

import (
	"math"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// readSets looks up keys; a missing one gives nil. ok is false when one has another type.
func readSets(c *server.Ctx, keys []string) (sets []*datastore.Set, ok bool) {
	sets = make([]*datastore.Set, len(keys))
	for i, key := range keys {
		s, err := readSet(c, key)
		if err != nil {
			return nil, false
		}
		sets[i] = s
	}
	return sets, true
}

// storeSet puts the result of a STORE command under key, or deletes key when the result is empty.
func storeSet(c *server.Ctx, key string, s *datastore.Set, event string) reply.Value {
	if s.Len() > 0 {
		c.DB.Put(key, s)
		c.Emit(datastore.ClassSet, event, key)
	} else if c.DB.Delete(key) { // deletes an expired key too
		c.Emit(datastore.ClassGeneric, "del", key)
	}
	return reply.Int(int64(s.Len()))
}

func sinter(c *server.Ctx) reply.Value {
	sets, ok := readSets(c, c.Args[1:])
	if !ok {
		return server.WrongType()
	}
	out := []reply.Value{}
	intersect(sets, func(m string) bool {
		out = append(out, reply.Bulk(m))
		return true
	})
	return reply.Set(out...)
}

func sinterstore(c *server.Ctx) reply.Value {
	sets, ok := readSets(c, c.Args[2:])
	if !ok {
		return server.WrongType()
	}
	dst := c.Server.Store.NewSet()
	compact := c.Has(servers.CompactSets) && !slices.Contains(sets, nil)
	if compact {
		dst = c.Server.Store.NewSetLike(slices.MinFunc(sets, byLen))
	}
	intersect(sets, func(m string) bool {
		dst.Add(m)
		return true
	})
	if compact {
		dst.ToInts()
	}
	return storeSet(c, c.Args[1], dst, "sinterstore")
}

func sintercard(c *server.Ctx) reply.Value {
	n, ok := parse.NumKeys(c.Args[1])
	if !ok {
		return reply.Err(errtext.NumKeys)
	}
	if n > int64(len(c.Args)-2) {
		return reply.Err("ERR Number of keys can't be greater than number of args")
	}
	limit := int64(math.MaxInt64)
	for rest := c.Args[2+n:]; len(rest) > 0; rest = rest[2:] {
		if len(rest) < 2 || !parse.IsToken(rest[0], "limit") {
			return reply.Err(errtext.Syntax)
		}
		if limit, ok = parse.Int(rest[1]); !ok || limit < 0 {
			return reply.Err(errtext.LimitNegative)
		}
		if limit == 0 {
			limit = math.MaxInt64
		}
	}
	sets, ok := readSets(c, c.Args[2:2+n])
	if !ok {
		return server.WrongType()
	}
	found := int64(0)
	intersect(sets, func(string) bool {
		found++
		return found < limit
	})
	return reply.Int(found)
}

// intersect calls f for each member that all sets have, in the order of the smallest set, until f
// returns false. It reorders sets.
func intersect(sets []*datastore.Set, f func(m string) bool) {
	if slices.Contains(sets, nil) {
		return
	}
	slices.SortStableFunc(sets, byLen)
	sets[0].All(func(m string) bool {
		for _, s := range sets[1:] {
			if s != sets[0] && !s.Has(m) {
				return true
			}
		}
		return f(m)
	})
}

func byLen(a, b *datastore.Set) int { return a.Len() - b.Len() }

func sunion(c *server.Ctx) reply.Value { return combine(c, c.Args[1:], union, "") }
func sdiff(c *server.Ctx) reply.Value  { return combine(c, c.Args[1:], difference, "") }

func sunionstore(c *server.Ctx) reply.Value { return combine(c, c.Args[2:], union, "sunionstore") }
func sdiffstore(c *server.Ctx) reply.Value  { return combine(c, c.Args[2:], difference, "sdiffstore") }

// combine replies with op of the sets under keys, or stores it when event is not empty.
func combine(c *server.Ctx, keys []string, op func(dst *datastore.Set, sets []*datastore.Set), event string) reply.Value {
	sets, ok := readSets(c, keys)
	if !ok {
		return server.WrongType()
	}
	dst := c.Server.Store.NewSet()
	op(dst, sets)
	if event != "" {
		return storeSet(c, c.Args[1], dst, event)
	}
	c.Server.Store.Discard(dst)
	return setReply(dst)
}

func union(dst *datastore.Set, sets []*datastore.Set) {
	for _, s := range sets {
		addAll(dst, s)
	}
}

func addAll(dst, s *datastore.Set) {
	if s != nil {
		s.All(func(m string) bool {
			dst.Add(m)
			return true
		})
	}
}

// difference adds the members of the first set that no other set has. As in Redis it uses the
// cheaper of two algorithms; the encoding of the result shows which one.
func difference(dst *datastore.Set, sets []*datastore.Set) {
	first, others := sets[0], sets[1:]
	if first == nil || slices.Contains(others, first) {
		return
	}
	if lookUpFirst(first, others) {
		slices.SortStableFunc(others, func(a, b *datastore.Set) int { return setLen(b) - setLen(a) })
		first.All(func(m string) bool {
			for _, s := range others {
				if s != nil && s.Has(m) {
					return true
				}
			}
			dst.Add(m)
			return true
		})
		return
	}
	addAll(dst, first)
	for _, s := range others {
		if s != nil {
			s.All(func(m string) bool {
				dst.Remove(m)
				return dst.Len() > 0
			})
		}
		if dst.Len() == 0 {
			return
		}
	}
}

// lookUpFirst reports whether looking up each member of first in all other sets is estimated to
// cost no more than walking through all sets. A lookup may end early, which halves the estimate.
func lookUpFirst(first *datastore.Set, others []*datastore.Set) bool {
	lookups, walk := 0, 0
	for _, s := range append([]*datastore.Set{first}, others...) {
		if s != nil {
			lookups += first.Len()
			walk += s.Len()
		}
	}
	return lookups/2 <= walk
}

func setLen(s *datastore.Set) int {
	if s == nil {
		return 0
	}
	return s.Len()
}
