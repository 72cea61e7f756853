package difftest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// pair is a session of the oracle and one of Redmoon, to which the same is said.
type pair struct {
	theirs, ours Conn
}

func newPair(t *testing.T) *pair {
	needsOracle(t)
	return newPairOf(t, servers.Redis70, theRunner.Oracle)
}

// newPairOf is newPair for a server of another version, and an engine that follows it.
func newPairOf(t *testing.T, s servers.Server, o *Oracle) *pair {
	require.NoError(t, o.Reset())
	theirs, err := o.Open()
	require.NoError(t, err)
	rm, err := newRedmoonOf(s.String(), Present())
	require.NoError(t, err)
	ours, err := rm.Open()
	require.NoError(t, err)
	t.Cleanup(func() {
		theirs.Close()
		ours.Close()
		require.NoError(t, rm.Stop())
		require.NoError(t, o.Reset())
	})
	p := &pair{theirs, ours}
	p.same(t, "FUNCTION", "FLUSH")
	p.same(t, "SCRIPT", "FLUSH")
	return p
}

// do returns both raw replies.
func (p *pair) do(t *testing.T, args ...string) (theirs, ours string) {
	want, err := p.theirs.Do(args)
	require.NoError(t, err, "%q", args)
	got, err := p.ours.Do(args)
	require.NoError(t, err, "%q", args)
	return string(want), string(got)
}

// same insists that both answer the same, and returns it.
func (p *pair) same(t *testing.T, args ...string) string {
	want, got := p.do(t, args...)
	require.Equal(t, want, got, "%q", args)
	return want
}

// changing are commands whose replies depend on the process, or that have an accepted difference.
var changing = strings.Fields(`shutdown debug pfselftest monitor sync psync replconf migrate save bgsave bgrewriteaof failover
	replicaof slaveof lastsave
	memory|doctor memory|malloc-stats memory|stats memory|usage latency|doctor latency|latest latency|histogram latency|reset command command|docs command|info command|list
	info lolwut client|list client|info client|kill client|id client|pause client|unpause client|tracking time cluster|nodes cluster|myid cluster|slots
	cluster|shards acl|genpass acl|list acl|log acl|users function|stats function|list function|dump module|load module|loadex config|get config|rewrite
	config|resetstat script|debug script|kill function|kill slowlog|get slowlog|len`)

const doorLibrary = `#!lua name=door
local function call(keys, args) return redis.call(unpack(args)) end
local function caught(keys, args)
  local r = redis.pcall(unpack(args))
  if type(r) == 'table' and r.err then return {r.err, r.source, r.line, r.ignore_error_stats_update} end
  return r
end
redis.register_function('call', call)
redis.register_function('caught', caught)
redis.register_function{function_name = 'reads', callback = call, flags = {'no-writes'}}`

// TestEveryCommandFromScripts lets scripts and functions of every kind call every command, with too
// few words, as few as it takes, and one more: most are refused, for one of many reasons, or fail;
// the rest answers.
func TestEveryCommandFromScripts(t *testing.T) {
	p := newPair(t)
	p.same(t, "FUNCTION", "LOAD", doorLibrary)
	callers := [][]string{
		{"EVAL", "return redis.call(unpack(ARGV))", "0"},
		{"EVAL",
			"local r = redis.pcall(unpack(ARGV)) if type(r) == 'table' and r.err then return {r.err, r.source, r.line, " +
				"r.ignore_error_stats_update} end return r", "0"},
		{"EVAL", "redis.setresp(3) return redis.call(unpack(ARGV))", "0"},
		{"EVAL", "#!lua flags=no-writes\nreturn redis.call(unpack(ARGV))", "0"},
		{"EVAL", "#!lua flags=allow-oom,no-cluster\nreturn redis.call(unpack(ARGV))", "0"},
		{"EVAL_RO", "return redis.call(unpack(ARGV))", "0"},
		{"EVAL_RO", "#!lua\nreturn redis.call(unpack(ARGV))", "0"},
		{"FCALL", "call", "0"}, {"FCALL", "caught", "0"}, {"FCALL", "reads", "0"}, {"FCALL_RO", "reads", "0"}, {"FCALL_RO", "call", "0"},
	}
	played := 0
	infos := ask(t, p.ours, "COMMAND").kids
	for i := 0; i < len(infos); i++ {
		info := infos[i].kids
		infos = append(infos, info[9].kids...) // the subcommands
		if slices.Contains(changing, info[0].text) {
			continue
		}
		name := strings.Split(info[0].text, "|")
		arity, err := strconv.Atoi(info[1].text)
		require.NoError(t, err)
		few := max(arity, -arity) - len(name)
		for _, words := range []int{0, few, few + 1} {
			for _, word := range []string{"x", "1"}[:min(2, max(1, words*2))] {
				args := slices.Concat(name, slices.Repeat([]string{word}, max(words, 0)))
				p.do(t, "FLUSHALL")
				for _, caller := range callers {
					p.same(t, slices.Concat(caller, args)...)
					played++
				}
			}
		}
	}
	require.Greater(t, played, 10000)
}

// TestFailedCallsOfScripts compares how often the statistics say that a script has failed.
func TestFailedCallsOfScripts(t *testing.T) {
	p := newPair(t)
	p.same(t, "SET", "k", "v")
	failed := func(c Conn) int {
		for line := range strings.SplitSeq(ask(t, c, "INFO", "commandstats").text, "\r\n") {
			if rest, ok := strings.CutPrefix(line, "cmdstat_eval:"); ok {
				n, err := strconv.Atoi(rest[strings.LastIndexByte(rest, '=')+1:])
				require.NoError(t, err)
				return n
			}
		}
		return -1
	}
	counts := map[int]bool{}
	for _, script := range []string{
		"return 1", "x y", "error('x')", "error({err = 'A b'})", "error({err = 'A b', ignore_error_stats_update = true})",
		"return redis.call('lpush', 'k', 'x')", "return redis.pcall('lpush', 'k', 'x')", "redis.pcall('lpush', 'k', 'x') return 1",
		"return {redis.pcall('lpush', 'k', 'x')}", "return {redis.pcall('nosuch'), redis.pcall('lpush', 'k', 'x'), {err = 'A b'}}",
		"return {{err = 'A b'}, {err = 'A b'}, {{err = 'A b'}}}",
		"return {{err = 'A b', ignore_error_stats_update = true}, {err = 'A b'}, {err = 'A b'}}",
		"return {map = {a = {err = 'A b'}, b = redis.pcall('nosuch')}}", "return redis.call('nosuch')", "return redis.call('get')",
		"return redis.pcall()",
	} {
		p.same(t, "CONFIG", "RESETSTAT")
		p.same(t, "EVAL", script, "0")
		want := failed(p.theirs)
		require.Equal(t, want, failed(p.ours), script)
		counts[want] = true
	}
	require.Equal(t, fmt.Sprint(map[int]bool{0: true, 1: true, 2: true, 3: true}), fmt.Sprint(counts))
}
