//go:build unix

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

// restartPlay is which of a master and its replica starts again, from its dump, and how it has
// ended.
type restartPlay struct {
	name    string
	replica bool // it is the replica
	before  []string
	ending  string
	after   []string // what the master runs while the replica is down
}

var restartPlays = []restartPlay{
	{name: "the master", ending: "SHUTDOWN SAVE NOW"},
	{name: "the master, nothing written", before: []string{}, ending: "SHUTDOWN SAVE NOW"},
	{name: "the master with keys that expire meanwhile",
		before: []string{"DEBUG SET-ACTIVE-EXPIRE 0", "SET a 1 PX 1", "SET b 1 PX 1", "SET c 1"},
		ending: "SHUTDOWN SAVE NOW"},
	{name: "the master, killed after a dump", before: []string{"SET a 1", "SAVE"}, ending: "kill"},
	{name: "the master, killed after a write", before: []string{"SAVE", "SET a 1"}, ending: "kill"},
	{name: "the master without a dump", before: []string{"SET a 1", "CONFIG SET save "}, ending: "SHUTDOWN NOSAVE NOW"},
	{name: "the replica", replica: true, ending: "SHUTDOWN SAVE NOW", after: []string{"SET later 1"}},
	{name: "the replica of a database", replica: true, before: []string{"EVAL redis.call('select','3')redis.call('set','a','1') 0"},
		ending: "SHUTDOWN SAVE NOW", after: []string{"EVAL redis.call('select','3')redis.call('set','b','1') 0"}},
	{name: "the replica, killed after a dump", replica: true,
		before: []string{"SET a 1"}, ending: "kill after SAVE", after: []string{"SET b 1"}},
	{name: "the replica with expired keys", replica: true,
		before: []string{"DEBUG SET-ACTIVE-EXPIRE 0", "SET a 1 PX 1", "SET b 1 PX 1"},
		ending: "SHUTDOWN SAVE NOW", after: []string{"GET a", "GET b", "SET later 1"}},
}

// even waits until the replica has everything.
func even(t *testing.T, m, r *redistest.Server) {
	patience.Until(t, func() bool {
		return fieldsOf(r, "master_link_status") == "master_link_status:up\n" &&
			fieldsOf(m, "master_repl_offset") == fieldsOf(r, "master_repl_offset")
	})
}

// save runs SAVE, when the process that has written the copy for a replica has ended.
func save(t *testing.T, s *redistest.Server) {
	patience.Until(t, func() bool { return doing(s, "SAVE") == "OK" })
}

// run plays and returns how the synchronizations went.
func (p *restartPlay) run(t *testing.T, master, replica string) string {
	args := []string{"--save", "3600 1", "--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "3600"}
	m := startProgram(t, master, args...)
	_, port, _ := net.SplitHostPort(m.Addr)
	r := startProgram(t, replica, append(args, "--replicaof", "127.0.0.1", port)...)
	even(t, m, r)
	if p.before == nil {
		p.before = []string{"SET a 1", "RPUSH l a b c"}
	}
	for _, line := range p.before {
		if line == "SAVE" {
			save(t, m)
			continue
		}
		_ = doing(m, strings.Split(line, " ")...)
	}
	even(t, m, r)
	again := m
	if p.replica {
		again = r
	}
	id := fieldsOf(m, "master_replid")
	_, _ = m.Do("CONFIG", "RESETSTAT")
	_, _ = r.Do("CONFIG", "RESETSTAT")
	if strings.HasSuffix(p.ending, " SAVE") {
		save(t, again)
	}
	if !strings.HasPrefix(p.ending, "kill") {
		_, _ = again.Do(strings.Fields(p.ending)...) // it closes the connection
	}
	again.Kill()
	for _, line := range p.after {
		_ = doing(m, strings.Fields(line)...)
	}
	require.NoError(t, again.Restart())
	even(t, m, r)
	text := fmt.Sprintf("the ID stays: %v, becomes the second: %v\n", fieldsOf(m, "master_replid") == id,
		strings.TrimPrefix(fieldsOf(m, "master_replid2"), "master_replid2:") == strings.TrimPrefix(id, "master_replid:"))
	for _, s := range []*redistest.Server{m, r} {
		text += fieldsOf(s, "role", "sync_full", "sync_partial_ok", "sync_partial_err", "master_repl_offset", "second_repl_offset",
			"repl_backlog_active", "repl_backlog_first_byte_offset", "repl_backlog_histlen", "rdb_last_load_keys_expired")
	}
	require.Equal(t, doing(m, "DEBUG", "DIGEST"), doing(r, "DEBUG", "DIGEST"))
	return text
}

// TestRestartsOfMastersAndReplicas: after a restart, a master and a replica go on where the dump
// says, whichever programs they are.
func TestRestartsOfMastersAndReplicas(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, p := range restartPlays {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			want := p.run(t, theirs, theirs)
			require.Equal(t, want, p.run(t, ours, ours), "redmoon follows redmoon")
			require.Equal(t, want, p.run(t, ours, theirs), "redis-server follows redmoon")
			require.Equal(t, want, p.run(t, theirs, ours), "redmoon follows redis-server")
		})
	}
}
