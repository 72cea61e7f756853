package difftest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The rows' sentences are our own; these fields hold sentences.
var ownWords = map[string]bool{"summary": true, "complexity": true, "history": true, "replaced_by": true, "notes": true, "subcommands": true}

// plain writes a reply as indented text, the fields of ownWords left out.
func plain(b *strings.Builder, n node, depth int) {
	fmt.Fprintf(b, "%*s%c %s\n", depth, "", n.mark, n.text)
	for i := 0; i < len(n.kids); i++ {
		if n.mark == '%' && i%2 == 0 && ownWords[n.kids[i].text] {
			i++
			continue
		}
		plain(b, n.kids[i], depth+1)
	}
}

func ask(t *testing.T, c Conn, args ...string) node {
	t.Helper()
	raw, err := c.Do(args)
	require.NoError(t, err)
	n, _, err := parseFrame(raw)
	require.NoError(t, err)
	return n
}

// TestCommandTable compares what COMMAND INFO and DOCS derive from the rows with the oracle, command by
// command.
func TestCommandTable(t *testing.T) {
	needsOracle(t)
	rm, err := NewRedmoon(time.Now())
	require.NoError(t, err)
	defer rm.Stop()
	names := commandNames(t, rm)
	require.NotEmpty(t, names)
	compareRows(t, rm, theRunner.Oracle, names)
}

// TestCommandTableOfLaterRedis does the same for what an engine that follows later Redis has more.
func TestCommandTableOfLaterRedis(t *testing.T) {
	if theRunner.Later == nil {
		t.Skip(LaterBinary + " names no redis-server " + LaterVersion)
	}
	old, err := NewRedmoon(time.Now())
	require.NoError(t, err)
	defer old.Stop()
	rm, err := newRedmoonOf("8.0", time.Now())
	require.NoError(t, err)
	defer rm.Stop()
	before := commandNames(t, old)
	names := slices.DeleteFunc(commandNames(t, rm), func(name string) bool { return slices.Contains(before, name) })
	require.NotEmpty(t, names)
	compareRows(t, rm, theRunner.Later, append(names, changedLater...))
}

// changedLater are the older commands that take more in later Redis.
var changedLater = []string{"hscan", "zrank", "zrevrank"}

func commandNames(t *testing.T, rm *Redmoon) (names []string) {
	c, err := rm.Open()
	require.NoError(t, err)
	defer c.Close()
	for _, n := range ask(t, c, "COMMAND", "LIST", "FILTERBY", "PATTERN", "*").kids {
		names = append(names, n.text)
	}
	return names
}

// compareRows compares what is told of commands on both sides.
func compareRows(t *testing.T, rm *Redmoon, o *Oracle, names []string) {
	theirs, err := o.Open()
	require.NoError(t, err)
	defer theirs.Close()
	ours, err := rm.Open()
	require.NoError(t, err)
	defer ours.Close()
	ask(t, ours, "HELLO", "3")
	ask(t, theirs, "HELLO", "3")
	for _, name := range names {
		for _, what := range []string{"INFO", "DOCS"} {
			t.Run(what+" "+name, func(t *testing.T) {
				var got, want strings.Builder
				for c, b := range map[Conn]*strings.Builder{ours: &got, theirs: &want} {
					n := ask(t, c, "COMMAND", what, name)
					if what == "INFO" && len(n.kids) == 1 && len(n.kids[0].kids) == 10 {
						n.kids[0].kids[9].kids = nil // subcommands are compared under their own names
					}
					plain(b, n, 0)
				}
				require.Equal(t, want.String(), got.String())
			})
		}
	}
}

// infoLeftOut are fields of INFO that Redmoon has nothing to tell for.
var infoLeftOut = map[string]string{
	"gcc_version":                    "the compiler is Go's",
	"client_recent_max_input_buffer": "buffers belong to the transport", "client_recent_max_output_buffer": "buffers belong to the transport",
	"mem_clients_normal":   "buffers belong to the transport",
	"reply_buffer_shrinks": "buffers belong to the transport", "reply_buffer_expands": "buffers belong to the transport",
	"total_reads_processed": "the transport does not count them", "total_writes_processed": "the transport does not count them",
	"used_memory_overhead": "Go's heap is one", "used_memory_startup": "Go's heap is one",
	"used_memory_dataset": "Go's heap is one", "used_memory_dataset_perc": "Go's heap is one",
	"total_system_memory": "not portable", "total_system_memory_human": "not portable",
	"used_memory_lua": "the VM lives in Go's heap", "used_memory_lua_human": "the VM lives in Go's heap",
	"used_memory_vm_eval": "the VM lives in Go's heap", "used_memory_vm_functions": "the VM lives in Go's heap",
	"used_memory_vm_total": "the VM lives in Go's heap", "used_memory_vm_total_human": "the VM lives in Go's heap",
	"used_memory_functions": "no functions yet",
	"allocator_rss_ratio":   "Go has no such layer", "allocator_rss_bytes": "Go has no such layer",
	"rss_overhead_ratio": "Go has no such layer", "rss_overhead_bytes": "Go has no such layer",
	"instantaneous_ops_per_sec": "nothing samples", "instantaneous_input_kbps": "nothing samples",
	"instantaneous_output_kbps": "nothing samples", "instantaneous_input_repl_kbps": "nothing samples",
	"instantaneous_output_repl_kbps": "nothing samples",
	"expire_cycle_cpu_milliseconds":  "not measured",
	"used_cpu_sys_main_thread":       "goroutines have no thread of their own",
	"used_cpu_user_main_thread":      "goroutines have no thread of their own",
	"# Latencystats":                 "latencies are not sampled",
}

// TestInfoFields compares the sections and field names of INFO, in order, with the oracle's.
func TestInfoFields(t *testing.T) {
	needsOracle(t)
	require.NoError(t, theRunner.Oracle.Reset())
	theirs, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer theirs.Close()
	rm, err := NewRedmoon(time.Now())
	require.NoError(t, err)
	defer rm.Stop()
	ours, err := rm.Open()
	require.NoError(t, err)
	defer ours.Close()
	fields := func(c Conn, section string) []string {
		var out []string
		for line := range strings.SplitSeq(ask(t, c, "INFO", section).text, "\r\n") {
			name, _, _ := strings.Cut(line, ":")
			if infoLeftOut[name] == "" && !strings.HasPrefix(name, "cmdstat_") && !strings.HasPrefix(name, "latency_percentiles") {
				out = append(out, name)
			}
		}
		return out
	}
	for _, section := range []string{"server", "clients", "memory", "persistence", "stats", "replication", "cpu", "modules",
		"errorstats", "cluster", "keyspace", "nosuch", "default", "all", "everything", "COMMANDSTATS"} {
		want := fields(theirs, section)
		if section == "all" || section == "everything" {
			want = withoutDoubleBlank(want)
		}
		require.Equal(t, want, fields(ours, section), section)
	}
}

// withoutDoubleBlank drops the blank lines that a left-out section leaves.
func withoutDoubleBlank(lines []string) []string {
	var out []string
	for i, l := range lines {
		if i == 0 || l != "" || lines[i-1] != "" || i == len(lines)-1 {
			out = append(out, l)
		}
	}
	return out
}

// TestCommandStats compares how calls, rejections and failures are counted with the oracle.
func TestCommandStats(t *testing.T) {
	needsOracle(t)
	require.NoError(t, theRunner.Oracle.Reset())
	theirs, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer theirs.Close()
	rm, err := NewRedmoon(time.Now())
	require.NoError(t, err)
	defer rm.Stop()
	ours, err := rm.Open()
	require.NoError(t, err)
	defer ours.Close()
	commands := [][]string{
		{"CONFIG", "RESETSTAT"},
		{"NOSUCH"}, {"GET"}, {"GET", "k"}, {"SET", "k", "v"}, {"SET", "k", "v", "x"}, {"LPUSH", "k", "x"},
		{"CLIENT"}, {"CLIENT", "nosuch"}, {"CLIENT", "GETNAME"}, {"CLIENT", "GETNAME", "x"}, {"PING", "a", "b"},
		{"EXEC"}, {"EXEC", "x"}, {"MULTI"}, {"MULTI"}, {"GET", "k"}, {"LPUSH", "k", "x"}, {"EXEC"},
		{"MULTI"}, {"GET"}, {"EXEC"}, {"MULTI"}, {"EXEC", "x"}, {"DISCARD"}, {"SELECT", "99"},
		{"EVAL", "redis.call('get', 'k') redis.pcall('lpush', 'k', 'x') redis.pcall('get') redis.pcall('multi') return redis.pcall('nosuch')", "0"},
		{"EVAL", "return redis.call('lpush', 'k', 'x')", "0"}, {"EVAL", "return 1", "0"}, {"EVAL", "syntax error", "0"},
		{"EVAL", "return 1", "x"}, {"EVALSHA", "x", "0"}, {"EVAL_RO", "return redis.pcall('set', 'k', 'v')", "0"},
	}
	counts := func(c Conn) []string {
		for _, args := range commands {
			_, err := c.Do(args)
			require.NoError(t, err)
		}
		var out []string
		for line := range strings.SplitSeq(ask(t, c, "INFO", "commandstats", "errorstats").text, "\r\n") {
			if f := strings.Split(line, ","); len(f) == 5 {
				line = f[0] + " " + f[3] + " " + f[4]
			}
			out = append(out, line)
		}
		slices.Sort(out)
		return out
	}
	require.Equal(t, counts(theirs), counts(ours))
	for _, field := range []string{"total_commands_processed", "total_error_replies", "keyspace_hits", "keyspace_misses"} {
		value := func(c Conn) string {
			_, rest, _ := strings.Cut(ask(t, c, "INFO", "stats").text, field+":")
			v, _, _ := strings.Cut(rest, "\r")
			return v
		}
		require.Equal(t, value(theirs), value(ours), field)
	}
}

// TestClientInfoFields compares the fields of CLIENT INFO, in order, with the oracle's.
func TestClientInfoFields(t *testing.T) {
	needsOracle(t)
	theirs, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer theirs.Close()
	rm, err := NewRedmoon(time.Now())
	require.NoError(t, err)
	defer rm.Stop()
	ours, err := rm.Open()
	require.NoError(t, err)
	defer ours.Close()
	fields := func(c Conn) (names []string, values map[string]string) {
		_, err := c.Do([]string{"CLIENT", "SETNAME", "me"})
		require.NoError(t, err)
		values = map[string]string{}
		for _, f := range strings.Fields(ask(t, c, "CLIENT", "INFO").text) {
			name, value, _ := strings.Cut(f, "=")
			names, values[name] = append(names, name), value
		}
		return names, values
	}
	wantNames, want := fields(theirs)
	gotNames, got := fields(ours)
	require.Equal(t, wantNames, gotNames)
	for _, name := range []string{"name", "flags", "db", "sub", "psub", "ssub", "multi", "events", "cmd", "user", "redir", "resp"} {
		require.Equal(t, want[name], got[name], name)
	}
}

// needsOracle skips a test that has no goldens where there is no oracle; in CI there must be one.
func needsOracle(t *testing.T) {
	t.Helper()
	if theRunner.Mode == Live {
		return
	}
	if inCI() {
		t.Fatal("needs redis-server " + OracleVersion)
	}
	t.Skip("needs redis-server " + OracleVersion)
}
