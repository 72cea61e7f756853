package keys

import (
	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/internal/parse"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// waitReplicas waits for 0 replicas, as there are none. It replies immediately if 0 is enough,
// otherwise when the timeout expires.
func waitReplicas(c *server.Ctx) reply.Value {
	replicas, ok := parse.Int(c.Args[1])
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	timeout, ok := parse.Int(c.Args[2])
	switch {
	case !ok:
		return reply.Err("ERR timeout is not an integer or out of range")
	case timeout < 0:
		return reply.Err(errtext.TimeoutNegative)
	case replicas <= 0:
		return reply.Int(0)
	}
	return c.Block(timeout, reply.Int(0), server.BlockOptions{Late: reply.Int(0)})
}
