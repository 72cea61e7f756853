package command

import (
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

func keys(c *Ctx) reply.Value {
	pattern := c.Args[1]
	out := []reply.Value{}
	c.DB.All(func(e *datastore.Entry) bool {
		if pattern == "*" || MatchGlob(pattern, e.Key(), false) {
			out = append(out, reply.Bulk(e.Key()))
		}
		return true
	})
	return reply.Array(out...)
}

func scan(c *Ctx) reply.Value {
	a, bad, ok := parseScan(c.Args[1], c.Args[2:], c.scanOptions())
	if !ok {
		return bad
	}
	var found []*datastore.Entry
	next := scanLoop(&a, 1, func(cursor uint64) (uint64, int64) {
		before := len(found)
		cursor = c.DB.Scan(cursor, func(e *datastore.Entry) { found = append(found, e) })
		return cursor, int64(len(found) - before)
	})
	out := []reply.Value{}
	for _, e := range found {
		if !a.match(e.Key()) {
			continue
		}
		live := c.DB.Peek(e.Key()) != nil
		if a.HasType {
			c.countLookup(live, e.Key()) // its type is looked up
			if live && !strings.EqualFold(a.Type, e.Object().Type().String()) {
				continue
			}
		}
		if live {
			out = append(out, reply.Bulk(e.Key()))
		}
	}
	return scanReply(next, out)
}

func randomkey(c *Ctx) reply.Value {
	e := c.DB.RandomKey()
	if e == nil {
		return reply.Nil()
	}
	return reply.Bulk(e.Key())
}
