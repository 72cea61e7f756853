package admincmds

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// timeNow formats the seconds only when they have changed.
func timeNow(c *server.Ctx) reply.Value {
	now := c.Server.Store.NowMicros()
	if s := now / 1e6; s != c.Server.LastTime.At || c.Server.LastTime.Text == "" {
		c.Server.LastTime.At, c.Server.LastTime.Text = s, strconv.FormatInt(s, 10)
	}
	return reply.Bulks(c.Server.LastTime.Text, strconv.FormatInt(now%1e6, 10))
}
