package difftest

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// infoText asks for INFO's sections.
func infoText(t *testing.T, c Conn, sections ...string) string {
	t.Helper()
	return ask(t, c, append([]string{"INFO"}, sections...)...).text
}

// infoNames are the headings and the names of the fields of a reply of INFO, one a line, in its
// order.
func infoNames(text string) string {
	lines := strings.Split(text, "\r\n")
	for i, line := range lines {
		lines[i], _, _ = strings.Cut(line, ":")
	}
	return strings.Join(lines, "\n")
}

// serve starts an engine on the real clock behind a new server, and returns its address.
func serve(t *testing.T, eo engine.Options, so resp.Options) (addr string) {
	t.Helper()
	return serveOn(t, "127.0.0.1:0", eo, so)
}

// serveOn is serve at an address.
func serveOn(t *testing.T, at string, eo engine.Options, so resp.Options) (addr string) {
	t.Helper()
	e, err := engine.New(eo)
	require.NoError(t, err)
	l, err := net.Listen("tcp", at)
	require.NoError(t, err)
	server := resp.NewServer(e, so)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-served, resp.ErrServerClosed)
		require.NoError(t, e.Check(context.Background()))
		require.NoError(t, e.Close())
	})
	return l.Addr().String()
}

// dialTo opens a session that ends with the test.
func dialTo(t *testing.T, addr string) *NetConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	conn := NewNetConn(c)
	t.Cleanup(conn.Close)
	return conn
}

// oracleWith starts an oracle of the test's own, with more arguments.
func oracleWith(t *testing.T, args ...string) *Oracle {
	t.Helper()
	needsOracle(t)
	bin, err := exec.LookPath("redis-server")
	require.NoError(t, err)
	o, err := startOracle(bin, args...)
	require.NoError(t, err)
	t.Cleanup(o.Stop)
	return o
}

// servedPair opens a session on a fresh oracle and one on a fresh Redmoon server.
func servedPair(t *testing.T) (theirs, ours Conn) {
	t.Helper()
	return dialTo(t, oracleWith(t).Addr), dialTo(t, serve(t, engine.Options{}, resp.Options{}))
}

// TestInfoNames compares which sections and fields INFO has, and in which order.
func TestInfoNames(t *testing.T) {
	theirs, ours := servedPair(t)
	for _, sections := range []string{"", "default", "all", "everything", "server", "clients", "memory", "persistence", "stats", "replication",
		"cpu", "modules", "module_list", "commandstats", "errorstats", "latencystats", "cluster", "keyspace", "sentinel", "nosuch",
		"SERVER Clients", "keyspace server", "all server", "default commandstats latencystats", "nosuch default", "server server",
		"modules all", "everything default"} {
		words := strings.Fields(sections)
		want := infoNames(infoText(t, theirs, words...))
		got := infoNames(infoText(t, ours, words...))
		if !strings.Contains(sections, "stats") && !strings.Contains(sections, "all") && !strings.Contains(sections, "every") {
			require.Equal(t, want, got, "INFO %s", sections)
			continue
		}
		require.Equal(t, infoHeadings(want), infoHeadings(got), "INFO %s", sections)
		ask(t, theirs, "CONFIG", "RESETSTAT")
		ask(t, ours, "CONFIG", "RESETSTAT")
	}
}

// infoHeadings leaves out the lines of single commands, whose order differs in each process of
// Redis.
func infoHeadings(names string) string {
	var lines []string
	for _, line := range strings.Split(names, "\n") {
		if !strings.HasPrefix(line, "cmdstat_") && !strings.HasPrefix(line, "latency_percentiles_") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// infoCounts are the fields of INFO that are equal on two servers that got the same requests.
var (
	infoCounts = strings.Fields(`total_connections_received total_commands_processed rejected_connections expired_keys keyspace_hits
		keyspace_misses pubsub_channels pubsub_patterns pubsubshard_channels total_error_replies unexpected_error_replies blocked_clients
		maxclients cluster_enabled role loading evicted_keys maxmemory number_of_cached_scripts number_of_functions number_of_libraries
		hz configured_hz redis_version redis_mode arch_bits tracking_clients clients_in_timeout_table rdb_changes_since_last_save`)
	infoTraffic = strings.Fields(`total_net_input_bytes total_net_output_bytes total_reads_processed total_writes_processed
		total_commands_processed total_connections_received`)
	infoTimes = regexp.MustCompile(`,usec=\d+,usec_per_call=[0-9.]+|,avg_ttl=\d+`)
)

// counted returns, as a set, the lines of INFO everything that must be equal on two servers that
// got the same requests.
func counted(text string) map[string]bool {
	set := map[string]bool{}
	for _, line := range strings.Split(text, "\r\n") {
		name, _, _ := strings.Cut(line, ":")
		switch {
		case strings.HasPrefix(line, "cmdstat_"), strings.HasPrefix(line, "errorstat_"), strings.HasPrefix(line, "db"):
			set[infoTimes.ReplaceAllString(line, "")] = true
		case strings.HasPrefix(line, "latency_percentiles_"):
			set[name] = true
		}
		if slices.Contains(infoCounts, name) {
			set[line] = true
		}
	}
	return set
}

// infoSession is a session that INFO counts: commands that succeed, fail and are refused, alone, in
// transactions and in scripts.
const infoSession = `
PING
SET k v
GET k
GET nosuch
LPUSH k x
NOSUCH
GET
GET a b
CONFIG
CONFIG NOSUCH
CONFIG GET
CONFIG GET hz
CLIENT ID
CLIENT SETNAME "a b"
MULTI
SET a 1
NOSUCH
EXEC
MULTI
SET a 1
LPUSH a 1
GET a
EXEC
MULTI
WATCH a
DISCARD
EXEC
EVAL "return redis.call('get', 'k')" 0
EVAL "return redis.call('lpush', 'k', 'x')" 0
EVAL "return redis.pcall('lpush', 'k', 'x')" 0
EVAL "redis.pcall('lpush', 'k', 'x') return 1" 0
EVAL "return redis.pcall('nosuch')" 0
EVAL "return redis.pcall('get')" 0
EVAL "return redis.call('multi')" 0
EVAL "return redis.pcall('blpop', 'nosuch', 0)" 0
EVAL "return {err='MINE is mine'}" 0
EVAL "return {err='Mine'}" 0
EVAL "return {err='ACODEOFTHIRTYCHARACTERSINALL30 x'}" 0
EVAL "return {err='ACODEOFTHIRTYONECHARACTERSINALL x'}" 0
EVAL "return redis.error_reply('A B')" 0
EVAL "error('x')" 0
EVAL "syntax" 0
EVAL "return 1" x
EVALSHA x 0
EVALSHA aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 0
EVAL_RO "return redis.call('set', 'k', 'v')" 0
EVAL_RO "return redis.pcall('set', 'k', 'v')" 0
SCRIPT LOAD "return 1"
FUNCTION LOAD "#!lua name=lib\nredis.register_function('f', function(k, a) return redis.call('incr', 'k') end)"
FCALL f 0
FCALL nosuch 0
FCALL_RO f 0
SELECT 99
SELECT 3
SET other v EX 100
SELECT 0
EXPIRE k 0
DEL nosuch
XADD s * a
XREAD STREAMS s $
BLPOP nosuch 0.001
ACL SETUSER bob on nopass +get
AUTH bob x
SET a b
MULTI
SET a b
EXEC
EVAL "return 1" 0
AUTH default x
ACL SETUSER limited on nopass ~* +eval +get +exec +multi +auth
AUTH limited x
EVAL "return redis.pcall('set', 'a', 'b')" 0
EVAL "return redis.call('set', 'a', 'b')" 0
AUTH default x
AUTH nosuch x
HELLO 4
HELLO 3
SUBSCRIBE a
PSUBSCRIBE b
PUBLISH a x
UNSUBSCRIBE
PUNSUBSCRIBE
HELLO 2
OBJECT HELP
OBJECT ENCODING k
OBJECT ENCODING a
DEBUG OBJECT nosuch
RESET
COMMAND COUNT
FUNCTION DELETE lib
FUNCTION DELETE lib
`

// TestInfoCounts plays one session on both sides and compares the counts of INFO.
func TestInfoCounts(t *testing.T) {
	theirs, ours := servedPair(t)
	lines := strings.Split(strings.TrimSpace(infoSession), "\n")
	for _, c := range []Conn{theirs, ours} {
		ask(t, c, "CONFIG", "RESETSTAT")
	}
	for i, line := range lines {
		words := wordsOf(t, line)
		for _, c := range []Conn{theirs, ours} {
			if _, err := c.Do(words); err != nil {
				t.Fatalf("%d: %s: %v", i, line, err)
			}
		}
		if line == "PUBLISH a x" {
			for _, c := range []Conn{theirs, ours} {
				_, err := c.(rawConn).Read()
				require.NoError(t, err)
			}
		}
		require.Equal(t, counted(infoText(t, theirs, "everything")), counted(infoText(t, ours, "everything")), fmt.Sprintf("after %s", line))
	}
}

// wordsOf cuts a line into words as in a case file.
func wordsOf(t *testing.T, line string) []string {
	t.Helper()
	words, err := texts(line)
	require.NoError(t, err)
	return words
}

// TestInfoTraffic compares the counts of bytes, reads and writes.
func TestInfoTraffic(t *testing.T) {
	theirs, ours := servedPair(t)
	long := strings.Repeat("x", 5000)
	var reported []string
	for _, c := range []Conn{theirs, ours} {
		ask(t, c, "CONFIG", "RESETSTAT")
		for _, words := range [][]string{{"PING"}, {"SET", "k", long}, {"GET", "k"}, {"NOSUCH"}, {"MULTI"}, {"GET", "k"}, {"EXEC"},
			{"EVAL", "return redis.call('get', 'k')", "0"}, {"BLPOP", "none", "0.001"}} {
			ask(t, c, words...)
		}
		require.NoError(t, c.(rawConn).Send("PING\r\nPING\r\n*1\r\n$4\r\nPING\r\n"))
		for range 3 {
			_, err := c.(rawConn).Read()
			require.NoError(t, err)
		}
		var lines []string
		for _, line := range strings.Split(infoText(t, c, "stats"), "\r\n") {
			if name, _, _ := strings.Cut(line, ":"); slices.Contains(infoTraffic, name) {
				lines = append(lines, line)
			}
		}
		reported = append(reported, strings.Join(lines, "\n"))
	}
	require.Equal(t, reported[0], reported[1])
}

// TestInfoCountsOfWaiters compares the counts and SLOWLOG entries of blocked commands: served,
// timed out, unblocked.
func TestInfoCountsOfWaiters(t *testing.T) {
	var reported [][]string
	for _, addr := range []string{oracleWith(t).Addr, serve(t, engine.Options{}, resp.Options{})} {
		waiter, other := dialTo(t, addr), dialTo(t, addr)
		ask(t, other, "CONFIG", "SET", "slowlog-log-slower-than", "0", "slowlog-max-len", "100000")
		ask(t, other, "SLOWLOG", "RESET")
		ask(t, other, "CONFIG", "RESETSTAT")
		id := ask(t, waiter, "CLIENT", "ID").text
		unblock := []string{"CLIENT", "UNBLOCK", id}
		for _, ends := range [][][]string{{{"RPUSH", "k", "v"}}, {{"SET", "k", "v"}, unblock}, {unblock}, {{"CLIENT", "UNBLOCK", id, "ERROR"}},
			{{"EVAL", "return redis.call('rpush', 'k', 'v')", "0"}}, {{"PING"}, unblock}} {
			ask(t, other, "DEL", "k")
			require.NoError(t, waiter.Send(string(resp.AppendCommand(nil, "BLPOP", "k", "0"))))
			until(t, "it waits", func() bool { return strings.Contains(infoText(t, other, "clients"), "blocked_clients:1\r\n") })
			for _, end := range ends {
				ask(t, other, end...)
			}
			_, err := waiter.Read()
			require.NoError(t, err)
		}
		ask(t, other, "DEL", "k")
		ask(t, waiter, "BLPOP", "k", "0.01") // until its time-out
		var lines []string
		for _, e := range ask(t, other, "SLOWLOG", "GET", "-1").kids {
			var words []string
			for _, w := range e.kids[3].kids {
				words = append(words, w.text)
			}
			if line := strings.Join(words, " "); !strings.HasPrefix(line, "INFO") {
				lines = append(lines, line)
			}
		}
		counts := counted(infoText(t, other, "commandstats", "errorstats", "latencystats"))
		for _, line := range slices.Sorted(maps.Keys(counts)) {
			if !strings.Contains(line, "_info") {
				lines = append(lines, line)
			}
		}
		reported = append(reported, lines)
	}
	for i := range reported { // the blocked client has another id
		for j, line := range reported[i] {
			if strings.HasPrefix(line, "CLIENT ") {
				reported[i][j] = "CLIENT"
			}
		}
	}
	require.Equal(t, reported[0], reported[1])
}
