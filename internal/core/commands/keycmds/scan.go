package keycmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/glob"
	"github.com/redmoon-lua/redmoon/internal/core/commands/scan"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func keys(c *server.Ctx) reply.Value {
	pattern := c.Args[1]
	out := []reply.Value{}
	c.DB.All(func(e *datastore.Entry) bool {
		if pattern == "*" || glob.Match(pattern, e.Key(), false) {
			out = append(out, reply.Bulk(e.Key()))
		}
		return true
	})
	return reply.Array(out...)
}

func scanKeys(c *server.Ctx) reply.Value {
	a, bad, ok := scan.Parse(c, c.Args[1], c.Args[2:])
	if !ok {
		return bad
	}
	var found []string
	next := scan.Loop(&a, 1, func(cursor uint64) (uint64, int64) {
		before := len(found)
		cursor = c.DB.Scan(cursor, func(e *datastore.Entry) { found = append(found, e.Key()) })
		return cursor, int64(len(found) - before)
	})
	return scan.Reply(next, scan.Keys(c, &a, found))
}

func randomkey(c *server.Ctx) reply.Value {
	e := c.DB.RandomKey()
	if e == nil {
		return reply.Nil()
	}
	return reply.Bulk(e.Key())
}
