package listcmds

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func lpush(c *server.Ctx) reply.Value {
	l, err := c.DB.ListForWrite(c.Args[1])
	return push(c, l, err, true)
}

func rpush(c *server.Ctx) reply.Value {
	l, err := c.DB.ListForWrite(c.Args[1])
	return push(c, l, err, false)
}

func lpushx(c *server.Ctx) reply.Value {
	l, err := c.DB.List(c.Args[1])
	return push(c, l, err, true)
}

func rpushx(c *server.Ctx) reply.Value {
	l, err := c.DB.List(c.Args[1])
	return push(c, l, err, false)
}

// push adds the arguments behind the key to one end of l, which is nil if the key is missing.
func push(c *server.Ctx, l *datastore.List, err error, front bool) reply.Value {
	if err != nil {
		return server.WrongType()
	}
	if l == nil {
		return reply.Int(0)
	}
	l.Expect(c.Args[2:]...)
	for _, el := range c.Args[2:] {
		pushTo(l, el, front)
	}
	c.EmitN(int64(len(c.Args)-2), datastore.ClassList, pushEvent(front), c.Args[1])
	return reply.Int(int64(l.Len()))
}

func pushTo(l *datastore.List, el string, front bool) {
	if front {
		l.PushFront(el)
	} else {
		l.PushBack(el)
	}
}

func popFrom(l *datastore.List, front bool) string {
	if front {
		return l.PopFront()
	}
	return l.PopBack()
}

func pushEvent(front bool) string {
	if front {
		return "lpush"
	}
	return "rpush"
}

func popEvent(front bool) string {
	if front {
		return "lpop"
	}
	return "rpop"
}

func lpop(c *server.Ctx) reply.Value { return pop(c, true) }
func rpop(c *server.Ctx) reply.Value { return pop(c, false) }

func pop(c *server.Ctx, front bool) reply.Value {
	if len(c.Args) > 2 {
		return popCount(c, front)
	}
	key := c.Args[1]
	l, err := c.DB.List(key)
	if err != nil {
		return server.WrongType()
	}
	if l == nil {
		return reply.Nil()
	}
	el := popFrom(l, front)
	c.Emit(datastore.ClassList, popEvent(front), key)
	dropEmpty(c, key, l)
	return reply.Bulk(el)
}

// dropEmpty is called after elements of l were removed. It is DropIfEmpty, but looks up the key
// only if l is empty.
func dropEmpty(c *server.Ctx, key string, l *datastore.List) {
	if l.Len() == 0 {
		c.DB.DropIfEmpty(key)
		return
	}
	l.Shrink()
}

func popCount(c *server.Ctx, front bool) reply.Value {
	if len(c.Args) > 3 {
		return reply.Errorf("ERR wrong number of arguments for '%s' command", c.Spec.Name)
	}
	key := c.Args[1]
	count, ok := parse.PopCount(c.Args[2])
	if !ok {
		return reply.Err(errtext.NotPositive)
	}
	l, err := c.DB.List(key)
	switch {
	case err != nil:
		return server.WrongType()
	case l == nil:
		return reply.NilArray()
	case count == 0:
		return reply.Array()
	}
	return popMany(c, key, l, front, count)
}

// popMany removes up to count elements, count > 0, from one end of l, which is stored under key.
func popMany(c *server.Ctx, key string, l *datastore.List, front bool, count int64) reply.Value {
	out := make([]reply.Value, min(count, int64(l.Len())))
	for i := range out {
		out[i] = reply.Bulk(popFrom(l, front))
	}
	c.EmitN(int64(len(out)), datastore.ClassList, popEvent(front), key)
	dropEmpty(c, key, l)
	return reply.Array(out...)
}

func lmpop(c *server.Ctx) reply.Value {
	m, e, ok := parse.Mpop(c.Args[1:], "left", "right")
	if !ok {
		return e
	}
	return popFirstOf(c, m)
}

// popFirstOf pops from the first of the keys that has a list.
func popFirstOf(c *server.Ctx, m parse.MpopArgs) reply.Value {
	for _, key := range m.Keys {
		if v, ok := popManyOf(c, key, !m.Last, m.Count); ok {
			return v
		}
	}
	return reply.NilArray()
}

// popManyOf pops from the list under key; ok is false when there is none.
func popManyOf(c *server.Ctx, key string, front bool, count int64) (reply.Value, bool) {
	l, err := c.DB.List(key)
	if l == nil || err != nil {
		return server.MissingKey(err)
	}
	if c.HasEffects() {
		c.EffectIs(popName(front), key, strconv.FormatInt(min(count, int64(l.Len())), 10))
	}
	return reply.Array(reply.Bulk(key), popMany(c, key, l, front, count)), true
}

func lmove(c *server.Ctx) reply.Value {
	from, ok := parseEnd(c.Args[3])
	to, ok2 := parseEnd(c.Args[4])
	if !ok || !ok2 {
		return reply.Err(errtext.Syntax)
	}
	return move(c, from, to)
}

func rpoplpush(c *server.Ctx) reply.Value { return move(c, false, true) }

// parseEnd reads LEFT or RIGHT.
func parseEnd(arg string) (front, ok bool) {
	front = parse.IsToken(arg, "left")
	return front, front || parse.IsToken(arg, "right")
}

// move removes an element from one end of the list under the first key and adds it to one end of
// the list under the second key, which may be the same.
func move(c *server.Ctx, fromFront, toFront bool) reply.Value {
	from, to := c.Args[1], c.Args[2]
	src, err := c.DB.List(from)
	if err != nil {
		return server.WrongType()
	}
	if src == nil {
		return reply.Nil()
	}
	dst, err := c.DB.ListForWrite(to)
	if err != nil {
		return server.WrongType()
	}
	el := popFrom(src, fromFront)
	dst.Expect(el)
	pushTo(dst, el, toFront)
	c.Emit(datastore.ClassList, pushEvent(toFront), to)
	c.DB.Notify(datastore.ClassList, popEvent(fromFront), from)
	dropEmpty(c, from, src)
	return reply.Bulk(el)
}
