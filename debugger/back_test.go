package debugger_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

const counting = `local n = 0
for i = 1, 3 do
  n = n + redis.call('INCRBY', KEYS[1], i)
end
local r = math.random(1000000) .. redis.call('SRANDMEMBER', 'set') .. redis.call('TIME')[2]
redis.call('SET', 'r', r)
return {n, r}`

// TestBack gives orders to scripts that are stopped at their first line.
func TestBack(t *testing.T) {
	for _, c := range []struct{ name, orders, want string }{
		{"a step back goes to the line before", "in; in; in; is n; back; is n; back; back; back",
			`1 entry, 2 step, 3 step, 2 step, 1, 3 back, 0, 2 back, 1 back, the script is at its first line`},
		{"forward again after a step back", "in; in; in; is n; back; in; is n; do GET k; go",
			`1 entry, 2 step, 3 step, 2 step, 1, 3 back, 2 step, 1, 1, end 10`},
		{"back to a stop by its number", "in; in; break 5; go; is n; to 2; is n; do GET k; go; to 1; to 1; to 9; to 0",
			`1 entry, 2 step, 3 step, set, 5 breakpoint, 10, 2 back, 0, nil, 5 breakpoint, 1 back, ` +
				`there was no such stop, there was no such stop, there was no such stop`},
		{"back to the last breakpoint", "break 3; go; go; go; is i; goback; is i; goback; is i; goback; goback",
			`1 entry, set, 3 breakpoint, 3 breakpoint, 3 breakpoint, 3, 3 back, 2, 3 back, 1, 1 back, the script is at its first line`},
		{"changes are made again", "in; in; let n = 100; break 5; go; is n; back; is n; do GET k",
			`1 entry, 2 step, 3 step, done, set, 5 breakpoint, 110, 2 back, 110, 6`},
		{"changes at the aim and later are dropped",
			"in; in; let n = 100; do SET k 50; in; in; is n; back; back; is n; do GET k; break 5; go; is n",
			`1 entry, 2 step, 3 step, done, OK, 2 step, 3 step, 151, 2 back, 3 back, 0, nil, set, 5 breakpoint, 10`},
		{"commands are run again", "in; in; do SET k 50; in; in; do SET k 1000; in; is n; back; is n; do GET k; " +
			"in; is n; do GET k", `1 entry, 2 step, 3 step, OK, 2 step, 3 step, OK, 2 step, 1053, 3 back, 51, 51, 2 step, 104, 53`},
		{"restart begins from the state before the script", "in; in; in; let n = 7; restart; is n; go",
			`1 entry, 2 step, 3 step, 2 step, done, 1 entry, test:1: Script attempted to access nonexistent global variable 'n', end 10`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEngine(t)
			_, err := e.Do(context.Background(), "SADD", "set", "x")
			require.NoError(t, err)
			script := strings.Replace(counting, "return {n, r}", "return n", 1)
			p := start(t, e, script, debugger.Options{Sync: true, StopOnEntry: true}, "k")
			require.Equal(t, c.want, joined(p.play(c.orders)))
			require.NoError(t, p.s.Diverged())
		})
	}
}

func TestGoingBackDoesNotChangeTheReply(t *testing.T) {
	e := newEngine(t)
	for i := range 100 {
		_, err := e.Do(context.Background(), "SADD", "set", i)
		require.NoError(t, err)
	}
	p := start(t, e, counting, debugger.Options{Sync: true, Breakpoints: []debugger.Breakpoint{{Line: 6}}}, "k")
	require.Equal(t, "6 breakpoint", p.next())
	before := p.eval("r")
	for range 5 {
		require.Equal(t, "5 back", p.order("back"))
		require.Equal(t, "6 breakpoint", p.order("go"))
		require.Equal(t, before, p.eval("r"))
		require.NoError(t, p.s.Diverged())
	}
	require.Equal(t, "end [10 "+strings.Trim(before, `"`)+"]", p.order("go"))
	v, err := e.Do(context.Background(), "GET", "r")
	require.NoError(t, err)
	require.Equal(t, strings.Trim(before, `"`), v.Text())
}

func TestAReplaySendsNoEvents(t *testing.T) {
	p := start(t, newEngine(t), `redis.log(redis.LOG_WARNING, 'one')
redis.call('SET', 'k', 1)
redis.debug('two', {1})
local x = redis.call('GET', 'k')
return x`, debugger.Options{Sync: true, Calls: true,
		Breakpoints: []debugger.Breakpoint{{Line: 3, Log: "x is {redis.call('GET', 'k')}"}, {Line: 4}}})
	want := []string{"1: one", "2: SET k 1 = ?", "2: SET k 1 = OK", "3: x is 1", "3: two\t{1}"}
	require.Equal(t, "4 breakpoint", p.next())
	require.Equal(t, want, p.output)
	require.Equal(t, "3 back", p.order("back"))
	require.Equal(t, "2 back", p.order("back"))
	require.Equal(t, want, p.output)
	require.Equal(t, "3 step", p.order("in"))
	require.Equal(t, append(want[:len(want):len(want)], want[1:4]...), p.output)
}

func TestAReplayThatDivergesIsReported(t *testing.T) {
	p := start(t, newEngine(t), `local n = redis.call('INCR', 'k')
n = n + redis.call('INCR', 'k')
n = n + redis.call('INCR', 'k')
return n`, debugger.Options{Sync: true, StopOnEntry: true})
	require.Equal(t, "1 entry, 2 step", joined(p.play("in")))
	again := false
	require.NoError(t, p.s.Change(func(st *engine.Stack) { // it does something else each time
		if again {
			_, err := st.Eval(-1, "@test", "redis.call('SET', 'k', 50)")
			require.NoError(t, err)
		}
		again = true
	}))
	require.Equal(t, "3 step", p.order("in"))
	require.Equal(t, "4 step", p.order("in"))
	require.Equal(t, `2 back ["INCR" "k"] in line 2 answers something else than before`, p.order("back"))
	require.ErrorContains(t, p.s.Diverged(), "did not go the same way")
	require.Equal(t, "52", p.eval("redis.call('INCR', 'k')"))
	require.Equal(t, "2 back", p.order("back"), "the change before it is dropped")
	require.NoError(t, p.s.Diverged())
}

func TestCallsAndKeysOfARun(t *testing.T) {
	p := start(t, newEngine(t), counting, debugger.Options{Sync: true, StopOnEntry: true,
		Stops: debugger.Stops{Commands: []string{"incrby"}, Keys: []string{"r*"}}}, "k")
	require.Equal(t, "1 entry, 3 command incrby, 3 command incrby", joined(p.play("go; go")))
	calls, err := p.s.Calls()
	require.NoError(t, err)
	require.Len(t, calls, 2)
	require.Equal(t, []string{"INCRBY", "k", "1"}, calls[0].Args)
	require.True(t, calls[0].Done)
	require.Equal(t, int64(1), calls[0].Reply.MustInt())
	require.False(t, calls[1].Done)
	keys, err := p.s.Touched()
	require.NoError(t, err)
	require.Equal(t, []engine.TouchedKey{{DB: 0, Key: "k", Event: "incrby"}}, keys)
}
