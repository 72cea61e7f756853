package keycmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func rename(c *server.Ctx) reply.Value {
	v := renameKey(c, false)
	if v.IsError() {
		return v
	}
	return reply.OK()
}

func renamenx(c *server.Ctx) reply.Value { return renameKey(c, true) }

func renameKey(c *server.Ctx, nx bool) reply.Value {
	from, to := c.Args[1], c.Args[2]
	e := c.DB.Lookup(from)
	switch {
	case e == nil:
		return reply.Err(errtext.NoSuchKey)
	case from == to:
		return reply.Int(0)
	case c.DB.Lookup(to) != nil:
		if nx {
			return reply.Int(0)
		}
		c.DB.Delete(to)
	}
	c.DB.Move(e, c.DB, to)
	c.Emit(datastore.ClassGeneric, "rename_from", from)
	c.DB.Notify(datastore.ClassGeneric, "rename_to", to)
	return reply.Int(1)
}

func move(c *server.Ctx) reply.Value {
	if c.Server.Cluster != nil && !c.Has(servers.NumberedClusterDatabases) {
		return reply.Err("ERR MOVE is not allowed in cluster mode")
	}
	key := c.Args[1]
	db, bad, ok := c.ParseDB(c.Args[2])
	if !ok {
		return bad
	}
	if db == c.DB {
		return reply.Err(errtext.SameObject)
	}
	e := c.DB.Lookup(key)
	if e == nil || db.Lookup(key) != nil {
		return reply.Int(0)
	}
	c.DB.Move(e, db, key)
	c.Emit(datastore.ClassGeneric, "move_from", key)
	db.Notify(datastore.ClassGeneric, "move_to", key)
	return reply.Int(1)
}

func copyKey(c *server.Ctx) reply.Value {
	from, to, db, replace := c.Args[1], c.Args[2], c.DB, false
	for rest := c.Args[3:]; len(rest) > 0; rest = rest[1:] {
		switch {
		case parse.IsToken(rest[0], "replace"):
			replace = true
		case parse.IsToken(rest[0], "db") && len(rest) > 1:
			var bad reply.Value
			var ok bool
			if db, bad, ok = c.ParseDB(rest[1]); !ok {
				return bad
			}
			rest = rest[1:]
		default:
			return reply.Err(errtext.Syntax)
		}
	}
	switch {
	case db != c.DB && c.Server.Cluster != nil && !c.Has(servers.NumberedClusterDatabases):
		return reply.Err("ERR Copying to another database is not allowed in cluster mode")
	case db == c.DB && from == to:
		return reply.Err(errtext.SameObject)
	}
	e := c.DB.Lookup(from)
	c.CountLookup(e != nil, from)
	if e == nil {
		return reply.Int(0)
	}
	if db.Lookup(to) != nil {
		if !replace {
			return reply.Int(0)
		}
		db.Delete(to)
	}
	transfer(db, to, datastore.Clone(e.Object()), e.ExpireAt())
	db.Emit(datastore.ClassGeneric, "copy_to", to)
	return reply.Int(1)
}

// transfer stores obj under a key that does not exist, with its expiry time.
func transfer(db *datastore.DB, key string, obj datastore.Object, expireAt int64) *datastore.Entry {
	e := db.Put(key, obj)
	if expireAt != 0 {
		db.SetExpire(e, expireAt)
	}
	return e
}
