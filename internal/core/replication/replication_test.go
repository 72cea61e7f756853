package replication_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// node is a server of a test.
type node struct {
	t          *testing.T
	e          *engine.Engine
	host, port string
}

func serve(t *testing.T) *node {
	t.Helper()
	return serveWith(t, engine.Options{})
}

func serveWith(t *testing.T, o engine.Options) *node {
	t.Helper()
	o.Config = map[string]string{"repl-diskless-sync-delay": "0"}
	e, err := engine.New(o)
	require.NoError(t, err)
	l, err := resp.Listen("127.0.0.1:0")
	require.NoError(t, err)
	s := resp.NewServer(e, resp.Options{})
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.ErrorIs(t, <-served, resp.ErrServerClosed)
		require.NoError(t, e.Close())
	})
	n := &node{t: t, e: e}
	n.host, n.port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	require.Equal(t, "OK", n.call("CONFIG", "SET", "replica-announce-ip", n.host, "replica-announce-port", n.port))
	return n
}

// do runs a command, given as words, and returns the reply or the error as text.
func (n *node) do(line string) string { return n.call(strings.Fields(line)...) }

func (n *node) call(args ...string) string {
	n.t.Helper()
	v, err := n.e.DoStrings(context.Background(), args...)
	if err != nil {
		return err.Error()
	}
	return v.Text()
}

func (n *node) info(field string) string {
	n.t.Helper()
	v, err := n.e.DoStrings(context.Background(), "INFO", "everything")
	require.NoError(n.t, err)
	_, rest, found := strings.Cut(v.Text(), "\n"+field+":")
	require.True(n.t, found, field)
	value, _, _ := strings.Cut(rest, "\r")
	return value
}

func (n *node) until(field, value string) {
	n.t.Helper()
	patience.Until(n.t, func() bool { return n.info(field) == value }, "%s:%s", field, value)
}

func (n *node) follow(m *node) {
	n.t.Helper()
	require.Equal(n.t, "OK", n.call("REPLICAOF", m.host, m.port))
	n.until("master_link_status", "up")
}

// level waits until the replica has what its master has, and compares the data.
func (n *node) level(m *node) {
	n.t.Helper()
	patience.Until(n.t, func() bool { return n.info("slave_repl_offset") == m.info("master_repl_offset") }, "the offset")
	require.Equal(n.t, m.do("DEBUG DIGEST"), n.do("DEBUG DIGEST"))
	require.Equal(n.t, m.do("FUNCTION LIST"), n.do("FUNCTION LIST"))
	require.Equal(n.t, m.info("master_replid"), n.info("master_replid"))
}

// writes change values of all types, in ways whose effects are other commands.
const writes = `SET s v
SET n 41
INCR n
INCRBYFLOAT f 1.5
APPEND s more
SET soon v EX 1000
GETEX soon EX 500
SETRANGE s 2 x
SETBIT bits 77 1
PFADD hll a b c
RPUSH l a b c d
LMOVE l l2 LEFT RIGHT
BLPOP l 0
SADD set a b c d e f g
SPOP set 3
SMOVE set set2 a
HSET h f v g 1
HINCRBYFLOAT h g 0.25
ZADD z 1.5 a 2 b 3 c
ZPOPMIN z
ZADD z INCR 3 b
GEOADD g 13.36 38.11 palermo
XADD x * f v
XADD x MAXLEN = 1 * f w
XGROUP CREATE x grp 0
XREADGROUP GROUP grp me COUNT 1 STREAMS x >
XAUTOCLAIM x grp you 0 0
SELECT 3
RENAME h h2
COPY h2 h3
RESTORE copy 0 \x00
UNLINK l2
EXPIREAT z 4102444800
PERSIST z
EVAL redis.call('set','a','1')redis.call('incr','a')return(redis.call('time')) 0
EVAL redis.call('spop','set')redis.call('del','nosuch') 0
FCALL fill 1 k
SORT l STORE sorted
FLUSHDB
SET last 1`

func (n *node) write() {
	n.t.Helper()
	n.call("FUNCTION", "LOAD", "REPLACE",
		"#!lua name=lib\nredis.register_function('fill', function(keys) return redis.call('rpush', keys[1], 1, 2, 3) end)")
	for line := range strings.Lines(writes) {
		n.do(strings.TrimSpace(line))
	}
	_, err := n.e.Pipeline().Do("MULTI").Do("SET", "in", "multi").Do("INCR", "n").Do("EXEC").Exec(context.Background())
	require.NoError(n.t, err)
}

func TestAReplicaHasTheDataOfItsMaster(t *testing.T) {
	m, r := serve(t), serve(t)
	r.do("SET own 1")
	m.write()
	r.follow(m)
	r.level(m)
	require.Equal(t, "0", r.do("EXISTS own"))
	require.Equal(t, "1", m.info("sync_full"))
	m.do("FLUSHALL")
	m.write()
	m.do("SWAPDB 0 3")
	r.level(m)
	require.Equal(t, "slave", r.info("role"))
	require.Equal(t, "1", m.info("connected_slaves"))
	require.Equal(t, "1", m.do("WAIT 1 0"))
	require.Contains(t, r.do("SET k v"), "READONLY")
	require.Contains(t, r.do("EVAL return(redis.call('del','s')) 0"), "READONLY")
}

// After a cut the replica goes on where it was.
func TestAReplicaResumesAfterACut(t *testing.T) {
	m, r := serve(t), serve(t)
	r.follow(m)
	m.write()
	r.level(m)
	for cut := 1; cut <= 3; cut++ {
		require.Equal(t, "1", m.do("CLIENT KILL TYPE replica"))
		m.write()
		patience.Until(t, func() bool { return r.info("master_link_status") == "up" && m.info("connected_slaves") == "1" })
		r.level(m)
	}
	require.Equal(t, "1", m.info("sync_full"))
	require.Equal(t, "3", m.info("sync_partial_ok"))
}

// A replica of a replica gets the same stream, also when the one in the middle gets another master.
func TestAReplicaOfAReplica(t *testing.T) {
	a, b, c := serve(t), serve(t), serve(t)
	b.follow(a)
	c.follow(b)
	a.write()
	b.level(a)
	patience.Until(t, func() bool { return c.info("slave_repl_offset") == a.info("master_repl_offset") })
	require.Equal(t, a.do("DEBUG DIGEST"), c.do("DEBUG DIGEST"))
	require.Equal(t, "OK", b.do("REPLICAOF NO ONE"))
	b.do("SET promoted 1")
	patience.Until(t, func() bool { return c.do("GET promoted") == "1" })
	require.Equal(t, "1", b.info("sync_full"))
	require.Equal(t, "OK", a.call("REPLICAOF", b.host, b.port))
	a.until("master_link_status", "up")
	patience.Until(t, func() bool { return a.do("GET promoted") == "1" })
	require.Equal(t, "1", b.info("sync_full"), "the old master goes on where it was")
	require.Equal(t, "2", b.info("sync_partial_ok"), "c, and then a")
}

// A pause of writes on a replica holds what its master sends, and a pause of everything too.
func TestAPauseHoldsWhatTheMasterSends(t *testing.T) {
	m, r := serve(t), serve(t)
	r.follow(m)
	m.do("SET k 0")
	r.level(m)
	require.Equal(t, "OK", r.do("CLIENT PAUSE 1000000 WRITE"))
	m.do("INCR k")
	patience.Until(t, func() bool { return r.info("slave_read_repl_offset") == m.info("master_repl_offset") })
	require.NotEqual(t, m.info("master_repl_offset"), r.info("slave_repl_offset"))
	require.Equal(t, "0", r.do("GET k"))
	require.Equal(t, "OK", r.do("CLIENT UNPAUSE"))
	patience.Until(t, func() bool { return r.do("GET k") == "1" })
	r.level(m)
	for i, mode := range []string{"WRITE", "ALL"} { // which ends by itself
		require.Equal(t, "OK", r.do("CLIENT PAUSE 50 "+mode))
		m.do("INCR k")
		patience.Until(t, func() bool { return r.do("GET k") == string(rune('2'+i)) })
		r.level(m)
	}
}

func TestARoleIsHandedOver(t *testing.T) {
	m, r := serve(t), serve(t)
	r.follow(m)
	m.do("SET k 1")
	r.level(m)
	require.Equal(t, "OK", m.call("FAILOVER", "TO", r.host, r.port))
	r.until("role", "master")
	m.until("role", "slave")
	m.until("master_link_status", "up")
	require.Equal(t, "2", r.do("INCR k"))
	m.level(r)
	require.Equal(t, "0", r.info("sync_full"))
}

// A connection that is a replica cannot use the keyspace: it is closed, because it would get a
// reply.
func TestAReplicaCannotUseTheKeyspace(t *testing.T) {
	m := serve(t)
	for _, line := range []string{"SET k v", "GET k", "PUBLISH a b", "EVAL return(1) 0", "INCR k", "MULTI"} {
		nc, err := net.Dial("tcp", net.JoinHostPort(m.host, m.port))
		require.NoError(t, err)
		_, err = nc.Write([]byte("PSYNC ? -1\r\n"))
		require.NoError(t, err)
		m.until("connected_slaves", "1")
		_, err = nc.Write([]byte("REPLCONF ACK 0\r\n" + line + "\r\n"))
		require.NoError(t, err)
		require.NoError(t, nc.SetReadDeadline(patience.Deadline()))
		_, err = io.Copy(io.Discard, nc)
		require.NoError(t, err, "%s: the connection is not closed", line)
		require.NoError(t, nc.Close())
		m.until("connected_slaves", "0")
	}
	require.Equal(t, "0", m.do("EXISTS k"))
}
