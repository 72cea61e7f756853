package debugger_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

func TestStopAtEnd(t *testing.T) {
	for _, c := range []struct{ name, script, orders, want string }{
		{"before a last line without a call", "local n = redis.call('INCR', KEYS[1])\nlocal m = n + 1\nreturn m",
			"is m; do GET k; back; is n; go", "3 end, 2, 1, 2 back, 1, end 2"},
		{"in the last line, after its call", "local n = 1\nreturn redis.call('INCR', KEYS[1]) + n",
			"up n; do GET k; back; do GET k; in", "2 end, 1, 1, 2 back, nil, end 2"},
		{"at the error that ends it", "redis.call('SET', KEYS[1], 'x')\nlocal n = 1\nredis.call('INCR', KEYS[1])",
			"up n; do GET k; go", "3 end, 1, x, end ERR value is not an integer or out of range script: SHA, on @user_script:3."},
		{"where a loop went out", "for i = 1, 3 do\n  if redis.call('INCR', KEYS[1]) == 2 then\n    return i\n  end\nend",
			"is i; do GET k; go", "3 end, 2, 2, end 2"},
		{"a breakpoint is not reached before it", "local n = 1\nn = 2\nreturn n", "is n; restart", "3 end, 2, 1 breakpoint"},
		{"of an empty script", "", "go", "1 end, end nil"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var runs []bool
			o := debugger.Options{StopAtEnd: true, OnRun: func(again bool) { runs = append(runs, again) },
				Breakpoints: []debugger.Breakpoint{{Line: 1}}}
			p := start(t, newEngine(t), c.script, o, "k")
			seen := joined(p.play(c.orders))
			c.want = strings.ReplaceAll(c.want, "SHA", engine.NewScript(c.script).SHA())
			require.Equal(t, c.want, seen)
			require.NoError(t, p.s.Diverged())
			require.Equal(t, []bool{false, true}, runs[:2])
		})
	}
}

// What the first run has done is undone: the list gets one element, and chance decides the same.
func TestStopAtEndRunsOnce(t *testing.T) {
	e := newEngine(t)
	script := "redis.log(redis.LOG_WARNING, 'hello')\nlocal r = math.random(1000)\nredis.call('RPUSH', KEYS[1], r)\nreturn r"
	var evaluations []bool
	note := func(begins bool) { evaluations = append(evaluations, begins) }
	p := start(t, e, script, debugger.Options{Sync: true, StopAtEnd: true, OnEvaluate: note}, "k")
	require.Equal(t, "4 end", p.next())
	require.Empty(t, evaluations)
	require.Equal(t, "1", p.order("do LLEN k"))
	require.Equal(t, []bool{true, false}, evaluations)
	require.Empty(t, p.output)
	calls, err := p.s.Calls()
	require.NoError(t, err)
	require.Len(t, calls, 1)
	r := p.eval("r")
	require.Equal(t, "end "+r, p.order("go"))
	v, err := e.Do(context.Background(), "LRANGE", "k", 0, -1)
	require.NoError(t, err)
	require.Equal(t, "["+r+"]", show(v))
}
