package difftest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
)

// TestRandomLDB debugs random programs with random commands of the debugger, and compares the raw
// replies. REDMOON_SEED=n chooses others, REDMOON_PROGRAMS=n how many.
func TestRandomLDB(t *testing.T) {
	needsOracle(t)
	seed, count := luagen.Settings(60, 120)
	server, err := newRedmoonServer("", time.UnixMilli(1700000000000))
	require.NoError(t, err)
	defer func() { require.NoError(t, server.stop()) }()
	rng := rand.New(rand.NewPCG(seed, 21))
	replies, differing := 0, 0
	for i := range count {
		src := luagen.BreakLines(rng, withCalls(rng)+luagen.Program(rng, 1+rng.IntN(4)))
		s := randomSession(rng, src)
		answers := func(src string) (theirs, ours []string, err error) {
			if theirs, err = playLDB(theRunner.Oracle, src, s); err == nil {
				ours, err = playLDB(server, src, s)
			}
			return theirs, ours, err
		}
		differ := func(src string) bool {
			if strings.Contains(src, "xpcall") { // see ldb-handlers in docs/differences.md
				return false
			}
			theirs, ours, err := answers(src) // a reduced program may run without end
			replies += len(theirs)
			a, b := fmt.Sprint(theirs), fmt.Sprint(ours)
			return err == nil && a != b && !strings.Contains(a+b, "timeout reached") // its position depends on the machine
		}
		if !differ(src) {
			continue
		}
		tries := 200 // a reduced program may run for long
		src = luagen.Shrink(src, func(src string) bool { tries--; return tries > 0 && differ(src) })
		theirs, ours, err := answers(src)
		require.NoError(t, err)
		for n := range max(len(theirs), len(ours)) {
			if n >= len(theirs) || n >= len(ours) || theirs[n] != ours[n] {
				t.Errorf("program %d of seed %d\n%s\n%v\nreply %d\noracle %q\nours   %q", i, seed, src, s.steps[:min(n+1, len(s.steps))], n,
					theirs[min(n, len(theirs)-1)], ours[min(n, len(ours)-1)])
				break
			}
		}
		if differing++; differing == 10 {
			t.Fatal("too many differences")
		}
	}
	t.Logf("seed %d: %d programs, %d replies compared", seed, count, replies)
}

// withCalls makes up to eight statements that show in the log.
func withCalls(rng *rand.Rand) string {
	calls := []string{
		"redis.call('set', KEYS[1], 'v')", "redis.pcall('lpush', KEYS[1], 1)", "redis.call('rpush', 'l', 'a', 'b')",
		"redis.call('lrange', 'l', 0, -1)",
		"redis.call('hset', 'h', 'f', 1.5)", "redis.call('hgetall', 'h')", "redis.call('zadd', 'z', 1.5, 'm')", "redis.call('zscore', 'z', 'm')",
		"redis.call('sadd', 's', 'm')", "redis.call('smembers', 's')", "redis.call('get', 'none')", "redis.call('mget', 'none', KEYS[1])",
		"redis.setresp(3)", "redis.setresp(2)", "redis.breakpoint()", "redis.debug({1, {2, a = 'x'}}, nil, true)", "redis.debug()",
		"redis.error_reply('x')", "redis.pcall('nosuch', 1)", "redis.pcall('get')", "redis.pcall()", "pcall(redis.call, 'incr', KEYS[1])",
		"redis.sha1hex('')",
		"pcall(function() redis.call('get', 'l') end)", "coroutine.wrap(function() coroutine.yield(redis.call('incr', 'n')) end)()",
		"redis.call('xadd', 'x', '1-1', 'a\\r\\n', '\\0')", "redis.call('echo', string.rep('x', 300))", "redis.log(redis.LOG_DEBUG, 'x')",
	}
	var b strings.Builder
	for range rng.IntN(9) {
		b.WriteString(calls[rng.IntN(len(calls))] + ";\n")
	}
	return b.String()
}

var luaName = regexp.MustCompile(`\b[a-zA-Z_]\w*\b`)

// randomSession makes a session of up to 60 commands.
func randomSession(rng *rand.Rand, src string) ldbSession {
	lines := strings.Count(src, "\n") + 1
	names := luaName.FindAllString(src, -1)
	line := func() string { return strconv.Itoa(1 + rng.IntN(lines)) }
	some := func(of ...string) string { return of[rng.IntN(len(of))] }
	how := some("SYNC", "SYNC", "SYNC", "YES")
	s := ldbSession{steps: []ldbStep{{"do", []string{"FLUSHALL"}}, {"do", []string{"SCRIPT", "FLUSH"}},
		{"do", []string{"CONFIG", "SET", "busy-reply-threshold", "500"}}, {"send", []string{"SCRIPT", "DEBUG", how}},
		{"eval", []string{"k1", "k2", ",", "a1"}}}}
	for range 5 + rng.IntN(55) {
		var words []string
		switch rng.IntN(20) {
		case 0:
			words = []string{"print", some(names...)}
		case 1, 2:
			words = []string{some("p", "print")}
		case 3, 4:
			words = []string{some("t", "trace")}
		case 5:
			words = []string{"list", line(), strconv.Itoa(rng.IntN(4))}
		case 6:
			words = []string{some("l", "list")}
		case 7:
			words = []string{"break", line(), some("-", "") + line()}
		case 8:
			words = []string{"b", some("", "-", "") + line()}
		case 9:
			words = []string{some("c", "continue", "n", "s")}
		case 10:
			words = []string{"eval", some("1 + 1", "KEYS", "ARGV[1]", "redis.call('incr', 'n')", "redis.breakpoint()", "{1, {2}, a = 3}", "nosuch",
				"error('x')", "redis.debug(KEYS)", some(names...))}
		case 11:
			words = []string{"redis", some("get", "incr", "lpush", "nosuch", "keys"), some("k1", "k2", "n")}
		case 12:
			words = []string{"maxlen", some("0", "60", "100", "x")}
		case 13:
			words = []string{some("break", "b")}
		default:
			words = []string{some("s", "step", "next", "n")}
		}
		s.steps = append(s.steps, ldbStep{">", words})
	}
	if rng.IntN(8) == 0 {
		s.steps = append(s.steps, ldbStep{">", []string{"abort"}})
	}
	s.steps = append(s.steps, ldbStep{">", []string{"b", "0"}})
	for range 10 { // redis.breakpoint() may have been evaluated
		s.steps = append(s.steps, ldbStep{">", []string{"c"}})
	}
	s.steps = append(s.steps, ldbStep{"close", nil}, ldbStep{"await", []string{"DBSIZE"}})
	return s
}
