package keys

import (
	"math"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/internal/parse"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func Flushdb(c *server.Ctx) reply.Value {
	if !flushMode(c) {
		return reply.Err(errtext.Syntax)
	}
	c.Server.TouchAll(c.DB, nil)
	c.Server.InvalidateAll()
	c.DB.Flush()
	c.Server.SignalAll(c.DB)
	return reply.OK()
}

func Flushall(c *server.Ctx) reply.Value {
	if !flushMode(c) {
		return reply.Err(errtext.Syntax)
	}
	st := c.Server.Store
	for i := range st.Databases() {
		c.Server.TouchAll(st.DB(i), nil)
	}
	c.Server.InvalidateAll()
	st.FlushAll()
	for i := range st.Databases() {
		c.Server.SignalAll(st.DB(i))
	}
	return reply.OK()
}

// flushMode checks the one argument of FLUSHDB and FLUSHALL; what it says makes no difference here.
func flushMode(c *server.Ctx) bool {
	return len(c.Args) == 1 || len(c.Args) == 2 && (parse.IsToken(c.Args[1], "sync") || parse.IsToken(c.Args[1], "async"))
}

func Swapdb(c *server.Ctx) reply.Value {
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
		return reply.OK()
	}
	x, y := st.DB(int(a)), st.DB(int(b))
	c.Server.TouchAll(x, y)
	c.Server.TouchAll(y, x)
	st.SwapDB(int(a), int(b))
	c.Server.SignalAll(x)
	c.Server.SignalAll(y)
	return reply.OK()
}

func Dbsize(c *server.Ctx) reply.Value { return reply.Int(int64(c.DB.Len())) }

func TimeNow(c *server.Ctx) reply.Value {
	now := c.Server.Store.NowMicros()
	if s := now / 1e6; s != c.Server.LastTime.At || c.Server.LastTime.Text == "" {
		c.Server.LastTime.At, c.Server.LastTime.Text = s, strconv.FormatInt(s, 10)
	}
	return reply.Bulks(c.Server.LastTime.Text, strconv.FormatInt(now%1e6, 10))
}
