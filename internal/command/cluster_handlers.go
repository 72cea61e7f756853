package command

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// inCluster is a handler that answers in cluster mode only.
func inCluster(h Handler) Handler {
	return func(c *Ctx) reply.Value {
		if c.Server.cluster == nil {
			return reply.Err("ERR This instance has cluster support disabled")
		}
		return h(c)
	}
}

// Each slot is served here, so that nobody is redirected here or from here.
func asking(*Ctx) reply.Value { return reply.OK() }

func readOnly(c *Ctx) reply.Value {
	c.Session.readOnly = true
	return reply.OK()
}

func readWrite(c *Ctx) reply.Value {
	c.Session.readOnly = false
	return reply.OK()
}

func clusterKeySlot(c *Ctx) reply.Value { return reply.Int(int64(datastore.Slot(c.Args[2]))) }

func clusterCountKeysInSlot(c *Ctx) reply.Value {
	slot, ok := parseInt(c.Args[2])
	switch {
	case !ok:
		return reply.Err(errNotInteger)
	case slot < 0 || slot >= datastore.Slots:
		return reply.Err("ERR Invalid slot")
	}
	return reply.Int(int64(c.Server.Store.DB(0).CountKeysInSlot(int(slot))))
}

func clusterGetKeysInSlot(c *Ctx) reply.Value {
	slot, ok := parseInt(c.Args[2])
	if !ok {
		return reply.Err(errNotInteger)
	}
	count, ok := parseInt(c.Args[3])
	switch {
	case !ok:
		return reply.Err(errNotInteger)
	case slot < 0 || slot >= datastore.Slots || count < 0:
		return reply.Err("ERR Invalid slot or number of keys")
	}
	db := c.Server.Store.DB(0)
	return reply.Bulks(db.KeysInSlot(int(slot), int(min(count, int64(db.Len()))))...)
}

func clusterMyID(c *Ctx) reply.Value { return reply.Bulk(c.Server.cluster.name) }

// isMe reports whether an argument names this node.
func (c *Ctx) isMe(name string) bool { return name == c.Server.cluster.name }

func unknownNode(name string) reply.Value {
	return reply.Err("ERR Unknown node " + oneLine(cut(name, len(name))))
}

func clusterReplicas(c *Ctx) reply.Value {
	if !c.isMe(c.Args[2]) {
		return unknownNode(c.Args[2])
	}
	return reply.Array()
}

func clusterCountFailureReports(c *Ctx) reply.Value {
	if !c.isMe(c.Args[2]) {
		return unknownNode(c.Args[2])
	}
	return reply.Int(0)
}

func clusterForget(c *Ctx) reply.Value {
	if !c.isMe(c.Args[2]) {
		return unknownNode(c.Args[2])
	}
	return reply.Err("ERR I tried hard but I can't forget myself...")
}

func clusterReplicate(c *Ctx) reply.Value {
	if !c.isMe(c.Args[2]) {
		return unknownNode(c.Args[2])
	}
	return reply.Err("ERR Can't replicate myself")
}

func clusterFailover(c *Ctx) reply.Value {
	switch {
	case c.NArg() > 3:
		return clusterArity(c)
	case c.NArg() == 3 && !isToken(c.Args[2], "force") && !isToken(c.Args[2], "takeover"):
		return reply.Err(errSyntax)
	}
	return reply.Err("ERR You should send CLUSTER FAILOVER to a replica")
}

// clusterArity answers for a subcommand that counts its arguments itself.
func clusterArity(c *Ctx) reply.Value {
	return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try CLUSTER HELP.", oneLine(cut(c.Args[1], 128)))
}

// clusterMeet checks its arguments as Redis does; there is no other node to meet.
func clusterMeet(c *Ctx) reply.Value {
	if c.NArg() > 5 {
		return clusterArity(c)
	}
	ports := []int64{0, 0}
	for i, a := range c.Args[3:] {
		port, ok := parseInt(a)
		if !ok {
			return reply.Errorf("ERR Invalid TCP %s port specified: %s", []string{"base", "bus"}[i], oneLine(cut(a, len(a))))
		}
		ports[i] = port
	}
	if c.NArg() == 4 {
		ports[1] = ports[0] + busOffset
	}
	for _, port := range ports {
		if !isIP(c.Args[2]) || port <= 0 || port > 65535 {
			return reply.Errorf("ERR Invalid node address specified: %s:%s", oneLine(cut(c.Args[2], len(c.Args[2]))), oneLine(cut(c.Args[3], len(c.Args[3]))))
		}
	}
	return reply.Err("ERR CLUSTER MEET is not supported: this node is alone")
}
