//go:build unix

package main

import (
	"fmt"
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

// replicaPlay is what a hostile replica sends to a master: commands, which are strings of words, in
// turn. The first line of the reply to each is read. {id} stands for the replication ID of the
// master, {+1000} for its offset and 1000 more.
type replicaPlay struct {
	name     string
	args     []string // of the master
	commands []string
}

var replicaPlays = []replicaPlay{
	{name: "REPLCONF without options", commands: []string{"REPLCONF", "REPLCONF listening-port", "REPLCONF x y z"}},
	{name: "REPLCONF with wrong values", commands: []string{"REPLCONF listening-port abc", "REPLCONF listening-port -1",
		"REPLCONF listening-port 99999999999999999999", "REPLCONF ip-address " + strings.Repeat("1", 300), "REPLCONF rdb-only 2",
		"REPLCONF rdb-only x", "REPLCONF rdb-filter-only keys", "REPLCONF nosuch 1", "REPLCONF capa nosuch", "REPLCONF CAPA EOF capa PSYNC2"}},
	{name: "acknowledgments of a client", commands: []string{"REPLCONF ACK 5", "REPLCONF ACK abc", "REPLCONF GETACK *", "PING"}},
	{name: "PSYNC with a wrong offset", commands: []string{"PSYNC ? abc", "PSYNC {id} 1.5", "PSYNC {id} 99999999999999999999", "PING"}},
	{name: "PSYNC without words", commands: []string{"PSYNC", "PSYNC ?", "SYNC now"}},
	{name: "PSYNC with another ID", commands: []string{"REPLCONF capa eof capa psync2", "PSYNC " + fakeID + " 5"}},
	{name: "PSYNC with a long ID", commands: []string{"PSYNC " + strings.Repeat("a", 100) + " 1"}},
	{name: "PSYNC of the future", commands: []string{"PSYNC {id} {+1000}"}},
	{name: "PSYNC of the past", commands: []string{"PSYNC {id} -5"}},
	{name: "PSYNC FAILOVER", commands: []string{"PSYNC {id} 1 FAILOVER", "PING"}},
	{name: "a filter without capability", commands: []string{"REPLCONF rdb-filter-only functions", "PSYNC ? -1", "PING"}},
	{name: "rdb-only", commands: []string{"REPLCONF rdb-only 1", "PSYNC ? -1"}},
	{name: "rdb-only, streamed", commands: []string{"REPLCONF rdb-only 1 capa eof", "PSYNC ? -1"}},
	{name: "no keys", commands: []string{"REPLCONF rdb-only 1 capa eof rdb-filter-only functions", "PSYNC ? -1"}},
	{name: "no capability", commands: []string{"REPLCONF listening-port 7777", "PSYNC ? -1"}},
	{name: "an announced address", commands: []string{"REPLCONF listening-port 7777 ip-address 10.1.1.1 capa psync2", "PSYNC ? -1"}},
	{name: "diskless", args: []string{"--repl-diskless-sync", "yes"}, commands: []string{"REPLCONF capa eof capa psync2", "PSYNC ? -1"}},
	{name: "disk-based", args: []string{"--repl-diskless-sync", "no"}, commands: []string{"REPLCONF capa eof capa psync2", "PSYNC ? -1"}},
	{name: "SYNC", commands: []string{"SYNC"}},
	{name: "in a transaction", commands: []string{"MULTI", "PSYNC ? -1", "SYNC", "EXEC"}},
	{name: "no permission", args: strings.Fields("--user r on nopass +ping +auth"), commands: []string{"AUTH r x", "REPLCONF capa eof",
		"PSYNC ? -1"}},
	{name: "the permissions of a replica", args: strings.Fields("--user r on >p +psync +replconf +ping"), commands: []string{
		"AUTH r p", "PING", "REPLCONF listening-port 1 capa psync2", "PSYNC ? -1"}},
}

var (
	// anySize matches the size of a copy.
	anySize = regexp.MustCompile(`\$\d+\r`)
	// anyLag matches how long ago a replica was heard.
	anyLag = regexp.MustCompile(`lag=\d+`)
	// ofForks matches log lines about processes.
	ofForks = regexp.MustCompile(`(?m)^(C .*|M . (Background .* started by pid|Diskless rdb transfer, done reading from pipe).*)\n`)
)

// run sends the commands to a program. It returns its replies, up to the copy, its log and what it
// says of its replicas.
func (r *replicaPlay) run(t *testing.T, program string) string {
	s := startProgram(t, program, append([]string{"--repl-diskless-sync-delay", "0"}, r.args...)...)
	_, err := s.Do("SET", "k", "v")
	require.NoError(t, err)
	nc, err := net.Dial("tcp", s.Addr)
	require.NoError(t, err)
	defer nc.Close()
	p := newFakePeer(t, nc)
	var b strings.Builder
	offset, _ := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(fieldsOf(s, "master_repl_offset"), "master_repl_offset:")))
	id := strings.TrimSpace(strings.TrimPrefix(fieldsOf(s, "master_replid"), "master_replid:"))
	synced := false
	for _, line := range r.commands {
		line = strings.NewReplacer("{id}", id, "{+1000}", strconv.Itoa(offset+1000)).Replace(line)
		_, err := nc.Write(resp.AppendCommand(nil, strings.Fields(line)...))
		require.NoError(t, err)
		if strings.HasPrefix(line, "REPLCONF ACK") || strings.HasPrefix(line, "REPLCONF GETACK") {
			continue // they have no reply
		}
		reply := p.line()
		for reply == "\n" {
			reply = p.line()
		}
		fmt.Fprintf(&b, "%s: %q\n", anyID.ReplaceAllString(line, "ID"), anySize.ReplaceAllString(anyID.ReplaceAllString(reply, "ID"), "$$N\r"))
		synced = strings.HasPrefix(reply, "+FULLRESYNC") || strings.HasPrefix(reply, "$")
	}
	if synced {
		r.copied(t, s, p, &b)
	}
	if synced && strings.Contains(strings.Join(r.commands, " "), "rdb-only 1") {
		p.awaitEnd()
		patience.Until(t, func() bool { return strings.Contains(linesOf(s), " lost.") })
	}
	fields := fieldsOf(s, "role", "connected_slaves", "slave0", "sync_full", "sync_partial_ok", "sync_partial_err",
		"second_repl_offset", "repl_backlog_active")
	return b.String() + anyLag.ReplaceAllString(fields, "lag=SECONDS") + ofForks.ReplaceAllString(linesOf(s), "")
}

// copied reads the copy and waits until the program has noticed that it was sent.
func (r *replicaPlay) copied(t *testing.T, s *redistest.Server, p *fakePeer, b *strings.Builder) {
	line := "\n"
	for line == "\n" && r.commands[len(r.commands)-1] != "SYNC" {
		line = p.line()
	}
	fmt.Fprintf(b, "copy: %q\n", anySize.ReplaceAllString(anyID.ReplaceAllString(line, "ID"), "$$N\r"))
	if size, err := strconv.Atoi(strings.Trim(line, "$\r\n")); err == nil {
		_, err := io.CopyN(io.Discard, p.in, int64(size))
		require.NoError(t, err)
	}
	patience.Until(t, func() bool {
		log := linesOf(s)
		return strings.Contains(log, "Synchronization with replica") || strings.Contains(log, "RDB transfer completed") ||
			strings.Contains(log, "Streamed RDB transfer")
	})
}

// TestHostileReplicas sends what no replica sends to redis-server and to this program. The replies,
// the logs and what INFO says must be equal.
func TestHostileReplicas(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, r := range replicaPlays {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, r.run(t, theirs), r.run(t, ours))
		})
	}
}
