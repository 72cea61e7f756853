package difftest

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// TestEvals compares evaluations at a stop that see only globals with the command eval of Redis's
// debugger. REDMOON_SEED=n chooses other random programs, REDMOON_PROGRAMS=n how many.
func TestEvals(t *testing.T) {
	needsOracle(t)
	codes := []string{
		"1 + 1", "'a' .. 1", "nil", "...", "return", "return 1, 2", "1, 2", "true == 1", "-1e300 * 1e300", "KEYS[1]", "ARGV[1]", "#KEYS",
		"KEYS[2]", "a", "b", "local x = 5 return x + 1",
		"x = 1", "KEYS = 1", "redis = nil", "redis.call = 1", "string.x = 1", "nosuch", "nosuch.x", "print(1)", "a b", "1 +", "return 1 +",
		"'unfinished", "end", "x y z", ")", "for", "@", "do return 7 end",
		"error('x')", "error('x', 0)", "error('x', 1)", "error('x', 2)", "error(1)", "error(true and 'y')", "assert(false)", "assert(nil, 'm')",
		"nil .. 1", "({}).x.y", "(nil)()", "1 < 'x'", "#nil", "-{}",
		"local t = nil t.x = 1", "local function f() error('deep') end f()", "local function f() return f() + 1 end return f()",
		"pcall(error, 'x')", "select(2, pcall(error, 'x'))",
		"coroutine.wrap(function() error('in co') end)()", "coroutine.yield(1)", "coroutine.running() == nil", "select('#', ...)",
		"string.rep('x', -1)", "string.rep()", "tonumber('z', 99)",
		"redis.call('set', 'k', 'v').ok", "redis.call('get', 'k')", "redis.pcall('nosuch').err",
		"redis.call('incr', 'n') + redis.call('incr', 'n')", "redis.sha1hex('')", "redis.status_reply('x').ok",
		"for i = 1, 3 do redis.call('rpush', 'l', i) end return redis.call('llen', 'l')", "cjson.encode({1, 2})", "cjson.decode('{')",
		"loadstring('return 1 +')", "select(2, loadstring('return 1 +'))",
		"loadstring('return 7')()", "loadstring('error(\"x\")', '=mine')()", "type(redis.call)", "tostring(cjson.null)",
		"xpcall(error, function(e) return 1 end)", "unpack({}, 1, 1e7)", "next({}, 1)",
		"setmetatable({}, {__index = error}).x", "local a <const> = 1", "goto x", "1 // 2", "0x10", "1e400", "[[x]]", "a.b:c()", "--", "-- x",
		"return -- x", "1 -- x",
	}
	seed, count := luagen.Settings(75, 150)
	fixed := len(codes)
	rng := rand.New(rand.NewPCG(seed, 8))
	for range count {
		codes = append(codes, luagen.BreakLines(rng, luagen.Program(rng, 1)))
	}
	compared := 0
	for _, code := range codes {
		if strings.Contains(code, "load") && !slices.Contains(codes[:fixed], code) { // it may read without end
			continue
		}
		theirs := oracleEval(t, code)
		if theirs == "" || theirs == "<endsession>" { // an error that is a table ends Redis's debugger, and so does a long command
			continue
		}
		compared++
		ours := shownEval(t, code)
		require.Equal(t, anyAddress.ReplaceAllString(theirs, ""), anyAddress.ReplaceAllString(ours, ""), "%s", code)
	}
	t.Logf("%d evaluations compared", compared)
}

const evaluatedIn = "local a = 1\nlocal b = 2\nreturn a + b"

func oracleEval(t *testing.T, code string) string {
	require.NoError(t, theRunner.Oracle.Reset())
	c, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer c.Close()
	for _, cmd := range [][]string{{"SCRIPT", "DEBUG", "YES"}, {"EVAL", evaluatedIn, "1", "key", "arg"}, {"step"}, {"maxlen", "0"}} {
		_, err := c.Do(cmd)
		require.NoError(t, err)
	}
	raw, err := c.Do([]string{"eval", code})
	if err != nil || raw[0] != '*' {
		return ""
	}
	_, answer, _ := strings.Cut(string(raw), "\r\n")
	answer = strings.TrimSuffix(strings.TrimPrefix(answer, "+"), "\r\n")
	if v, ok := strings.CutPrefix(answer, "<retval> "); ok {
		return scalar(v)
	}
	return answer
}

func shownEval(t *testing.T, code string) (answer string) {
	e, err := engine.New(engine.Options{ScriptSteps: 200000})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.DebugScript(context.Background(), engine.NewScript(evaluatedIn), []string{"key"}, []string{"arg"},
		func(*engine.DebugRun) engine.Debugger {
			return looker{look: func(s *luabridge.Stack, line int) {
				if line != 2 {
					return
				}
				values, err := s.Eval(-1, "@ldb_eval", code)
				switch {
				case err != nil:
					answer = "<error> " + strings.NewReplacer("\r", " ", "\n", " ").Replace(err.Error())
				case len(values) == 0:
					answer = "nil"
				default:
					answer = printed(values[0])
				}
			}}
		})
	require.NoError(t, err)
	return answer
}
