//go:build unix

package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

const (
	fakeID    = "0123456789012345678901234567890123456789"
	otherID   = "abcdefabcdefabcdefabcdefabcdefabcdefabcd"
	fakeMark  = "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"
	cut       = "cut" // instead of a reply, which is awaited: the connection ends
	fakeGrant = "+FULLRESYNC " + fakeID + " 100\r\n"
)

// smallCopy returns an RDB file with the key k.
func smallCopy(t *testing.T) string {
	t.Helper()
	st := datastore.New(datastore.Options{})
	st.DB(0).SetString("k", "v", false)
	var b bytes.Buffer
	require.NoError(t, rdbfile.Write(&b, st, rdbfile.Writing{}))
	return b.String()
}

// bulk returns a copy with its size before it.
func bulk(copied string) string { return fmt.Sprintf("$%d\r\n%s", len(copied), copied) }

// masterPlay is what a hostile master does with one replica.
type masterPlay struct {
	name    string
	args    []string          // of the replica
	refused map[string]string // replies to the commands of the greeting
	psync   string            // reply to PSYNC
	sync    string            // reply to SYNC
	after   string            // what follows the acknowledgment of the offset of the copy
	then    string            // what follows after another acknowledgment of that offset
	ack     int64             // the master waits for the acknowledgment of this offset
	stays   bool              // the master does not close the connection
	ends    bool              // redis-server ends: only this program is tested
}

// masterPlays returns the plays. Those of one connection end when the replica connects again.
func masterPlays(t *testing.T) []masterPlay {
	good := smallCopy(t)
	broken := "REDIS0010" + strings.Repeat("\xee", 50)
	withSum := good[:len(good)-1] + string([]byte{good[len(good)-1] ^ 1})
	long := strings.Repeat("x", 100_000)
	online := fakeGrant + bulk(good)
	quick := []string{"--repl-timeout", "10"} // a busy machine needs some time before the silence
	return []masterPlay{
		{name: "PING is answered by HTTP", refused: map[string]string{"PING": "HTTP/1.1 400 Bad Request\r\n\r\n"}},
		{name: "PING is answered by a line without end", refused: map[string]string{"PING": long}},
		{name: "PING is not answered", args: quick, refused: map[string]string{"PING": ""}, stays: true},
		{name: "the connection ends at REPLCONF", refused: map[string]string{"REPLCONF capa": cut}},
		{name: "the connection ends at PING", refused: map[string]string{"PING": cut}},
		{name: "PING is answered by an error", refused: map[string]string{"PING": "-ERR no\r\n"}},
		{name: "PING needs a password", refused: map[string]string{"PING": "-NOAUTH Authentication required.\r\n"}, psync: "-NOAUTH no\r\n",
			sync: "-NOAUTH no\r\n"},
		{name: "PING is not permitted", refused: map[string]string{"PING": "-NOPERM no\r\n"}, psync: "-NOPERM no\r\n", sync: "-NOPERM no\r\n"},
		{name: "the password is wrong", args: []string{"--masterauth", "p"}, refused: map[string]string{"AUTH": "-WRONGPASS no\r\n"}},
		{name: "the user is wrong", args: []string{"--masterauth", "p", "--masteruser", "u"},
			refused: map[string]string{"AUTH": "-WRONGPASS no\r\n"}},
		{name: "REPLCONF is refused", args: []string{"--replica-announce-ip", "10.0.0.1"},
			refused: map[string]string{"REPLCONF": "-ERR no such thing\r\n"}, psync: "-NOMASTERLINK no\r\n"},
		{name: "PSYNC is not answered", args: quick, stays: true},
		{name: "the connection ends at PSYNC", psync: cut},
		{name: "not now", psync: "-NOMASTERLINK Can't SYNC while not connected with my master\r\n"},
		{name: "loading", psync: "-LOADING Redis is loading the dataset in memory\r\n"},
		{name: "no PSYNC, no SYNC", psync: "-ERR unknown command\r\n", sync: "-ERR unknown command\r\n"},
		{name: "an old master", psync: "-ERR unknown command\r\n", sync: bulk(good), ack: -1},
		{name: "another error", psync: "-WRONG way\r\n", sync: cut},
		{name: "an unexpected reply", psync: ":5\r\n", sync: cut},
		{name: "newlines", psync: "\n\n\n\r\n-NOMASTERLINK\r\n"},
		{name: "a long reply", psync: long + "\r\n", sync: cut},
		{name: "FULLRESYNC without words", psync: "+FULLRESYNC\r\n" + bulk(good), ack: -1},
		{name: "FULLRESYNC with a short ID", psync: "+FULLRESYNC abc 5\r\n" + bulk(good), ack: -1},
		{name: "FULLRESYNC without an offset", psync: "+FULLRESYNC " + fakeID + "\r\n" + bulk(good), ack: -1},
		{name: "FULLRESYNC with a wrong offset", psync: "+FULLRESYNC " + fakeID + " abc\r\n" + bulk(good), ack: 0},
		{name: "FULLRESYNC with a negative offset", psync: "+FULLRESYNC " + fakeID + " -7\r\n" + bulk(good), ack: -7},
		{name: "FULLRESYNC with a high offset", psync: "+FULLRESYNC " + fakeID + " 9223372036854775000\r\n" + bulk(good),
			ack: 9223372036854775000},
		{name: "CONTINUE was not asked for", ends: true, psync: "+CONTINUE " + otherID + "\r\n"},
		{name: "no size", psync: fakeGrant + "hello\r\n"},
		{name: "an error instead of the copy", psync: fakeGrant + "-ERR no copy today\r\n"},
		{name: "a size that is no number", psync: fakeGrant + "$abc\r\n" + good},
		{name: "a negative size", psync: fakeGrant + "$-1\r\n" + good},
		{name: "an empty copy", psync: fakeGrant + "$0\r\n" + good},
		{name: "a huge size", psync: fakeGrant + "$9223372036854775807\r\n" + good},
		{name: "a size out of range", psync: fakeGrant + "$99999999999999999999\r\n" + good},
		{name: "a cut copy", psync: fakeGrant + fmt.Sprintf("$%d\r\n", len(good)) + good[:20]},
		{name: "a cut copy, direct", args: []string{"--repl-diskless-load", "on-empty-db"},
			psync: fakeGrant + fmt.Sprintf("$%d\r\n", len(good)) + good[:20]},
		{name: "a cut copy, swapped", args: []string{"--repl-diskless-load", "swapdb"},
			psync: fakeGrant + fmt.Sprintf("$%d\r\n", len(good)) + good[:20]},
		{name: "a copy that stops", args: quick, psync: fakeGrant + fmt.Sprintf("$%d\r\n", len(good)) + good[:20], stays: true},
		{name: "a damaged copy, swapped", ends: true, args: []string{"--repl-diskless-load", "swapdb"}, psync: fakeGrant + bulk(broken)},
		{name: "a wrong checksum, swapped", ends: true, args: []string{"--repl-diskless-load", "swapdb"}, psync: fakeGrant + bulk(withSum)},
		{name: "no copy, swapped", args: []string{"--repl-diskless-load", "swapdb"}, psync: fakeGrant + bulk("hello, here is no RDB file")},
		{name: "a short mark", psync: fakeGrant + "$EOF:short\r\n" + good},
		{name: "no mark", psync: fakeGrant + "$EOF:" + fakeMark + "\r\n" + good},
		{name: "no mark, swapped", args: []string{"--repl-diskless-load", "swapdb"}, psync: fakeGrant + "$EOF:" + fakeMark + "\r\n" + good +
			strings.ReplaceAll(fakeMark, "m", "n")},
		{name: "half a mark, swapped", args: []string{"--repl-diskless-load", "swapdb"}, psync: fakeGrant + "$EOF:" + fakeMark + "\r\n" + good +
			fakeMark[:20]},
		{name: "marked", psync: fakeGrant + "$EOF:" + fakeMark + "\r\n" + good + fakeMark, ack: 100},
		{name: "marked, direct", args: []string{"--repl-diskless-load", "on-empty-db"},
			psync: fakeGrant + "$EOF:" + fakeMark + "\r\n" + good + fakeMark, ack: 100},
		{name: "a good stream", psync: online, after: "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n", ack: 127},
		{name: "an empty stream", psync: online, ack: 100},
		{name: "newlines in the stream", psync: online, after: "\n\r\n\n*1\r\n$4\r\nPING\r\n", ack: 118},
		{name: "a silent stream", args: quick, psync: online, stays: true},
		{name: "an unknown command", psync: online,
			after: "*2\r\n$6\r\nNOSUCH\r\n$1\r\nx\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n", ack: 150},
		{name: "wrong arity", psync: online, after: "*2\r\n$3\r\nSET\r\n$1\r\nx\r\n", ack: 120},
		{name: "a wrong type", psync: online, after: "*3\r\n$5\r\nLPUSH\r\n$1\r\nk\r\n$1\r\nx\r\n", ack: 129},
		{name: "an error after a write", psync: online, after: "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$2\r\n\x00b\r\n*2\r\n$4\r\nincr\r\n$1\r\na\r\n",
			ack: 149},
		{name: "errors in a transaction", psync: online,
			after: "*1\r\n$5\r\nMULTI\r\n*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n*1\r\n$4\r\nEXEC\r\n", ack: 150},
		{name: "a violation after a command", psync: online, after: "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n*2\r\n$x\r\n"},
		{name: "a transaction in two parts", psync: online, after: "*1\r\n$5\r\nMULTI\r\n*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n*2\r\n$4",
			then: "\r\nINCR\r\n$1\r\nn\r\n*1\r\n$4\r\nEXEC\r\n*1\r\n$4\r\nPING\r\n", ack: 185},
		{name: "EXEC alone", psync: online, after: "*1\r\n$4\r\nEXEC\r\n", ack: 114},
		{name: "an open MULTI", psync: online, after: "*1\r\n$5\r\nMULTI\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n", ack: 100},
		{name: "a transaction with an error", psync: online,
			after: "*1\r\n$5\r\nMULTI\r\n*2\r\n$3\r\nSET\r\n$1\r\na\r\n*1\r\n$4\r\nEXEC\r\n", ack: 149},
		{name: "a script", psync: online, after: "*3\r\n$4\r\nEVAL\r\n$30\r\nreturn redis.call('set','z',1)\r\n$1\r\n0\r\n", ack: 158},
		{name: "a blocking command", ends: true, psync: online, after: "*3\r\n$5\r\nBLPOP\r\n$1\r\nq\r\n$1\r\n0\r\n", ack: 129},
		{name: "SUBSCRIBE", psync: online, after: "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nc\r\n", ack: 126},
		{name: "MONITOR", psync: online, after: "*1\r\n$7\r\nMONITOR\r\n", ack: 117},
		{name: "QUIT", psync: online, after: "*1\r\n$4\r\nQUIT\r\n"},
		{name: "PSYNC from the master", ends: true, psync: online, after: "*3\r\n$5\r\nPSYNC\r\n$1\r\n?\r\n$2\r\n-1\r\n", ack: 130},
		{name: "SELECT out of range", psync: online, after: "*2\r\n$6\r\nSELECT\r\n$2\r\n99\r\n", ack: 124},
		{name: "REPLICAOF NO ONE", ends: true, psync: online, after: "*3\r\n$9\r\nREPLICAOF\r\n$2\r\nNO\r\n$3\r\nONE\r\n", stays: true, ack: -2},
		{name: "GETACK", psync: online, after: "*3\r\n$8\r\nREPLCONF\r\n$6\r\nGETACK\r\n$1\r\n*\r\n", ack: 137},
		{name: "inline", psync: online, after: "PING\r\n"},
		{name: "too many arguments", psync: online, after: "*99999999999\r\n"},
		{name: "a negative number of arguments", psync: online, after: "*-5\r\n*1\r\n$4\r\nPING\r\n", ack: 119},
		{name: "a negative length", psync: online, after: "*1\r\n$-1\r\n"},
		{name: "a length that is no number", psync: online, after: "*1\r\n$abc\r\n"},
		{name: "no length", psync: online, after: "*1\r\n:1\r\n"},
		{name: "a huge length", psync: online, after: "*1\r\n$99999999999\r\n"},
		{name: "a line without end", psync: online, after: "*" + strings.Repeat("1", 100_000)},
		{name: "an inline line without end", psync: online, after: strings.Repeat("x", 100_000)},
		{name: "a cut command", psync: online, after: "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1"},
	}
}

// run makes a program the replica of a master that plays. It returns the dialogue, the log and the
// state of the replica when it has connected again.
func (m *masterPlay) run(t *testing.T, program string) string {
	l, replicaof := listenAsMaster(t)
	s := startProgram(t, program, append(append([]string{"--replica-announce-port", "7777", "--repl-diskless-sync-delay", "0"}, replicaof...),
		m.args...)...)
	p := acceptPeer(t, l)
	args := p.greet(m.refused)
	if len(args) > 0 && args[0] == "PSYNC" {
		p.say(m.psync)
		if m.sync != "" {
			p.command()
		}
		if m.sync != cut {
			p.say(m.sync)
		}
	}
	dialogue := p.sent.String()
	acknowledged := ""
	if m.after != "" {
		p.awaitAck(100)
		p.say(m.after)
	}
	switch {
	case m.ack == -2: // the replica is to be a master
		patience.Until(t, func() bool { return strings.Contains(fieldsOf(s, "role"), "master") })
		return linesOf(s) + dialogue + replicaState(s)
	case m.ack == -1: // the replica does not acknowledge
		patience.Until(t, func() bool { return strings.Contains(fieldsOf(s, "master_link_status"), "up") })
	case m.then != "":
		p.awaitAck(100) // everything before was run
		p.say(m.then)
		acknowledged = fmt.Sprint("acknowledged: ", p.awaitAck(m.ack), "\n")
	case m.ack != 0:
		acknowledged = fmt.Sprint("acknowledged: ", p.awaitAck(m.ack), "\n")
	}
	before := ""
	if m.ack != 0 {
		before = replicaState(s)
	}
	if m.stays {
		p.awaitEnd()
	} else if m.after == "" || m.ack != 0 {
		_ = p.Close()
	} else {
		_ = p.Conn.(interface{ CloseWrite() error }).CloseWrite()
		p.awaitEnd()
	}
	again := acceptPeer(t, l)
	next := strings.Join(again.greet(nil), " ")
	state := replicaState(s)
	_ = again.Close()
	log := linesOf(s)
	const begins = "MASTER <-> REPLICA sync started\n"
	if parts := strings.SplitAfter(log, begins); len(parts) > 2 {
		log = parts[0] + parts[1]
	}
	return fmt.Sprintf("%s%q\n%sbefore the end:\n%safter:\n%s%s\n", log, dialogue, acknowledged, before, state, next)
}

// replicaState returns what a program says of its replication, and its keys.
func replicaState(s *redistest.Server) string {
	return fieldsOf(s, "role", "master_link_status", "master_sync_in_progress", "slave_read_repl_offset", "slave_repl_offset",
		"master_repl_offset", "second_repl_offset", "repl_backlog_active", "repl_backlog_first_byte_offset", "repl_backlog_histlen") +
		sortedKeys(s)
}

// TestHostileMasters makes redis-server and this program replicas of masters that send what no
// master sends. What both send, log and hold must be equal.
func TestHostileMasters(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, m := range masterPlays(t) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			if got := m.run(t, ours); !m.ends {
				require.Equal(t, m.run(t, theirs), got)
			}
		})
	}
}

func sortedKeys(s *redistest.Server) string {
	v, err := s.Do("KEYS", "*")
	if err != nil {
		return err.Error() + "\n"
	}
	return fmt.Sprintf("%q\n", slices.Sorted(slices.Values(v.Strings())))
}
