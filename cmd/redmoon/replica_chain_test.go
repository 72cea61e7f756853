//go:build linux

package main

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// chain is three servers: the second follows the first, and the third follows the second.
type chain struct {
	t       *testing.T
	servers []*redistest.Server
	log     strings.Builder
}

func (c *chain) do(i int, args ...string) string {
	c.t.Helper()
	v, err := c.servers[i].Do(args...)
	if err != nil {
		return err.Error()
	}
	return v.Text()
}

// follow makes server i a replica of server of, and waits until the last server of the chain has
// what the first has.
func (c *chain) follow(i, of int) {
	host, port, err := net.SplitHostPort(c.servers[of].Addr)
	require.NoError(c.t, err)
	require.Equal(c.t, "OK", c.do(i, "REPLICAOF", host, port))
}

// settle waits until all servers have the data of server top, and notes what they say of
// themselves.
func (c *chain) settle(what string, top int) {
	c.t.Helper()
	require.NoError(c.t, patience.Try(func() error {
		want := c.do(top, "DEBUG", "DIGEST")
		for i := range c.servers {
			if got := c.do(i, "DEBUG", "DIGEST"); got != want {
				return fmt.Errorf("%s: server %d has %s, not %s", what, i, got, want)
			}
			if i != top && !strings.Contains(c.do(i, "INFO", "replication"), "master_link_status:up") {
				return fmt.Errorf("%s: the link of server %d is down", what, i)
			}
		}
		return nil
	}))
	fmt.Fprintf(&c.log, "%s\n", what)
	for i := range c.servers {
		fmt.Fprintf(&c.log, "  %d:", i)
		for _, line := range strings.Split(c.do(i, "INFO", "replication")+c.do(i, "INFO", "stats"), "\r\n") {
			switch name, _, _ := strings.Cut(line, ":"); name {
			case "role", "connected_slaves", "slave_read_only", "sync_full", "sync_partial_ok", "sync_partial_err", "second_repl_offset":
				if name == "second_repl_offset" && !strings.HasSuffix(line, ":-1") {
					line = name + ":N"
				}
				c.log.WriteString(" " + line)
			}
		}
		c.log.WriteString("\n")
	}
	ids := map[string]bool{}
	for i := range c.servers {
		for _, line := range strings.Split(c.do(i, "INFO", "replication"), "\r\n") {
			if strings.HasPrefix(line, "master_replid:") {
				ids[line] = true
			}
		}
	}
	fmt.Fprintf(&c.log, "  %d histories\n", len(ids))
}

// playChain builds a chain of three programs, writes, makes its middle the master, puts the old
// master at its end, and lets the end move up.
func playChain(t *testing.T, programs ...string) string {
	c := &chain{t: t}
	for _, program := range programs {
		s, err := redistest.StartBinary(program, "--repl-diskless-sync-delay", "0")
		require.NoError(t, err)
		t.Cleanup(s.Stop)
		c.servers = append(c.servers, s)
	}
	write := func(i int, name string) {
		for n := range 50 {
			require.Equal(t, "OK", c.do(i, "SET", fmt.Sprint(name, n), name))
		}
		c.do(i, "EVAL", "for i = 1, 50 do redis.call('RPUSH', KEYS[1], i) end", "1", name+" list")
		c.do(i, "SPOP", "set")
	}
	write(0, "before")
	c.follow(1, 0)
	c.settleTwo()
	c.follow(2, 1)
	c.settle("a chain", 0)
	write(0, "through the chain")
	c.settle("written", 0)
	fmt.Fprintf(&c.log, "a write to the middle: %s\na write to the end: %s\n", c.do(1, "SET", "x", "y"), c.do(2, "SET", "x", "y"))

	require.Equal(t, "OK", c.do(1, "REPLICAOF", "NO", "ONE"))
	write(1, "by the middle")
	c.follow(0, 1)
	c.settle("the middle leads", 1)
	write(1, "to both")
	c.settle("written", 1)

	c.follow(2, 0)
	c.settle("the end follows the old master", 1)
	write(1, "through the other chain")
	c.settle("written", 1)
	return c.log.String()
}

// settleTwo waits until the second server has the data of the first.
func (c *chain) settleTwo() {
	two := &chain{t: c.t, servers: c.servers[:2]}
	two.settle("two", 0)
}

// TestChains compares chains of replicas of both programs with one of redis-server alone.
func TestChains(t *testing.T) {
	theirs, ours := bothPrograms(t)
	t.Parallel()
	want := playChain(t, theirs, theirs, theirs)
	for name, programs := range map[string][]string{
		"ours, ours, theirs":   {ours, ours, theirs},
		"theirs, ours, theirs": {theirs, ours, theirs},
		"ours, theirs, ours":   {ours, theirs, ours},
		"ours, ours, ours":     {ours, ours, ours},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, playChain(t, programs...))
		})
	}
}
