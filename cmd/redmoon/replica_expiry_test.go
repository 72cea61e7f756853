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
	"github.com/redmoon-lua/redmoon/resp"
)

// expiryPlay are commands of a client of a writable replica. The master has set master, for a day.
// The clock stands still in a transaction, so that a key does not expire between two commands.
var expiryPlays = []struct {
	name  string
	lines string
}{
	{"SET", "SET a 1 PX 30\nSET b 1"},
	{"EXPIRE", "SET a 1\nPEXPIRE a 30\nSET b 1"},
	{"RENAME", "MULTI\nSET a 1 PX 30\nRENAME a c\nEXEC"},
	{"COPY", "MULTI\nSET a 1 PX 30\nCOPY a c\nEXEC"},
	{"MOVE", "MULTI\nSET a 1 PX 30\nMOVE a 3\nEXEC"},
	{"GETEX", "SET a 1\nGETEX a PX 30"},
	{"a key of the master", "PEXPIRE master 30"},
	{"a change of a key of the master", "INCR master"},
	{"PERSIST", "SET a 1 PX 100000000\nPERSIST a"},
	{"DEL", "SET a 1 PX 100000000\nDEL a"},
	{"FLUSHALL", "SET a 1 PX 100000000\nFLUSHALL"},
	{"a script", "EVAL redis.call('SET','a','1','PX','30') 0"},
	{"in another database", "SELECT 5\nSET a 1 PX 30"},
}

// TestOwnKeysOfAReplicaExpire: a writable replica itself removes the keys that its clients have
// given a time to live.
func TestOwnKeysOfAReplicaExpire(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, p := range expiryPlays {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			play := func(program string) string {
				master := startProgram(t, theirs, "--repl-diskless-sync-delay", "0")
				require.Equal(t, "OK", doing(master, "SET", "master", "1", "EX", "100000"))
				_, port, _ := net.SplitHostPort(master.Addr)
				r := startProgram(t, program, "--replicaof", "127.0.0.1", port, "--replica-read-only", "no")
				patience.Until(t, func() bool { return fieldsOf(r, "master_link_status") == "master_link_status:up\n" })
				return playExpiry(t, r, p.lines)
			}
			require.Equal(t, play(theirs), play(ours))
		})
	}
}

// playExpiry runs lines and returns the replies, and what is left when the keys with 30 ms are
// gone.
func playExpiry(t *testing.T, r *redistest.Server, lines string) string {
	var b strings.Builder
	conn, err := net.Dial("tcp", r.Addr)
	require.NoError(t, err)
	defer conn.Close()
	d := resp.NewDecoder(conn)
	ask := func(args ...string) string {
		_, err := conn.Write(resp.AppendCommand(nil, args...))
		require.NoError(t, err)
		v, err := d.Decode()
		require.NoError(t, err)
		return v.String() + "\n"
	}
	for _, line := range strings.Split(lines, "\n") {
		b.WriteString(ask(strings.Fields(line)...))
	}
	if !strings.Contains(lines, "30") {
		ask("WAIT", "1", "400") // longer than some cycles
	}
	patience.Until(t, func() bool {
		return fieldsOf(r, "slave_expires_tracked_keys") == "slave_expires_tracked_keys:0\n"
	})
	ask("SELECT", "0")
	fmt.Fprintf(&b, "%s%s%s", ask("DBSIZE"), ask("EXISTS", "a", "b", "c", "master"), fieldsOf(r, "slave_expires_tracked_keys", "expired_keys"))
	return b.String()
}
