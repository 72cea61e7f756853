package replicationcmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/replication"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// failover hands the part of master over to a replica, or stops doing so.
func failover(c *server.Ctx) reply.Value {
	if c.Server.Cluster != nil {
		return reply.Err("ERR FAILOVER not allowed in cluster mode. Use CLUSTER FAILOVER command instead.")
	}
	st := replication.Of(c.Server)
	if c.NArg() == 2 && strings.EqualFold(c.Args[1], "abort") {
		return st.AbortFailover()
	}
	var o replication.FailoverOptions
	to := false
	for i := 1; i < c.NArg(); i++ {
		left := c.NArg() - i - 1
		switch arg := strings.ToLower(c.Args[i]); {
		case arg == "timeout" && left > 0 && o.Timeout == 0:
			i++
			n, ok := parse.Int(c.Args[i])
			if !ok {
				return reply.Err(errtext.NotInteger)
			}
			if n <= 0 {
				return reply.Err("ERR FAILOVER timeout must be greater than 0")
			}
			o.Timeout = n
		case arg == "to" && left > 1 && !to:
			n, ok := parse.Int(c.Args[i+2])
			if !ok {
				return reply.Err(errtext.NotInteger)
			}
			o.Host, o.Port, to = c.Args[i+1], n, true
			i += 2
		case arg == "force" && !o.Force:
			o.Force = true
		default:
			return reply.Err(errtext.Syntax)
		}
	}
	o.Any = !to
	return st.Failover(o)
}
