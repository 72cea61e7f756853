package command

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

func lpush(c *Ctx) reply.Value {
	l, err := c.DB.ListForWrite(c.Args[1])
	return c.push(l, err, true)
}

func rpush(c *Ctx) reply.Value {
	l, err := c.DB.ListForWrite(c.Args[1])
	return c.push(l, err, false)
}

func lpushx(c *Ctx) reply.Value {
	l, err := c.DB.List(c.Args[1])
	return c.push(l, err, true)
}

func rpushx(c *Ctx) reply.Value {
	l, err := c.DB.List(c.Args[1])
	return c.push(l, err, false)
}

// push puts the arguments behind the key on one end of l, which is what looking the key up gave.
func (c *Ctx) push(l *datastore.List, err error, front bool) reply.Value {
	if err != nil {
		return wrongType()
	}
	if l == nil {
		return reply.Int(0)
	}
	for _, el := range c.Args[2:] {
		pushTo(l, el, front)
	}
	c.Emit(datastore.ClassList, pushEvent(front), c.Args[1])
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

func lpop(c *Ctx) reply.Value { return c.pop(true) }
func rpop(c *Ctx) reply.Value { return c.pop(false) }

func (c *Ctx) pop(front bool) reply.Value {
	if len(c.Args) > 2 {
		return c.popCount(front)
	}
	key := c.Args[1]
	l, err := c.DB.List(key)
	if err != nil {
		return wrongType()
	}
	if l == nil {
		return reply.Nil()
	}
	el := popFrom(l, front)
	c.Emit(datastore.ClassList, popEvent(front), key)
	c.dropEmpty(key, l)
	return reply.Bulk(el)
}

// dropEmpty is DropIfEmpty that looks the key up only when it is to go.
func (c *Ctx) dropEmpty(key string, l *datastore.List) {
	if l.Len() == 0 {
		c.DB.DropIfEmpty(key)
	}
}

func (c *Ctx) popCount(front bool) reply.Value {
	if len(c.Args) > 3 {
		return reply.Errorf("ERR wrong number of arguments for '%s' command", c.Spec.Name)
	}
	key := c.Args[1]
	count, ok := parsePopCount(c.Args[2])
	if !ok {
		return reply.Err(errNotPositive)
	}
	l, err := c.DB.List(key)
	switch {
	case err != nil:
		return wrongType()
	case l == nil:
		return reply.NilArray()
	case count == 0:
		return reply.Array()
	}
	return c.popMany(key, l, front, count)
}

// popMany takes up to count elements, count > 0, off one end of l, which is under key.
func (c *Ctx) popMany(key string, l *datastore.List, front bool, count int64) reply.Value {
	out := make([]reply.Value, min(count, int64(l.Len())))
	for i := range out {
		out[i] = reply.Bulk(popFrom(l, front))
	}
	c.Emit(datastore.ClassList, popEvent(front), key)
	c.dropEmpty(key, l)
	return reply.Array(out...)
}

func lmpop(c *Ctx) reply.Value {
	m, e, ok := parseMpop(c.Args[1:], "left", "right")
	if !ok {
		return e
	}
	return c.popFirstOf(m)
}

// popFirstOf pops from the first of the keys that holds a list.
func (c *Ctx) popFirstOf(m mpopArgs) reply.Value {
	for _, key := range m.keys {
		if v, ok := c.popManyOf(key, !m.last, m.count); ok {
			return v
		}
	}
	return reply.NilArray()
}

// popManyOf pops from the list under key; it reports false where there is none.
func (c *Ctx) popManyOf(key string, front bool, count int64) (reply.Value, bool) {
	l, err := c.DB.List(key)
	if l == nil || err != nil {
		return missing(err)
	}
	return reply.Array(reply.Bulk(key), c.popMany(key, l, front, count)), true
}

func lmove(c *Ctx) reply.Value {
	from, ok := parseEnd(c.Args[3])
	to, ok2 := parseEnd(c.Args[4])
	if !ok || !ok2 {
		return reply.Err(errSyntax)
	}
	return c.move(from, to)
}

func rpoplpush(c *Ctx) reply.Value { return c.move(false, true) }

// parseEnd reads LEFT or RIGHT.
func parseEnd(arg string) (front, ok bool) {
	front = isToken(arg, "left")
	return front, front || isToken(arg, "right")
}

// move takes an element off one end of the list under the first key and puts it on one end of the one
// under the second, which may be the same.
func (c *Ctx) move(fromFront, toFront bool) reply.Value {
	from, to := c.Args[1], c.Args[2]
	src, err := c.DB.List(from)
	if err != nil {
		return wrongType()
	}
	if src == nil {
		return reply.Nil()
	}
	dst, err := c.DB.ListForWrite(to)
	if err != nil {
		return wrongType()
	}
	el := popFrom(src, fromFront)
	pushTo(dst, el, toFront)
	c.Emit(datastore.ClassList, pushEvent(toFront), to)
	c.Emit(datastore.ClassList, popEvent(fromFront), from)
	c.dropEmpty(from, src)
	return reply.Bulk(el)
}
