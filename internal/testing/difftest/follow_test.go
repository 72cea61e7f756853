package difftest

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/resp"
)

// cutter passes connections on to a server, and cuts them on demand.
type cutter struct {
	l  net.Listener
	to string

	mu    sync.Mutex
	conns []net.Conn
}

func newCutter(t *testing.T, to string) *cutter {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cutter{l: l, to: to}
	t.Cleanup(func() { _ = l.Close(); c.cut() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			c.mu.Lock()
			c.conns = append(c.conns, in, out)
			c.mu.Unlock()
			pass := func(to, from net.Conn) {
				_, _ = io.Copy(to, from)
				_, _ = to.Close(), from.Close()
			}
			go pass(in, out)
			go pass(out, in)
		}
	}()
	return c
}

// cut closes all connections.
func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.conns = nil
}

// prepare gives both sides the settings of a sequence. Replication does not carry settings, and
// some decide what a command leaves behind: with another hll-sparse-max-bytes the replica keeps
// another string. Keys and statistics stay.
func prepare(t *testing.T, master, replica pipe, seq *sequence) {
	limits := seq.style.limitCommand(seq.server)
	for _, side := range []struct {
		p    pipe
		cmds [][]string
	}{
		{replica, [][]string{limits}},
		{master, [][]string{{"SELECT", "0"}, {"CONFIG", "SET", "notify-keyspace-events", seq.style.events},
			{"HELLO", strconv.Itoa(seq.style.proto)}, limits}},
	} {
		raw, err := side.p.Run(side.cmds)
		require.NoError(t, err)
		for i := range raw {
			require.NotEqual(t, byte('-'), raw[i][0], "%q: %q", side.cmds[i], raw[i])
		}
	}
}

// campaign plays random commands on a master whose replica is cut off again and again.
type campaign struct {
	seed    uint64
	cuts    int
	f       *fuzzer
	visible commandSet
	dumps   []string
}

func startCampaign(t *testing.T) *campaign {
	c := &campaign{seed: tier.Seed(), cuts: tier.Number("REDMOON_CUTS", 2, 4)}
	c.f, c.visible, c.dumps = startFuzzer(t)
	return c
}

// play plays a sequence of commands for each cut, which comes after a random one. After each
// sequence equal must come true; it also describes the replica.
func (c *campaign) play(t *testing.T, draw uint64, master, replica pipe, proxy *cutter, equal func() (ok bool, state string)) {
	rng := rand.New(rand.NewPCG(c.seed, draw))
	rows := rowsOf(c.visible, allGroups)
	for n := range c.cuts {
		seq := makeSequence(c.f, c.seed*1000+uint64(n), n, style{groups: allGroups}, rows, c.dumps)
		seq.leaveUnrepeated()
		cutAt := rng.IntN(len(seq.items))
		prepare(t, master, replica, seq)
		for i, it := range seq.items {
			_, err := master.Run(it.wire(nil, seq.style.proto))
			require.NoError(t, err)
			if i == cutAt {
				proxy.cut()
			}
		}
		if !patience.True(func() bool { ok, _ := equal(); return ok }) {
			_, state := equal()
			require.Fail(t, "the replica differs", "seed %d, sequence %d, cut after item %d, %s\n%s", c.seed, n, cutAt, state,
				blame(t, master, replica, seq))
		}
	}
}

// TestOracleFollows makes the oracle the replica of an engine, plays random commands there and cuts
// the connection at random. At the end both have the same data, and most cuts have led to a partial
// synchronization. REDMOON_CUTS=n sets the number of cuts, REDMOON_SEED=n plays others.
func TestOracleFollows(t *testing.T) {
	needsOracle(t)
	c := startCampaign(t)
	o := oracleOfItsOwn(t)
	oracle, err := newNetPipe(o.Addr)
	require.NoError(t, err)
	defer oracle.Close()

	e, err := engine.New(engine.Options{Config: map[string]string{"repl-diskless-sync-delay": "0", "repl-backlog-size": "1mb"}})
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := resp.NewServer(e, resp.Options{})
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	ours, err := newNetPipe(l.Addr().String())
	require.NoError(t, err)
	defer ours.Close()
	proxy := newCutter(t, l.Addr().String())
	host, port, err := net.SplitHostPort(proxy.l.Addr().String())
	require.NoError(t, err)
	_, err = oracle.Run([][]string{{"REPLICAOF", host, port}})
	require.NoError(t, err)

	ctx := context.Background()
	info := func(field string) string {
		v, err := e.Do(ctx, "INFO", "everything")
		require.NoError(t, err)
		_, rest, found := strings.Cut(v.Text(), "\r\n"+field+":")
		require.True(t, found, field)
		value, _, _ := strings.Cut(rest, "\r\n")
		return value
	}
	equal := func() bool {
		raw, err := oracle.Run([][]string{{"DEBUG", "DIGEST"}})
		require.NoError(t, err)
		v, err := e.Do(ctx, "DEBUG", "DIGEST")
		require.NoError(t, err)
		return strings.Trim(string(raw[0]), "+\r\n") == v.Text()
	}
	patience.Until(t, func() bool { return info("connected_slaves") == "1" })
	c.play(t, 4, ours, oracle, proxy, func() (bool, string) {
		return info("connected_slaves") == "1" && equal(), "connected_slaves " + info("connected_slaves")
	})
	partial, err := strconv.Atoi(info("sync_partial_ok"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, partial, c.cuts/2, "partial synchronizations")
	sess, err := e.NewSession()
	require.NoError(t, err)
	defer sess.Close()
	_, err = sess.Do(ctx, "SET", "acknowledged", "1")
	require.NoError(t, err)
	v, err := sess.Do(ctx, "WAIT", "1", "180000")
	require.NoError(t, err)
	require.Equal(t, int64(1), v.MustInt())

	_, err = sess.Do(ctx, "CONFIG", "RESETSTAT")
	require.NoError(t, err)
	require.Equal(t, "0", info("sync_full"))
	require.Equal(t, "0", info("sync_partial_ok"))

	// What changes without effects is copied again.
	full := info("sync_full")
	snapshot, err := e.Snapshot()
	require.NoError(t, err)
	_, err = e.Do(ctx, "SET", "later", "1")
	require.NoError(t, err)
	require.NoError(t, e.Restore(snapshot))
	patience.Until(t, func() bool { return info("connected_slaves") == "1" && info("sync_full") != full && equal() })
}

// TestFollowsOracle makes an engine the replica of the oracle, plays random commands there and cuts
// the connection at random. At the end both have the same data. REDMOON_CUTS=n sets the number of
// cuts, REDMOON_SEED=n plays others.
func TestFollowsOracle(t *testing.T) {
	needsOracle(t)
	c := startCampaign(t)
	o := oracleOfItsOwn(t)
	oracle, err := newNetPipe(o.Addr)
	require.NoError(t, err)
	defer oracle.Close()
	_, err = oracle.Run([][]string{{"CONFIG", "SET", "repl-diskless-sync-delay", "0"}, {"CONFIG", "SET", "repl-backlog-size", "200000"}})
	require.NoError(t, err)
	proxy := newCutter(t, o.Addr)

	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	ctx := context.Background()
	sess, err := e.NewSession()
	require.NoError(t, err)
	replica := &goPipe{s: sess, e: e}
	defer replica.Close()
	host, port, err := net.SplitHostPort(proxy.l.Addr().String())
	require.NoError(t, err)
	_, err = e.Do(ctx, "REPLICAOF", host, port)
	require.NoError(t, err)

	digests := func() (want, got string) {
		raw, err := oracle.Run([][]string{{"DEBUG", "DIGEST"}})
		require.NoError(t, err)
		v, err := e.Do(ctx, "DEBUG", "DIGEST")
		if err != nil {
			return "", err.Error()
		}
		return strings.Trim(string(raw[0]), "+\r\n"), v.Text()
	}
	c.play(t, 3, oracle, replica, proxy, func() (bool, string) {
		want, got := digests()
		return want == got, "DIGEST " + got
	})
	v, err := e.Do(ctx, "INFO", "replication")
	require.NoError(t, err)
	require.Contains(t, v.Text(), "master_link_status:up")
	_, err = e.Do(ctx, "SET", "k", "v")
	require.EqualError(t, err, "READONLY You can't write against a read only replica.")
}
