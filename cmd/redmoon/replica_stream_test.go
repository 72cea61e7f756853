//go:build unix

package main

import (
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/resp"
)

// streamPlay is what a master runs before a replica comes.
type streamPlay struct {
	name   string
	before []string // lines of words
	freed  bool     // a replica has come before, and the backlog is freed since
	then   []string // what it runs when the replica has come
}

// expired are commands after which three keys have expired and are still there.
var expired = []string{"DEBUG SET-ACTIVE-EXPIRE 0", "SET a 1 PX 1", "SET b 1 PX 1", "SET c 1 PX 1", "DEBUG SLEEP 0.01"}

var streamPlays = []streamPlay{
	{name: "nothing before"},
	{name: "after a write", before: []string{"SET k 1"}},
	{name: "after a message", before: []string{"PUBLISH a b"}},
	{name: "after a script", before: []string{"SCRIPT LOAD return(1)"}},
	{name: "after a command with another effect", before: []string{"SET k 1 EX 1000", "GETEX k PERSIST", "INCRBYFLOAT n 1.5"}},
	{name: "after a command without an effect", before: []string{"DEL k", "SPOP none 5"}},
	{name: "freed", freed: true},
	{name: "freed, then a message", freed: true, before: []string{"PUBLISH a b"}},
	{name: "freed, then another effect", freed: true, before: []string{"SADD s a b", "SPOP s 2"}},
	{name: "SCAN of expired keys", before: expired, then: []string{"SCAN 0"}},
	{name: "SCAN of expired keys in a transaction", before: expired, then: []string{"MULTI", "SCAN 0", "EXEC"}},
	{name: "SCAN of expired keys in a script", before: expired, then: []string{"EVAL redis.call('scan','0') 0"}},
	{name: "KEYS of expired keys", before: expired, then: []string{"KEYS *"}},
	{name: "RANDOMKEY of expired keys", before: expired, then: []string{"RANDOMKEY"}},
	{name: "MGET of expired keys", before: expired, then: []string{"MGET a b c"}},
	{name: "DEL of expired keys", before: expired, then: []string{"DEL a b c"}},
	{name: "a write and expired keys", before: expired, then: []string{"SINTERSTORE x a b c"}},
	{name: "DEBUG REPLICATE", then: []string{"SELECT 3", "SET a 1", "SELECT 0", "DEBUG REPLICATE nosuch a b", "GET a"}},
	{name: "freed, then an error", freed: true, before: []string{"SET l x", "LPUSH l y"}},
}

// join makes the test a replica of s. It returns the replica when the copy has come.
func (p *fakePeer) join() {
	_, err := p.Write(resp.AppendCommand(nil, "PSYNC", "?", "-1"))
	require.NoError(p.t, err)
	require.Contains(p.t, p.line(), "+FULLRESYNC")
	line := "\n"
	for line == "\n" {
		line = p.line()
	}
	size, err := strconv.Atoi(strings.Trim(line, "$\r\n"))
	require.NoError(p.t, err)
	_, err = io.CopyN(io.Discard, p.in, int64(size))
	require.NoError(p.t, err)
}

func (s *streamPlay) replica(t *testing.T, master *redistest.Server) *fakePeer {
	nc, err := net.Dial("tcp", master.Addr)
	require.NoError(t, err)
	t.Cleanup(func() { nc.Close() })
	p := newFakePeer(t, nc)
	p.join()
	return p
}

// run returns the stream from where a replica has come to the command that is run next.
func (s *streamPlay) run(t *testing.T, program string) string {
	master := startProgram(t, program, "--repl-backlog-ttl", "1", "--repl-ping-replica-period", "1000")
	if s.freed {
		s.replica(t, master).Close()
		patience.Until(t, func() bool { return fieldsOf(master, "repl_backlog_active") == "repl_backlog_active:0\n" })
	}
	for _, line := range s.before {
		_ = doing(master, strings.Fields(line)...)
	}
	p := s.replica(t, master)
	c, err := net.Dial("tcp", master.Addr)
	require.NoError(t, err)
	defer c.Close()
	d := resp.NewDecoder(c)
	for _, line := range append(s.then, "SET end 1") {
		_, err := c.Write(resp.AppendCommand(nil, strings.Fields(line)...))
		require.NoError(t, err)
		_, err = d.Decode()
		require.NoError(t, err)
	}
	for {
		args := p.command()
		require.NotNil(t, args, "the master closes the connection after %q", p.sent.String())
		if args[0] == "SET" && args[1] == "end" {
			return inOrder(p.sent.String()) + fieldsOf(master, "master_repl_offset")
		}
	}
}

// inOrder puts the names of the three expired keys in order: SCAN and others meet them by chance.
func inOrder(stream string) string {
	next := 0
	return regexp.MustCompile(`(\$3\r\nDEL\r\n\$1\r\n)[abc]`).ReplaceAllStringFunc(stream, func(s string) string {
		next++
		return s[:len(s)-1] + string("abc"[next-1])
	})
}

// TestStreamsBegin compares the first bytes of the stream that a replica gets after its copy.
func TestStreamsBegin(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, s := range streamPlays {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, s.run(t, theirs), s.run(t, ours))
		})
	}
}

// TestBacklogOfAPromotedReplica: the backlog of a replica that becomes a master stays for the time
// repl-backlog-ttl from then on.
func TestBacklogOfAPromotedReplica(t *testing.T) {
	theirs, ours := bothPrograms(t)
	master := startProgram(t, theirs, "--repl-diskless-sync-delay", "0")
	_, port, _ := net.SplitHostPort(master.Addr)
	run := func(t *testing.T, program string) string {
		r := startProgram(t, program, "--replicaof", "127.0.0.1", port)
		patience.Until(t, func() bool { return fieldsOf(r, "master_link_status") == "master_link_status:up\n" })
		text := doing(r, "REPLICAOF", "NO", "ONE")
		text += doing(r, "WAIT", "1", "2500") // longer than two looks at the backlog
		text += fieldsOf(r, "role", "repl_backlog_active")
		_ = doing(r, "CONFIG", "SET", "repl-backlog-ttl", "1")
		patience.Until(t, func() bool { return strings.Contains(linesOf(r), "backlog freed") })
		return text + regexp.MustCompile(`(?m)^.*backlog.*$`).FindString(linesOf(r))
	}
	require.Equal(t, run(t, theirs), run(t, ours))
}
