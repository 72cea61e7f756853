package clustercmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func clusterKeySlot(c *server.Ctx) reply.Value { return reply.Int(int64(datastore.Slot(c.Args[2]))) }

func clusterCountKeysInSlot(c *server.Ctx) reply.Value {
	slot, ok := parse.Int(c.Args[2])
	switch {
	case !ok:
		return reply.Err(errtext.NotInteger)
	case slot < 0 || slot >= datastore.Slots:
		return reply.Err("ERR Invalid slot")
	}
	return reply.Int(int64(c.DB.CountKeysInSlot(int(slot))))
}

func clusterGetKeysInSlot(c *server.Ctx) reply.Value {
	slot, ok := parse.Int(c.Args[2])
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	count, ok := parse.Int(c.Args[3])
	switch {
	case !ok:
		return reply.Err(errtext.NotInteger)
	case slot < 0 || slot >= datastore.Slots || count < 0:
		return reply.Err("ERR Invalid slot or number of keys")
	}
	return reply.Bulks(c.DB.KeysInSlot(int(slot), int(min(count, int64(c.DB.Len()))))...)
}
