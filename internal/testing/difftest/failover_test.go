package difftest

import (
	"fmt"
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/resp"
)

// replNode is a server that can be master or replica.
type replNode struct {
	t          *testing.T
	addr, port string
	conns      map[string]*NetConn // by the name of the session
}

// oracleNode starts a redis-server.
func oracleNode(t *testing.T) *replNode {
	o := oracleOfItsOwn(t)
	return newReplNode(t, o.Addr)
}

// redmoonNode starts an engine that listens.
func redmoonNode(t *testing.T) *replNode {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	e, err := engine.New(engine.Options{Config: map[string]string{"replica-announce-port": port}})
	require.NoError(t, err)
	s := resp.NewServer(e, resp.Options{})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		require.NoError(t, e.Close())
	})
	return newReplNode(t, l.Addr().String())
}

func newReplNode(t *testing.T, addr string) *replNode {
	_, port, err := net.SplitHostPort(addr)
	require.NoError(t, err)
	n := &replNode{t: t, addr: addr, port: port, conns: map[string]*NetConn{}}
	t.Cleanup(func() {
		for _, c := range n.conns {
			c.Close()
		}
	})
	for _, c := range []string{"repl-diskless-sync-delay 0", "repl-ping-replica-period 3600"} {
		require.Equal(t, "+OK\r\n", n.do("", "CONFIG SET "+c))
	}
	return n
}

// conn returns the connection of a session.
func (n *replNode) conn(session string) *NetConn {
	c := n.conns[session]
	if c == nil {
		nc, err := net.Dial("tcp", n.addr)
		require.NoError(n.t, err)
		require.NoError(n.t, nc.SetDeadline(patience.Deadline()))
		c = NewNetConn(nc)
		n.conns[session] = c
	}
	return c
}

// do sends a line and returns the raw reply.
func (n *replNode) do(session, line string) string {
	raw, err := n.conn(session).Do(strings.Fields(line))
	require.NoError(n.t, err, line)
	return string(raw)
}

// info returns a field of INFO.
func (n *replNode) info(field string) string {
	_, rest, _ := strings.Cut(n.do("", "INFO everything"), "\r\n"+field+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

// await polls a field of INFO.
func (n *replNode) await(field, value string) {
	n.t.Helper()
	if !patience.True(func() bool { return n.info(field) == value }) {
		require.Fail(n.t, "a field does not get its value", "%s is %q, not %q\n%s", field, n.info(field), value, n.do("", "INFO replication"))
	}
}

// volatile are the parts of replies that differ between runs.
var volatile = regexp.MustCompile(`(?m)^(master_replid|master_replid2|master_repl_offset|second_repl_offset|slave_read_repl_offset|` +
	`slave_repl_offset|repl_backlog_\w+|master_last_io_seconds_ago|` +
	`master_link_down_since_seconds):.*\r\n|,?(offset|lag)=\d+|(master\r\n):\d+|\$\d+`)

// failoverDialogue plays steps on a master m and its replica r and returns the transcript. A step
// is "m command", "r command", "m.session command", "m? field value", which waits for a field of
// INFO, "m.session>command", which sends without reading, or "m.session<", which reads.
func failoverDialogue(t *testing.T, m, r *replNode, steps string) string {
	var out strings.Builder
	names := strings.NewReplacer("{m}", m.port, "{r}", r.port)
	back := strings.NewReplacer(m.port, "{m}", r.port, "{r}")
	for _, step := range strings.Split(strings.TrimSpace(steps), "\n") {
		step = strings.TrimSpace(step)
		if step == "" || step[0] == '#' {
			continue
		}
		n := m
		if step[0] == 'r' {
			n = r
		}
		text := names.Replace(step)
		i := strings.IndexAny(text, " ?<>")
		session, how, line := text[1:i], text[i], text[i+1:]
		reply := ""
		switch how {
		case '?':
			field, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			n.await(field, value)
		case '>':
			require.NoError(t, n.conn(session).Send(strings.Join(strings.Fields(line), " ")+"\r\n"))
		case '<':
			raw, err := n.conn(session).Read()
			if reply = string(raw); err != nil {
				reply = "closed"
			}
		default:
			reply = n.do(session, line)
		}
		fmt.Fprintf(&out, "%s\n%s\n", step, back.Replace(volatile.ReplaceAllString(reply, "$3")))
	}
	return out.String()
}

// forEachPair runs a test with the oracle as master and replica, then compares what it returns with
// that of other pairs of master and replica.
func forEachPair(t *testing.T, run func(t *testing.T, m, r *replNode) string) {
	needsOracle(t)
	var want string
	t.Run("oracle to oracle", func(t *testing.T) { want = run(t, oracleNode(t), oracleNode(t)) })
	t.Run("redmoon to oracle", func(t *testing.T) { require.Equal(t, want, run(t, redmoonNode(t), oracleNode(t))) })
	t.Run("oracle to redmoon", func(t *testing.T) { require.Equal(t, want, run(t, oracleNode(t), redmoonNode(t))) })
	t.Run("redmoon to redmoon", func(t *testing.T) { require.Equal(t, want, run(t, redmoonNode(t), redmoonNode(t))) })
}

// TestFailover compares what FAILOVER answers and does between all pairs of servers.
func TestFailover(t *testing.T) {
	forEachPair(t, func(t *testing.T, m, r *replNode) string {
		return failoverDialogue(t, m, r, `
			m FAILOVER
			r REPLICAOF 127.0.0.1 {m}
			r? master_link_status up
			m? connected_slaves 1
			m WAIT 1 0
			m INFO replication
			r FAILOVER
			r FAILOVER ABORT
			m FAILOVER ABORT
			m FAILOVER FORCE
			m FAILOVER FORCE TIMEOUT 5
			m FAILOVER TO 127.0.0.1 {r} FORCE
			m FAILOVER TO 1.2.3.4 1 FORCE
			m FAILOVER TO 1.2.3.4 1 FORCE TIMEOUT 5
			m FAILOVER TO 127.0.0.1 1
			m FAILOVER TO x x
			m FAILOVER TO 127.0.0.1 {r} TIMEOUT 0
			m PSYNC ? -1 FAILOVER
			r.p PSYNC ? -1 FAILOVER
			# The replica lacks something: it does not run what the master sends.
			r CLIENT PAUSE 100000 WRITE
			m SET lag 1
			m FAILOVER TO 127.0.0.1 {r}
			m INFO replication
			m ROLE
			m FAILOVER
			m FAILOVER TO 127.0.0.1 {r} TIMEOUT 5
			m REPLICAOF NO ONE
			m REPLICAOF 127.0.0.1 {r}
			m.p PSYNC ? -1
			m GET lag
			m.w1>SET held 1
			m.w2>EVAL "return redis.call('get','held')" 0
			m.w3>PUBLISH a b
			m.w4 MULTI
			m.w4>SET held 2
			m CONFIG SET maxmemory 0
			m? blocked_clients 4
			m CLIENT UNPAUSE
			m? blocked_clients 4
			m FAILOVER ABORT
			m.w1<
			m.w2<
			m.w3<
			m.w4<
			m.w4 EXEC
			m INFO replication
			# The time is over.
			m FAILOVER TIMEOUT 300
			m.w1>SET held 3
			m.w1<
			m? master_failover_state no-failover
			m INFO replication
			r GET lag
			r CLIENT UNPAUSE
			m WAIT 1 0
			r GET held
			# It succeeds, and goes back.
			m FAILOVER TO 127.0.0.1 {r} TIMEOUT 100000
			m? master_link_status up
			m? role slave
			r? connected_slaves 1
			m INFO replication
			r INFO replication
			m SET k 1
			m FAILOVER
			r SET k 2
			r WAIT 1 0
			m GET k
			r FAILOVER
			r? master_link_status up
			m? connected_slaves 1
			m INFO replication
			r INFO replication
			m SET k 3
			m WAIT 1 0
			r GET k
			# In a transaction the rest is run first.
			m MULTI
			m FAILOVER
			m SET k 4
			m EXEC
			m? role slave
			m? master_link_status up
			r? connected_slaves 1
			r GET k
			r INFO replication
			# Nothing was copied a second time.
			m? sync_full 1
			r? sync_full 0
			# By force.
			r REPLICAOF NO ONE
			m REPLICAOF NO ONE
			r REPLICAOF 127.0.0.1 {m}
			r? master_link_status up
			m? connected_slaves 1
			r CLIENT PAUSE 100000 WRITE
			m SET forced 1
			m FAILOVER TO 127.0.0.1 {r} TIMEOUT 200 FORCE
			m? master_failover_state no-failover
			m? master_link_status up
			r? role master
			r EXISTS forced
			m EXISTS forced
			r CLIENT UNPAUSE
			r EXISTS forced
		`)
	})
}

// TestFailoverToNobody compares what happens when the server that is to take over is not there, or
// rejects it.
func TestFailoverToNobody(t *testing.T) {
	needsOracle(t)
	dead := redistest.DeadPort(t)
	other := oracleNode(t)
	forEachPair(t, func(t *testing.T, m, r *replNode) string {
		steps := strings.ReplaceAll(`
			r CONFIG SET replica-announce-port DEAD
			r REPLICAOF 127.0.0.1 {m}
			m? connected_slaves 1
			m WAIT 1 0
			m SET k 1
			m.b>BLPOP list 0
			m.wait>WAIT 5 0
			m? blocked_clients 2
			m FAILOVER TO 127.0.0.1 DEAD
			m? master_failover_state failover-in-progress
			m.b<
			m.b<
			m.wait<
			m INFO replication
			m SET k 2
			m.w>SET k 3
			m FAILOVER
			m REPLICAOF NO ONE
			m FAILOVER ABORT
			m.w<
			m? connected_slaves 1
			m INFO replication
			m SET k 4
			r? master_link_status up
			m WAIT 1 0
			r GET k
			m? sync_full 1
			# Another master answers: it is none of its replicas.
			r CONFIG SET replica-announce-port OTHER
			r REPLICAOF NO ONE
			r REPLICAOF 127.0.0.1 {m}
			r? master_link_status up
			m? connected_slaves 1
			m WAIT 1 0
			m FAILOVER TO 127.0.0.1 OTHER TIMEOUT 10000
			m? master_failover_state no-failover
			m? role master
			m SET k 5
			r? master_link_status up
			m WAIT 1 0
			r GET k
		`, "DEAD", dead)
		steps = strings.ReplaceAll(steps, "OTHER", other.port)
		return failoverDialogue(t, m, r, steps)
	})
}

// TestMasterIsHeldByAPause compares when a replica in a pause runs what its master sends.
func TestMasterIsHeldByAPause(t *testing.T) {
	forEachPair(t, func(t *testing.T, m, r *replNode) string {
		return failoverDialogue(t, m, r, `
			r REPLICAOF 127.0.0.1 {m}
			r? master_link_status up
			m? connected_slaves 1
			m SET a 1
			m WAIT 1 0
			r CLIENT PAUSE 100000 WRITE
			m MULTI
			m SET a 2
			m SET b 2
			m EXEC
			m SET c 1
			m WAIT 1 300
			r MGET a b c
			r CLIENT UNPAUSE
			m WAIT 1 0
			r MGET a b c
			# It ends by itself.
			r CLIENT PAUSE 300 ALL
			m SET a 3
			r GET b
			m WAIT 1 0
			r GET a
			# A connection that is cut meanwhile.
			r CLIENT PAUSE 100000 WRITE
			m SET a 4
			m SET b 4
			m WAIT 1 200
			r CLIENT KILL TYPE master
			r CLIENT UNPAUSE
			r? master_link_status up
			m? connected_slaves 1
			m WAIT 1 0
			r MGET a b
			m SET a 5
			m WAIT 1 0
			r REPLICAOF NO ONE
			r MGET a b
			r ROLE
			# REPLICAOF NO ONE in a pause.
			r REPLICAOF 127.0.0.1 {m}
			r? master_link_status up
			m? connected_slaves 1
			m WAIT 1 0
			r CLIENT PAUSE 100000 WRITE
			m SET a 6
			m WAIT 1 200
			r REPLICAOF NO ONE
			r GET a
			r CLIENT UNPAUSE
			r SET a 7
			r GET a
		`)
	})
}
