package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// rollbacksOfEngine is the number of failures on one engine, rollbacksBetween the number between
// two scripts that succeed.
const (
	rollbacksOfEngine = 400
	rollbacksBetween  = 8
)

// TestRollbackIsExact lets scripts, functions and transactions of random commands fail in many
// ways, on engines with engine.Rollback. After each failure the keyspace must be what it was, to
// the last byte and counter, and nobody may have been notified of anything. REDMOON_ROLLBACKS=n
// sets the number of failures, REDMOON_SEED=n plays others.
func TestRollbackIsExact(t *testing.T) {
	count, seed := tier.Number("REDMOON_ROLLBACKS", 800, 3000), tier.Seed()
	visible := visibleCommands(t)
	dumps := ownDumps(t)
	figures := map[string]int{}
	for i := uint64(0); figures["failures"] < count; i++ {
		w := newRollbackWorld(t, seed<<32+i, visible, dumps, figures)
		for n := 0; n < rollbacksOfEngine && figures["failures"] < count; n++ {
			if n%rollbacksBetween == 0 {
				w.succeed()
			}
			w.fail()
		}
		w.end()
	}
	names := make([]string, 0, len(figures))
	for name := range figures {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.Logf("%9d %s", figures[name], name)
	}
	for _, name := range []string{"changes undone", "messages of what remains", "effects of what remains"} {
		require.Greater(t, figures[name], count/5, name)
	}
}

// ownDumps returns payloads of DUMP for RESTORE.
func ownDumps(t *testing.T) (dumps []string) {
	rm, err := NewRedmoon(Present())
	require.NoError(t, err)
	defer func() { require.NoError(t, rm.Stop()) }()
	for _, line := range strings.Split(strings.TrimSpace(harvested), "\n") {
		args := strings.Fields(strings.TrimSuffix(line, " ..."))
		if strings.HasSuffix(line, "...") {
			for i := range 600 {
				args = append(args, fmt.Sprint(i), fmt.Sprint(i*i))
			}
		}
		key := args[1]
		if args[0] == "XGROUP" || args[0] == "XREADGROUP" {
			key = "stream"
		}
		_, err := rm.Engine.DoStrings(t.Context(), args...)
		require.NoError(t, err, line)
		v, err := rm.Engine.Do(t.Context(), "DUMP", key)
		require.NoError(t, err)
		dumps = append(dumps, v.Text())
	}
	return dumps
}

// rollbackBody is a script that runs the commands in ARGV, and fails in the way ARGV[1] after
// ARGV[2] of them. In ARGV, the number of its words stands before each command.
const rollbackBody = `
local way, at = ARGV[1], tonumber(ARGV[2])
local function fail()
  if way == 'error' then error('failure') end
  if way == 'call' then redis.call('INCRBY', 'string', 'no number') end
  if way == 'caught' then
    local ok, e = pcall(error, 'inner')
    error(e)
  end
  if way == 'coroutine' then
    local ok, e = coroutine.resume(coroutine.create(function()
      redis.pcall('SET', 'string', 'from a coroutine')
      error('in a coroutine')
    end))
    error(e)
  end
  if way == 'steps' then while true do end end
  if way == 'memory' then
    local t = {}
    while true do t[#t + 1] = string.rep('x', 1000000) .. #t end
  end
  if way == 'journal' then
    local text = string.rep('x', 100000)
    while true do redis.call('SET', 'string', text) end
  end
  if way == 'overflow' then
    local function deeper() return 1 + deeper() end
    deeper()
  end
  if way == 'reply' then return redis.error_reply('FAILED no') end
  if way == 'table' then return {err = 'FAILED no'} end
  if way == 'passed on' then return redis.pcall('INCRBY', 'string', 'no number') end
end
local from, done = 3, 0
while from <= #ARGV do
  if done == at then
    local failure = fail()
    if failure then return failure end
  end
  local n = tonumber(ARGV[from])
  local words = {}
  for i = 1, n do words[i] = ARGV[from + i] end
  from, done = from + n + 1, done + 1
  if words[1] == 'set_repl' then
    redis.set_repl(tonumber(words[2]))
  elseif words[1] == 'setresp' then
    redis.setresp(tonumber(words[2]))
  else
    redis.pcall(unpack(words))
  end
end
return fail() or redis.status_reply('DONE')`

// rollbackLibrary has the script as a function.
const rollbackLibrary = "#!lua name=rollback\nredis.register_function('fails', function(KEYS, ARGV) " + rollbackBody + "\nend)"

// ways are how a script fails, the common ones several times.
var ways = []string{
	"error", "error", "error", "call", "call", "caught", "coroutine", "coroutine", "reply", "reply", "table", "passed on", "passed on",
	"steps", "steps", "overflow",
}

// pickWay returns a way to fail. Those that take long are rare.
func pickWay(rng *rand.Rand) string {
	if rng.IntN(200) == 0 {
		return pick(rng, []string{"memory", "journal"})
	}
	return pick(rng, ways)
}

// words returns ARGV for the commands.
func rollbackArgs(way string, at int, commands [][]string) []string {
	args := []string{way, fmt.Sprint(at)}
	for _, c := range commands {
		args = append(append(args, fmt.Sprint(len(c))), c...)
	}
	return args
}

// rollbackOptions are the options of an engine whose failures are undone.
func rollbackOptions(rng *rand.Rand) engine.Options {
	o := engine.Options{OnScriptError: engine.Rollback, ScriptSteps: 100_000, ScriptMemory: 24 << 20}
	o.Cluster = rng.IntN(5) == 0
	return o
}
