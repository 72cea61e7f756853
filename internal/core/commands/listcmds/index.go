package listcmds

import (
	"math"

	"github.com/redmoon-lua/redmoon/internal/base/servers"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// readList looks up a key for a read command.
func readList(c *server.Ctx, key string) (*datastore.List, error) {
	l, err := c.DB.List(key)
	c.CountLookup(l != nil || err != nil, key)
	return l, err
}

func llen(c *server.Ctx) reply.Value {
	l, err := readList(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if l == nil {
		return reply.Int(0)
	}
	return reply.Int(int64(l.Len()))
}

// place converts an index, which counts from the end if negative, for a list of n elements.
func place(index int64, n int) (i int, ok bool) {
	if index < 0 {
		index += int64(n)
	}
	return int(index), index >= 0 && index < int64(n)
}

func lindex(c *server.Ctx) reply.Value {
	l, err := readList(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if l == nil {
		return reply.Nil()
	}
	index, ok := parse.Int(c.Args[2])
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	i, ok := place(index, l.Len())
	if !ok {
		return reply.Nil()
	}
	return reply.Bulk(l.At(i))
}

func lset(c *server.Ctx) reply.Value {
	l, err := c.DB.List(c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if l == nil {
		return reply.Err(errtext.NoSuchKey)
	}
	index, ok := parse.Int(c.Args[2])
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	if c.Has(servers.ListIndexOf32Bits) {
		index = int64(int32(index))
		l.Expect(c.Args[3])
	}
	i, ok := place(index, l.Len())
	if !ok {
		return reply.Err(errtext.OutOfRange)
	}
	l.Expect(c.Args[3])
	l.Set(i, c.Args[3])
	l.Shrink()
	c.Emit(datastore.ClassList, "lset", c.Args[1])
	return reply.OK()
}

// span limits start and stop, both inclusive and negative from the end, to a list of n elements.
// The result is empty when start > stop.
func span(start, stop int64, n int) (from, to int) {
	if start < 0 {
		start = max(0, start+int64(n))
	}
	if stop < 0 {
		stop += int64(n)
	}
	if start > stop || start >= int64(n) {
		return 0, -1
	}
	return int(start), int(min(stop, int64(n)-1))
}

// parseSpan reads the arguments start and stop.
func parseSpan(args []string) (start, stop int64, ok bool) {
	start, ok = parse.Int(args[2])
	stop, ok2 := parse.Int(args[3])
	return start, stop, ok && ok2
}

func lrange(c *server.Ctx) reply.Value {
	start, stop, ok := parseSpan(c.Args)
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	l, err := readList(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if l == nil {
		return reply.Array()
	}
	from, to := span(start, stop, l.Len())
	if from > to {
		return reply.Array()
	}
	out := make([]reply.Value, 0, to-from+1)
	l.Ascend(from, func(i int, el string) bool {
		out = append(out, reply.Bulk(el))
		return i < to
	})
	return reply.Array(out...)
}

func ltrim(c *server.Ctx) reply.Value {
	start, stop, ok := parseSpan(c.Args)
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	key := c.Args[1]
	l, err := c.DB.List(key)
	if err != nil {
		return server.WrongType()
	}
	if l == nil {
		return reply.OK()
	}
	before := l.Len()
	l.Trim(span(start, stop, before))
	c.DB.Notify(datastore.ClassList, "ltrim", key)
	c.DB.AddDirty(int64(before - l.Len())) // as in Redis, LTRIM may change nothing
	dropEmpty(c, key, l)
	return reply.OK()
}

func linsert(c *server.Ctx) reply.Value {
	after := parse.IsToken(c.Args[2], "after")
	if !after && !parse.IsToken(c.Args[2], "before") {
		return reply.Err(errtext.Syntax)
	}
	l, err := c.DB.List(c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if l == nil {
		return reply.Int(0)
	}
	l.Expect(c.Args[4])
	at := -1
	l.Compare(0, false, c.Args[3], func(i int, equal bool) bool {
		if equal {
			at = i
		}
		return !equal
	})
	switch {
	case at < 0:
		return reply.Int(-1)
	case after:
		l.InsertAfter(at, c.Args[4])
	default:
		l.Insert(at, c.Args[4])
	}
	c.Emit(datastore.ClassList, "linsert", c.Args[1])
	return reply.Int(int64(l.Len()))
}

func lrem(c *server.Ctx) reply.Value {
	count, ok := parse.Int(c.Args[2])
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	if count == math.MinInt64 && c.Has(servers.SafeNegation) {
		return reply.Err(errtext.CountRange)
	}
	key := c.Args[1]
	l, err := c.DB.List(key)
	if err != nil {
		return server.WrongType()
	}
	if l == nil {
		return reply.Int(0)
	}
	n := l.Remove(int(max(min(count, math.MaxInt), math.MinInt)), c.Args[3])
	if n > 0 {
		c.EmitN(int64(n), datastore.ClassList, "lrem", key)
		dropEmpty(c, key, l)
	}
	return reply.Int(int64(n))
}
