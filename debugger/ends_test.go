package debugger_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

func TestTheEndOfTheCallEndsAStoppedScript(t *testing.T) {
	for name, end := range map[string]func(cancel func(), e *engine.Engine){
		"context": func(cancel func(), _ *engine.Engine) { cancel() },
		"engine":  func(_ func(), e *engine.Engine) { _ = e.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t)
			sessions := make(chan *debugger.Session, 1)
			_, err := debugger.Attach(e, func(engine.ScriptCall) (debugger.Options, bool) {
				return debugger.Options{Breakpoints: []debugger.Breakpoint{{Line: 2}}}, true
			}, func(s *debugger.Session, _ engine.ScriptCall) { sessions <- s })
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			answered := make(chan error, 1)
			go func() {
				_, err := e.Eval(ctx, "redis.call('SET', 'k', 'v')\nreturn 1", nil)
				answered <- err
			}()
			p := &player{t: t, s: <-sessions}
			require.Equal(t, "2 breakpoint", p.next())
			end(cancel, e)
			require.Error(t, <-answered)
			require.Contains(t, p.next(), "end ")
			require.ErrorIs(t, p.s.Continue(), debugger.ErrEnded)
		})
	}
}

func TestAbortBeforeTheScriptBegins(t *testing.T) {
	e := newEngine(t)
	first := start(t, e, "return 1", debugger.Options{Sync: true, StopOnEntry: true})
	require.Equal(t, "1 entry", first.next())
	second := start(t, e, "return 2", debugger.Options{Sync: true, StopOnEntry: true})
	require.ErrorIs(t, second.s.Continue(), debugger.ErrRunning)
	second.s.Abort()
	require.Equal(t, "end nil", second.next())
	require.True(t, second.ended.Aborted)
	require.Equal(t, "end 1", first.order("go"))
}

func TestGoingBackToEachKindOfStop(t *testing.T) {
	p := start(t, newEngine(t), `local n = 1
redis.call('SET', KEYS[1], n)
local ok = pcall(function() error('caught') end)
n = n + 1
redis.breakpoint()
local m = n
return n + m`, debugger.Options{Sync: true, Stops: debugger.Stops{Errors: debugger.ErrorsAll, Commands: []string{"SET"},
		Keys: []string{"k"}, Values: []string{"n"}}}, "k")
	forth := []string{"2 command set", "2 key k", "3 error user_script:3: caught", "5 value n", "6 redis.breakpoint()"}
	require.Equal(t, forth, p.play("go; go; go; go"))
	require.Equal(t, "5 back, 3 back, 2 back, 2 back, 1 back, the script is at its first line", joined([]string{
		p.order("goback"), p.order("goback"), p.order("goback"), p.order("goback"), p.order("goback"), p.order("goback")}))
	require.NoError(t, p.s.Diverged())
	require.Equal(t, forth[0], p.order("go"))
	require.Equal(t, forth[1], p.order("go"))
	require.Equal(t, "1", p.order("do GET k"))
	require.Equal(t, "2 back", p.order("to 2"))
	require.Equal(t, "nil", p.order("do GET k"))
	require.Equal(t, forth[1], p.order("go"))
	require.Equal(t, forth[2], p.order("go"))
	require.Equal(t, "3 back", p.order("back"))
	require.Equal(t, forth[2], p.order("go"))
	require.Equal(t, "5 value n, 6 redis.breakpoint(), end 4", joined([]string{p.order("go"), p.order("go"), p.order("go")}))
}
