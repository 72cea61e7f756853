package setcmds

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/commands/sample"
	"github.com/redmoon-lua/redmoon/internal/core/commands/scan"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// readSet looks up a key for a read command.
func readSet(c *server.Ctx, key string) (*datastore.Set, error) {
	s, err := c.DB.Set(key)
	c.CountLookup(s != nil || err != nil, key)
	return s, err
}

func sadd(c *server.Ctx) reply.Value {
	key := c.Args[1]
	s, err := c.DB.SetForWrite(key)
	if err != nil {
		return server.WrongType()
	}
	n := int64(0)
	s.Expect(len(c.Args)-2, c.Args[2])
	for _, m := range c.Args[2:] {
		if s.Add(m) {
			n++
		}
	}
	if n > 0 {
		c.EmitN(n, datastore.ClassSet, "sadd", key)
	}
	return reply.Int(n)
}

func srem(c *server.Ctx) reply.Value {
	key := c.Args[1]
	s, err := c.DB.Set(key)
	if err != nil {
		return server.WrongType()
	}
	if s == nil {
		return reply.Int(0)
	}
	n := int64(0)
	for _, m := range c.Args[2:] {
		if s.Remove(m) {
			n++
		}
	}
	if n > 0 {
		c.EmitN(n, datastore.ClassSet, "srem", key)
		c.DB.DropIfEmpty(key)
	}
	return reply.Int(n)
}

func smove(c *server.Ctx) reply.Value {
	from, to, m := c.Args[1], c.Args[2], c.Args[3]
	src, err := c.DB.Set(from)
	dst, err2 := c.DB.Set(to) // always looked up, which counts as an access
	switch {
	case src == nil && err == nil:
		return reply.Int(0)
	case err != nil || err2 != nil:
		return server.WrongType()
	case src == dst:
		return reply.Int(boolInt(src.Has(m)))
	case !src.Remove(m):
		return reply.Int(0)
	}
	c.Emit(datastore.ClassSet, "srem", from)
	c.DB.DropIfEmpty(from)
	if dst == nil {
		dst, _ = c.DB.SetForWrite(to)
		dst.Expect(1, m)
	}
	if dst.Add(m) {
		c.Emit(datastore.ClassSet, "sadd", to)
	}
	return reply.Int(1)
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func scard(c *server.Ctx) reply.Value {
	s, err := readSet(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if s == nil {
		return reply.Int(0)
	}
	return reply.Int(int64(s.Len()))
}

func sismember(c *server.Ctx) reply.Value {
	s, err := readSet(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	return reply.Int(boolInt(s != nil && s.Has(c.Args[2])))
}

func smismember(c *server.Ctx) reply.Value {
	s, err := readSet(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	out := make([]reply.Value, len(c.Args)-2)
	for i, m := range c.Args[2:] {
		out[i] = reply.Int(boolInt(s != nil && s.Has(m)))
	}
	return reply.Array(out...)
}

func smembers(c *server.Ctx) reply.Value {
	s, err := readSet(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	return setReply(s)
}

// setReply returns all members of s, which may be nil.
func setReply(s *datastore.Set) reply.Value {
	if s == nil {
		return reply.Set()
	}
	out := make([]reply.Value, 0, s.Len())
	s.All(func(m string) bool {
		out = append(out, reply.Bulk(m))
		return true
	})
	return reply.Set(out...)
}

func spop(c *server.Ctx) reply.Value {
	if len(c.Args) > 2 {
		return spopCount(c)
	}
	key := c.Args[1]
	s, err := c.DB.Set(key)
	if err != nil {
		return server.WrongType()
	}
	if s == nil {
		return reply.Nil()
	}
	m := s.Pop(c.Server.Store.Rand())
	if c.HasEffects() {
		c.EffectIs("SREM", key, m)
	}
	c.Emit(datastore.ClassSet, "spop", key)
	c.DB.DropIfEmpty(key)
	return reply.Bulk(m)
}

func spopCount(c *server.Ctx) reply.Value {
	if len(c.Args) > 3 {
		return reply.Err(errtext.Syntax)
	}
	key := c.Args[1]
	count, ok := parse.PopCount(c.Args[2])
	if !ok {
		return reply.Err(errtext.NotPositive)
	}
	s, err := c.DB.Set(key)
	if err != nil {
		return server.WrongType()
	}
	if s == nil || count == 0 {
		return reply.Set()
	}
	if count >= int64(s.Len()) {
		c.CountLookupSilently(true) // Redis makes the reply as SUNION does
		all := setReply(s)
		c.Server.Store.Discard(s)
		c.EffectIs("DEL", key)
		c.EmitN(int64(s.Len()), datastore.ClassSet, "spop", key)
		c.DB.Delete(key)
		c.DB.Notify(datastore.ClassGeneric, "del", key)
		return all
	}
	var out reply.Value
	if left := int64(s.Len()) - count; left*popKeepsFactor <= count {
		out = popAllBut(c, key, s, left)
	} else {
		popped := make([]reply.Value, count)
		for i := range popped {
			popped[i] = reply.Bulk(s.Pop(c.Server.Store.Rand()))
		}
		out = reply.Set(popped...)
	}
	if c.HasEffects() {
		for _, m := range out.Slice() {
			c.AddEffect("SREM", key, m.Text())
		}
		c.NoEffect()
	}
	c.EmitN(count, datastore.ClassSet, "spop", key)
	return out
}

// popKeepsFactor decides when SPOP moves the remaining members to a new set instead of removing the
// popped ones: when there are at least that many times more popped than remaining members. The new
// set may be an intset even if the old one was not.
const popKeepsFactor = 5

// popAllBut replaces the set under key by left random members of it, and replies with the other
// members.
func popAllBut(c *server.Ctx, key string, s *datastore.Set, left int64) reply.Value {
	kept := c.Server.Store.NewSet()
	if c.Has(servers.CompactSets) && s.Encoding() == "hashtable" {
		kept.Expect(0, "")
	}
	for range left {
		kept.Add(s.Pop(c.Server.Store.Rand()))
	}
	c.DB.Replace(c.DB.Peek(key), kept)
	return setReply(s)
}

func srandmember(c *server.Ctx) reply.Value {
	if len(c.Args) > 3 {
		return reply.Err(errtext.Syntax)
	}
	count := int64(1)
	if len(c.Args) > 2 {
		var ok bool
		if count, ok = parse.Int(c.Args[2]); !ok {
			return reply.Err(errtext.NotInteger)
		}
		if count == math.MinInt64 {
			return reply.Err(errtext.CountRange)
		}
	}
	s, err := readSet(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	switch {
	case len(c.Args) > 2 && (s == nil || count == 0):
		return reply.Array()
	case s == nil:
		return reply.Nil()
	case len(c.Args) == 2:
		return reply.Bulk(s.Random(c.Server.Store.Rand()))
	}
	if v, refused := c.RefuseLarge(-count, 1); refused {
		return v
	}
	var out []reply.Value
	sample.Indexes(c, s.Len(), s.Compact(), count, func(i int) { out = append(out, reply.Bulk(s.At(i))) })
	return reply.Array(out...)
}

func sscan(c *server.Ctx) reply.Value {
	return scan.Key(c, 1, readSet, func(s *datastore.Set, a *scan.Args, out *[]reply.Value) func(uint64) (uint64, int64) {
		return func(cursor uint64) (next uint64, found int64) {
			next = s.Scan(cursor, func(member string) {
				found++
				if a.Match(member) {
					*out = append(*out, reply.Bulk(member))
				}
			})
			return next, found
		}
	})
}
