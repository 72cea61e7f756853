package clustercmds

import (
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func clusterMyID(c *server.Ctx) reply.Value { return reply.Bulk(c.Server.Cluster.Name) }

func clusterMyShardID(c *server.Ctx) reply.Value { return reply.Bulk(c.Server.Cluster.Shard()) }

// isMe reports whether an argument names this node.
func isMe(c *server.Ctx, name string) bool { return name == c.Server.Cluster.Name }

func UnknownNode(name string) reply.Value {
	return reply.Err("ERR Unknown node " + errtext.OneLine(errtext.Cut(name, len(name))))
}

func clusterReplicas(c *server.Ctx) reply.Value {
	if !isMe(c, c.Args[2]) {
		return UnknownNode(c.Args[2])
	}
	return reply.Array()
}

func clusterCountFailureReports(c *server.Ctx) reply.Value {
	if !isMe(c, c.Args[2]) {
		return UnknownNode(c.Args[2])
	}
	return reply.Int(0)
}

func clusterForget(c *server.Ctx) reply.Value {
	if !isMe(c, c.Args[2]) {
		return UnknownNode(c.Args[2])
	}
	return reply.Err("ERR I tried hard but I can't forget myself...")
}

func clusterReplicate(c *server.Ctx) reply.Value {
	if !isMe(c, c.Args[2]) {
		return UnknownNode(c.Args[2])
	}
	return reply.Err("ERR Can't replicate myself")
}

func clusterFailover(c *server.Ctx) reply.Value {
	switch {
	case c.NArg() > 3:
		return clusterArity(c)
	case c.NArg() == 3 && !parse.IsToken(c.Args[2], "force") && !parse.IsToken(c.Args[2], "takeover"):
		return reply.Err(errtext.Syntax)
	}
	return reply.Err("ERR You should send CLUSTER FAILOVER to a replica")
}

// clusterArity is the error of a subcommand that counts its arguments itself.
func clusterArity(c *server.Ctx) reply.Value {
	return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try CLUSTER HELP.",
		errtext.OneLine(errtext.Cut(c.Args[1], 128)))
}

var badPort = errtext.Usual("ERR Invalid TCP %s port specified: %s").Since("7.2.0", "ERR Invalid %s port specified: %s")

// clusterMeet checks its arguments as Redis does; there is no other node to meet.
func clusterMeet(c *server.Ctx) reply.Value {
	if c.NArg() > 5 {
		return clusterArity(c)
	}
	ports := []int64{0, 0}
	for i, a := range c.Args[3:] {
		port, ok := parse.Int(a)
		if !ok {
			return reply.Errorf(badPort.Of(c.Server.Follows), []string{"base", "bus"}[i], errtext.OneLine(errtext.Cut(a, len(a))))
		}
		ports[i] = port
	}
	if c.NArg() == 4 {
		ports[1] = ports[0] + busOffset
	}
	for _, port := range ports {
		if !isIP(c.Args[2]) || port <= 0 || port > 65535 {
			return reply.Errorf("ERR Invalid node address specified: %s:%s", errtext.OneLine(errtext.Cut(c.Args[2], len(c.Args[2]))),
				errtext.OneLine(errtext.Cut(c.Args[3], len(c.Args[3]))))
		}
	}
	return reply.Err("ERR CLUSTER MEET is not supported: this node is alone")
}
