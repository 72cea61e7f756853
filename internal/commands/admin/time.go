package admin

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// timeRow declares TIME.
func timeRow() *cmdtable.Spec {
	return &cmdtable.Spec{
		Name: "time", Arity: 1, Flags: cmdtable.Loading | cmdtable.Stale | cmdtable.Fast,
		Spread: cmdtable.SpreadAny,
		Tips:   []string{"nondeterministic_output"},
		Since:  "2.6.0", Group: "server", Complexity: "O(1)",
		Summary: "Returns the time of the server in seconds and microseconds",
		Handler: timeNow,
	}
}

// timeNow formats the seconds only when they have changed.
func timeNow(c *server.Ctx) reply.Value {
	now := c.Server.Store.NowMicros()
	if s := now / 1e6; s != c.Server.LastTime.At || c.Server.LastTime.Text == "" {
		c.Server.LastTime.At, c.Server.LastTime.Text = s, strconv.FormatInt(s, 10)
	}
	return reply.Bulks(c.Server.LastTime.Text, strconv.FormatInt(now%1e6, 10))
}
