package clustercmds

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// busOffset is the distance from a node's port for clients to its port for other nodes.
const busOffset = 10000

func isIP(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}

// nodeAddress returns the address that this node announces to clients: the configured one,
// otherwise the port that the client used, without an IP address, as a node does that has not
// learned its own.
type nodeAddress struct {
	ip, hostname  string
	port, busPort int64
}

func addressOf(c *server.Ctx) nodeAddress {
	cfg := c.Server.Config
	port := cfg.Int("port")
	if host, text, err := net.SplitHostPort(reached(c.Session)); err == nil && !strings.Contains(host, "/") {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			port = n
		}
	}
	bus := port + busOffset
	for _, name := range []string{"cluster-port", "cluster-announce-bus-port"} {
		if n := cfg.Int(name); n != 0 {
			bus = n
		}
	}
	if n := cfg.Int("cluster-announce-port"); n != 0 {
		port = n
	}
	return nodeAddress{ip: cfg.Value("cluster-announce-ip"), hostname: cfg.Value("cluster-announce-hostname"), port: port, busPort: bus}
}

// reached returns the local address of the session's connection, or of the session that runs the
// script.
func reached(sess *server.Session) string {
	if sess.Caller != nil {
		return sess.Caller.LAddr
	}
	return sess.LAddr
}

// endpoint returns the address that clients should prefer, or "" for the one that they used.
func (a nodeAddress) endpoint(typ string) string {
	switch {
	case typ == "unknown-endpoint":
		return ""
	case typ == "ip":
		return a.ip
	case a.hostname == "":
		return "?"
	}
	return a.hostname
}

func clusterNodes(c *server.Ctx) reply.Value {
	a, cl := addressOf(c), c.Server.Cluster
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s:%d@%d", cl.Name, a.ip, a.port, a.busPort)
	if a.hostname != "" {
		b.WriteString("," + a.hostname)
	}
	fmt.Fprintf(&b, " myself,master - 0 0 %d connected", cl.Epoch)
	for _, r := range cl.Ranges() {
		fmt.Fprintf(&b, " %d", r[0])
		if r[1] != r[0] {
			fmt.Fprintf(&b, "-%d", r[1])
		}
	}
	b.WriteByte('\n')
	return reply.Verbatim("txt", b.String())
}

func clusterSlots(c *server.Ctx) reply.Value {
	a, typ := addressOf(c), c.Server.Config.Value("cluster-preferred-endpoint-type")
	more := []reply.Value{}
	if typ != "ip" {
		more = append(more, reply.Bulk("ip"), reply.Bulk(a.ip))
	}
	if typ != "hostname" && a.hostname != "" {
		more = append(more, reply.Bulk("hostname"), reply.Bulk(a.hostname))
	}
	endpoint := reply.Bulk(a.endpoint(typ))
	if typ == "unknown-endpoint" {
		endpoint = reply.Nil()
	}
	node := reply.Array(endpoint, reply.Int(a.port), reply.Bulk(c.Server.Cluster.Name), reply.Map(more...))
	out := []reply.Value{}
	for _, r := range c.Server.Cluster.Ranges() {
		out = append(out, reply.Array(reply.Int(int64(r[0])), reply.Int(int64(r[1])), node))
	}
	return reply.Array(out...)
}

func clusterShards(c *server.Ctx) reply.Value {
	a := addressOf(c)
	slots := []reply.Value{}
	for _, r := range c.Server.Cluster.Ranges() {
		slots = append(slots, reply.Int(int64(r[0])), reply.Int(int64(r[1])))
	}
	fields := []reply.Value{
		reply.Bulk("id"), reply.Bulk(c.Server.Cluster.Name),
		reply.Bulk("port"), reply.Int(a.port),
		reply.Bulk("ip"), reply.Bulk(a.ip),
		reply.Bulk("endpoint"), reply.Bulk(a.endpoint(c.Server.Config.Value("cluster-preferred-endpoint-type"))),
	}
	if a.hostname != "" {
		fields = append(fields, reply.Bulk("hostname"), reply.Bulk(a.hostname))
	}
	fields = append(fields, reply.Bulk("role"), reply.Bulk("master"), reply.Bulk("replication-offset"), reply.Int(0),
		reply.Bulk("health"), reply.Bulk("online"))
	shard := []reply.Value{reply.Bulk("slots"), reply.Array(slots...), reply.Bulk("nodes"), reply.Array(reply.Map(fields...))}
	if c.Has(servers.NamedShards) {
		shard = append(shard, reply.Bulk("id"), reply.Bulk(c.Server.Cluster.Shard()))
	}
	return reply.Array(reply.Map(shard...))
}

func clusterLinks(*server.Ctx) reply.Value { return reply.Array() }

func clusterInfo(c *server.Ctx) reply.Value {
	w := server.NewInfoWriter(c.Server.Follows)
	c.Server.WriteClusterState(w)
	return reply.Verbatim("txt", w.String())
}
