package keycmds

import (
	"math"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func flushDB(c *server.Ctx) reply.Value {
	if !flushMode(c) {
		return reply.Err(errtext.Syntax)
	}
	c.ForceEffect(server.ToAll)
	c.Server.TouchAllWatchedKeys(c.DB, nil)
	c.Server.InvalidateAll()
	freed := c.DB.Flush()
	if c.FreesLazily(1) {
		c.Server.Store.CountLazyFreed(freed)
	}
	c.Server.SignalAll(c.DB)
	reportFlush(c)
	return reply.OK()
}

func flushAll(c *server.Ctx) reply.Value {
	if !flushMode(c) {
		return reply.Err(errtext.Syntax)
	}
	c.ForceEffect(server.ToAll)
	st := c.Server.Store
	for i := range st.Databases() {
		c.Server.TouchAllWatchedKeys(st.DB(i), nil)
	}
	c.Server.InvalidateAll()
	freed := st.FlushAll()
	if c.FreesLazily(1) {
		st.CountLazyFreed(freed)
	}
	for i := range st.Databases() {
		c.Server.SignalAll(st.DB(i))
	}
	if c.Server.Persistence != nil {
		c.Server.Undo.WhenKept(c.Server.Persistence.Flushed)
	}
	reportFlush(c)
	return reply.OK()
}

// reportFlush reports what a flush has invalidated before its reply, if the server answers a flush
// when all is freed. It does so only for a client that can wait, and not if the flush is ASYNC.
func reportFlush(c *server.Ctx) {
	if c.Has(servers.FlushReplyLast) && c.Door == cmdtable.DoorClient && !c.FreesLazily(1) {
		c.Server.ReportTracked(c.Session)
	}
}

// flushMode checks the argument of FLUSHDB and FLUSHALL. SYNC and ASYNC differ only in
// lazyfreed_objects.
func flushMode(c *server.Ctx) bool {
	return len(c.Args) == 1 || len(c.Args) == 2 && (parse.IsToken(c.Args[1], "sync") || parse.IsToken(c.Args[1], "async"))
}

func swapDB(c *server.Ctx) reply.Value {
	if c.Server.Cluster != nil {
		return reply.Err("ERR SWAPDB is not allowed in cluster mode")
	}
	a, ok := parse.Int(c.Args[1])
	if !ok || a < math.MinInt32 || a > math.MaxInt32 {
		return reply.Err("ERR invalid first DB index")
	}
	b, ok := parse.Int(c.Args[2])
	if !ok || b < math.MinInt32 || b > math.MaxInt32 {
		return reply.Err("ERR invalid second DB index")
	}
	st := c.Server.Store
	if n := int64(st.Databases()); a < 0 || b < 0 || a >= n || b >= n {
		return reply.Err(errtext.DBIndex)
	}
	if a == b {
		c.DB.AddDirty(1) // as in Redis
		return reply.OK()
	}
	x, y := st.DB(int(a)), st.DB(int(b))
	c.Server.TouchAllWatchedKeys(x, y)
	c.Server.TouchAllWatchedKeys(y, x)
	st.SwapDB(int(a), int(b))
	c.Server.SignalAll(x)
	c.Server.SignalAll(y)
	return reply.OK()
}

func dbSize(c *server.Ctx) reply.Value { return reply.Int(int64(c.DB.Len())) }
