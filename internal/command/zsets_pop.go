package command

import (
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

func zpopmin(c *Ctx) reply.Value { return c.zpopGeneric(false) }
func zpopmax(c *Ctx) reply.Value { return c.zpopGeneric(true) }

func (c *Ctx) zpopGeneric(fromMax bool) reply.Value {
	count := int64(1)
	if len(c.Args) > 3 {
		return reply.Err(errSyntax)
	}
	if len(c.Args) == 3 {
		var ok bool
		if count, ok = parseInt(c.Args[2]); !ok || count < 0 {
			return reply.Err("ERR value is out of range, must be positive")
		}
	}
	z, err := c.DB.ZSet(c.Args[1])
	if err != nil {
		return wrongType()
	}
	if z == nil || count == 0 {
		return reply.Array()
	}
	return c.zpop(c.Args[1], z, fromMax, count, len(c.Args) == 3 && c.Proto > 2)
}

// zpop takes up to count elements off one end of z, which is under key.
func (c *Ctx) zpop(key string, z *datastore.ZSet, fromMax bool, count int64, nested bool) reply.Value {
	n := int(min(count, int64(z.Len())))
	out := newScoredReply(n, true, nested)
	if fromMax {
		size := z.Len()
		z.Descend(size-1, n, out.add)
		z.RemoveRange(size-n, size)
		c.Emit(datastore.ClassZSet, "zpopmax", key)
	} else {
		z.Ascend(0, n, out.add)
		z.RemoveRange(0, n)
		c.Emit(datastore.ClassZSet, "zpopmin", key)
	}
	c.DB.DropIfEmpty(key)
	return out.value()
}

func zmpop(c *Ctx) reply.Value {
	keys, fromMax, count, e, ok := parseZmpop(c.Args[1:])
	if !ok {
		return e
	}
	return c.zmpopGeneric(keys, fromMax, count)
}

// bzmpop is reached from scripts only, where it does not wait.
func bzmpop(c *Ctx) reply.Value {
	keys, fromMax, count, e, ok := parseZmpop(c.Args[2:])
	if !ok {
		return e
	}
	if e, ok := checkTimeout(c.Args[1]); !ok {
		return e
	}
	return c.zmpopGeneric(keys, fromMax, count)
}

// zmpopGeneric pops from the first of keys that holds something.
func (c *Ctx) zmpopGeneric(keys []string, fromMax bool, count int64) reply.Value {
	for _, key := range keys {
		z, err := c.DB.ZSet(key)
		if err != nil {
			return wrongType()
		}
		if z != nil {
			return reply.Array(reply.Bulk(key), c.zpop(key, z, fromMax, count, true))
		}
	}
	return reply.NilArray()
}

// parseZmpop reads numkeys key ... MIN|MAX [COUNT count].
func parseZmpop(args []string) (keys []string, fromMax bool, count int64, errReply reply.Value, ok bool) {
	n, ok := parseInt(args[0])
	if !ok || n <= 0 {
		return nil, false, 0, reply.Err("ERR numkeys should be greater than 0"), false
	}
	if n >= int64(len(args)-1) {
		return nil, false, 0, reply.Err(errSyntax), false
	}
	keys, args = args[1:n+1], args[n+1:]
	switch {
	case strings.EqualFold(args[0], "min"):
	case strings.EqualFold(args[0], "max"):
		fromMax = true
	default:
		return nil, false, 0, reply.Err(errSyntax), false
	}
	count = 1
	if args = args[1:]; len(args) == 0 {
		return keys, fromMax, count, errReply, true
	}
	if len(args) < 2 || !strings.EqualFold(args[0], "count") {
		return nil, false, 0, reply.Err(errSyntax), false
	}
	if count, ok = parseInt(args[1]); !ok || count <= 0 {
		return nil, false, 0, reply.Err("ERR count should be greater than 0"), false
	}
	if len(args) > 2 {
		return nil, false, 0, reply.Err(errSyntax), false
	}
	return keys, fromMax, count, errReply, true
}

// checkTimeout reads the time-out of a blocking command, in seconds.
func checkTimeout(s string) (errReply reply.Value, ok bool) {
	if s == "" || isSpace(s[0]) {
		return reply.Err(errTimeout), false
	}
	f, ok := strtod(s)
	if !ok {
		return reply.Err(errTimeout), false
	}
	// Whole milliseconds, rounded up, in a 64-bit integer that overflows to a negative one.
	if f <= -0.001 || f*1000 >= 1<<63 {
		return reply.Err("ERR timeout is negative"), false
	}
	return reply.Value{}, true
}

const errTimeout = "ERR timeout is not a float or out of range"
