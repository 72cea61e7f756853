package command

import (
	"math"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

func flushdb(c *Ctx) reply.Value {
	if !c.flushMode() {
		return reply.Err(errSyntax)
	}
	c.Server.touchAll(c.DB, nil)
	c.Server.invalidateAll()
	c.DB.Flush()
	c.Server.signalAll(c.DB)
	return reply.OK()
}

func flushall(c *Ctx) reply.Value {
	if !c.flushMode() {
		return reply.Err(errSyntax)
	}
	st := c.Server.Store
	for i := range st.Databases() {
		c.Server.touchAll(st.DB(i), nil)
	}
	c.Server.invalidateAll()
	st.FlushAll()
	for i := range st.Databases() {
		c.Server.signalAll(st.DB(i))
	}
	return reply.OK()
}

// flushMode checks the one argument of FLUSHDB and FLUSHALL; what it says makes no difference here.
func (c *Ctx) flushMode() bool {
	return len(c.Args) == 1 || len(c.Args) == 2 && (isToken(c.Args[1], "sync") || isToken(c.Args[1], "async"))
}

func swapdb(c *Ctx) reply.Value {
	if c.Server.cluster != nil {
		return reply.Err("ERR SWAPDB is not allowed in cluster mode")
	}
	a, ok := parseInt(c.Args[1])
	if !ok || a < math.MinInt32 || a > math.MaxInt32 {
		return reply.Err("ERR invalid first DB index")
	}
	b, ok := parseInt(c.Args[2])
	if !ok || b < math.MinInt32 || b > math.MaxInt32 {
		return reply.Err("ERR invalid second DB index")
	}
	st := c.Server.Store
	if n := int64(st.Databases()); a < 0 || b < 0 || a >= n || b >= n {
		return reply.Err(errDBIndex)
	}
	if a == b {
		return reply.OK()
	}
	x, y := st.DB(int(a)), st.DB(int(b))
	c.Server.touchAll(x, y)
	c.Server.touchAll(y, x)
	st.SwapDB(int(a), int(b))
	c.Server.signalAll(x)
	c.Server.signalAll(y)
	return reply.OK()
}

func dbsize(c *Ctx) reply.Value { return reply.Int(int64(c.DB.Len())) }

// second is a time in seconds as number and as text.
type second struct {
	at   int64
	text string
}

func timeNow(c *Ctx) reply.Value {
	now := c.Server.Store.NowMicros()
	if s := now / 1e6; s != c.Server.second.at || c.Server.second.text == "" {
		c.Server.second.at, c.Server.second.text = s, strconv.FormatInt(s, 10)
	}
	return reply.Bulks(c.Server.second.text, strconv.FormatInt(now%1e6, 10))
}
