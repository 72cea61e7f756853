package debugger_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

func TestASyncSessionLeavesItsChanges(t *testing.T) {
	ctx, e := context.Background(), newEngine(t)
	p := start(t, e, "redis.call('SET', 'k', 'new')\nreturn 1", debugger.Options{Sync: true, StopOnEntry: true})
	require.Equal(t, "1 entry", p.next())
	require.Equal(t, "end 1", p.order("go"))
	v, err := e.Do(ctx, "GET", "k")
	require.NoError(t, err)
	require.Equal(t, "new", v.Text())
}

func TestMethodsNeedAStoppedScript(t *testing.T) {
	p := start(t, newEngine(t), "return 1", debugger.Options{Sync: true, StopOnEntry: true})
	require.Equal(t, "1 entry", p.next())
	where, err := p.s.Where()
	require.NoError(t, err)
	require.Equal(t, debugger.Stopped{Reason: debugger.ReasonEntry, Line: 1, Index: 1}, where)
	require.Equal(t, "end 1", p.order("go"))
	for _, order := range []string{"in", "over", "out", "go", "back", "goback", "to 1", "raise x", "restart"} {
		require.Equal(t, "the script has ended", p.order(order), order)
	}
	_, err = p.s.Where()
	require.ErrorIs(t, err, debugger.ErrEnded)
	_, err = p.s.Do("PING")
	require.ErrorIs(t, err, debugger.ErrEnded)
	_, err = p.s.Watches(0)
	require.ErrorIs(t, err, debugger.ErrEnded)
	require.ErrorIs(t, p.s.At(func(*engine.Stack) { t.Fatal("called") }), debugger.ErrEnded)
	require.Equal(t, "closed", p.next())
	p.s.Abort()
	p.s.Detach()
	p.s.Pause()
	p.s.Close()
}

const endless = "local n = 0\nwhile true do\n  n = n + 1\nend"

func TestPauseStopsARunningScript(t *testing.T) {
	p := start(t, newEngine(t), endless, debugger.Options{Sync: true, StopOnEntry: true})
	require.Equal(t, "1 entry", p.next())
	require.NoError(t, p.s.Continue())
	require.ErrorIs(t, p.s.At(func(*engine.Stack) {}), debugger.ErrRunning)
	_, err := p.s.Where()
	require.ErrorIs(t, err, debugger.ErrRunning)
	p.s.Pause()
	require.Contains(t, p.next(), " pause")
	require.NotEqual(t, "nil", p.eval("n"))
	p.s.Abort()
	require.Equal(t, "end ERR Script aborted by the debugger", p.next())
	require.True(t, p.ended.Aborted)
}

func TestAbortEndsARunningScript(t *testing.T) {
	for _, script := range []string{endless, "while true do end", "while true do pcall(function() error('x') end) end",
		"while true do pcall(coroutine.wrap(function() redis.call('PING') end)) end"} {
		p := start(t, newEngine(t), script, debugger.Options{Sync: true})
		p.s.Abort()
		require.Contains(t, p.next(), "end ")
		require.True(t, p.ended.Aborted)
	}
}

func TestAScriptIsRestartedWhileItRuns(t *testing.T) {
	p := start(t, newEngine(t), endless, debugger.Options{Sync: true, StopOnEntry: true})
	require.Equal(t, "1 entry", p.next())
	require.NoError(t, p.s.Continue())
	require.NoError(t, p.s.Restart())
	require.Equal(t, "1 entry", p.next())
}

func TestDetachLetsTheScriptGoOn(t *testing.T) {
	p := start(t, newEngine(t), "local a = 1\nredis.breakpoint()\na = 2\nreturn a",
		debugger.Options{Sync: true, StopOnEntry: true, Breakpoints: []debugger.Breakpoint{{Line: 3}, {Line: 4, Log: "x"}},
			Stops: debugger.Stops{Errors: debugger.ErrorsAll}})
	require.Equal(t, "1 entry", p.next())
	p.s.Detach()
	require.Equal(t, "end 2", p.next())
	require.Empty(t, p.output)
	require.False(t, p.ended.Aborted)
}

func TestAClosedEngineEndsTheSession(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	p := start(t, e, "return 1", debugger.Options{Sync: true, StopOnEntry: true})
	require.Equal(t, "1 entry", p.next())
	require.NoError(t, e.Close())
	require.Contains(t, p.next(), "end ")
}

func TestRaise(t *testing.T) {
	p := start(t, newEngine(t), "local ok, err = pcall(function()\n  local x = 1\nend)\nreturn {tostring(ok), err}",
		debugger.Options{Sync: true, Breakpoints: []debugger.Breakpoint{{Line: 2}, {Line: 4}}})
	require.Equal(t, "2 breakpoint", p.next())
	require.Equal(t, "4 breakpoint", p.order("raise ERR no"))
	require.Equal(t, "false", p.eval("ok"))
	p.s.Abort()
}

func TestAScriptThatDoesNotCompileEnds(t *testing.T) {
	p := start(t, newEngine(t), "return +", debugger.Options{Sync: true, StopOnEntry: true})
	require.Empty(t, p.s.Lines())
	require.Contains(t, p.next(), "end ERR Error compiling script")
}

func TestAttachDebugsScriptsOfCallers(t *testing.T) {
	ctx, e := context.Background(), newEngine(t)
	script := engine.NewScript("local n = redis.call('INCR', KEYS[1])\nreturn {n, ARGV[1]}")
	begun := make(chan *player, 4)
	detach, err := debugger.Attach(e, func(c engine.ScriptCall) (debugger.Options, bool) {
		return debugger.Options{StopOnEntry: true}, c.Script.SHA() == script.SHA()
	}, func(s *debugger.Session, c engine.ScriptCall) {
		require.Equal(t, []string{"k"}, c.Keys)
		begun <- &player{t: t, s: s}
	})
	require.NoError(t, err)
	v, err := e.Eval(ctx, "return 'another'", nil)
	require.NoError(t, err)
	require.Equal(t, "another", v.Text())

	const callers = 3
	var wg sync.WaitGroup
	replies := make(chan engine.Value, callers)
	for range callers {
		wg.Go(func() {
			v, err := script.Run(ctx, e, []string{"k"}, "x")
			require.NoError(t, err)
			replies <- v
		})
	}
	p := <-begun
	require.Equal(t, "1 entry, 2 step, 1 back, 2 step, end [1 x]", joined(p.play("over; back; over; go")))
	p = <-begun
	require.Equal(t, "1 entry", p.next())
	p.s.Detach()
	require.Equal(t, "end [2 x]", p.next())
	p = <-begun
	require.Equal(t, "1 entry", p.next())
	p.s.Close() // as who vanishes does
	wg.Wait()
	sum := int64(0)
	for range callers {
		v := <-replies
		sum += v.Slice()[0].MustInt()
	}
	require.Equal(t, int64(6), sum)

	detach()
	_, err = script.Run(ctx, e, []string{"k"}, "x")
	require.NoError(t, err)
	require.Empty(t, begun)
}

func TestAnAttachedScriptIsAborted(t *testing.T) {
	ctx, e := context.Background(), newEngine(t)
	sessions := make(chan *debugger.Session, 1)
	detach, err := debugger.Attach(e, func(engine.ScriptCall) (debugger.Options, bool) { return debugger.Options{StopOnEntry: true}, true },
		func(s *debugger.Session, _ engine.ScriptCall) { sessions <- s })
	require.NoError(t, err)
	defer detach()
	failed := make(chan error, 1)
	go func() {
		_, err := e.Eval(ctx, "return 1", nil)
		failed <- err
	}()
	p := &player{t: t, s: <-sessions}
	require.Equal(t, "1 entry", p.next())
	p.s.Abort()
	require.EqualError(t, <-failed, "ERR Script aborted by the debugger")
	require.Equal(t, "end ERR Script aborted by the debugger", p.next())
}

func TestInterruptEndsAnEvaluation(t *testing.T) {
	p := start(t, newEngine(t), "local n = 0\nreturn n", debugger.Options{Sync: true, Breakpoints: []debugger.Breakpoint{{Line: 2}}})
	require.Equal(t, "2 breakpoint", p.next())
	begun := make(chan struct{})
	var text string
	done := make(chan error)
	go func() {
		done <- p.s.At(func(st *engine.Stack) {
			close(begun)
			_, err := st.Eval(0, "@test", "while true do end")
			text = err.Error()
		})
	}()
	<-begun
	p.s.Interrupt()
	require.NoError(t, <-done)
	require.Equal(t, "evaluation interrupted", text)
	require.Equal(t, "0", p.eval("n"))
	require.Equal(t, "end 0", p.order("go"))
	p.s.Interrupt()
}

func TestTheSessionEndsDuringAnEvaluation(t *testing.T) {
	for name, end := range map[string]func(p *player, e *engine.Engine, cancel func()){
		"abort":  func(p *player, _ *engine.Engine, _ func()) { p.s.Abort() },
		"close":  func(p *player, _ *engine.Engine, _ func()) { p.s.Close() },
		"cancel": func(_ *player, _ *engine.Engine, cancel func()) { cancel() },
		"engine": func(_ *player, e *engine.Engine, _ func()) { require.NoError(t, e.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			e, err := engine.New(engine.Options{})
			require.NoError(t, err)
			defer e.Close()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			target := debugger.Target{Script: engine.NewScript("redis.call('SET', 'k', 1)\nreturn 1")}
			s, err := debugger.Start(ctx, e, target, debugger.Options{Sync: true, Breakpoints: []debugger.Breakpoint{{Line: 2}}})
			require.NoError(t, err)
			p := &player{t: t, s: s}
			require.Equal(t, "2 breakpoint", p.next())
			begun, done := make(chan struct{}), make(chan error)
			go func() {
				done <- s.At(func(st *engine.Stack) {
					close(begun)
					_, _ = st.Eval(0, "@test", "while true do end")
				})
			}()
			<-begun
			end(p, e, cancel)
			require.NoError(t, <-done)
			for range s.Events() { // to the end
			}
		})
	}
}

func TestAbortDuringALongLibraryCall(t *testing.T) {
	script := "return string.find(string.rep('a', 5000), string.rep('a?', 5000) .. string.rep('a', 5000) .. 'b')"
	p := start(t, newEngine(t), script, debugger.Options{Sync: true, StopOnEntry: true})
	require.Equal(t, "1 entry", p.next())
	require.NoError(t, p.s.Continue())
	p.s.Abort()
	require.Equal(t, "end ERR Script aborted by the debugger", p.next())
}

func TestConcurrentCallsOfASession(t *testing.T) {
	p := start(t, newEngine(t), counting, debugger.Options{StopOnEntry: true}, "k")
	require.Equal(t, "1 entry", p.next())
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for _, ask := range []func(){
		func() { _ = p.s.At(func(st *engine.Stack) { st.Frames() }) },
		func() { _, _ = p.s.Where() },
		func() { _, _ = p.s.Calls(); _, _ = p.s.Touched() },
		func() { p.s.SetBreakpoints([]debugger.Breakpoint{{Line: 99, Condition: "true", Hits: "3"}}) },
		func() { p.s.SetStops(debugger.Stops{Keys: []string{"nosuch"}, Values: []string{"nosuch"}}) },
		func() { p.s.Unwatch(p.s.Watch("n")); _, _ = p.s.Watches(0); p.s.Lines(); _ = p.s.Diverged() },
	} {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					ask()
				}
			}
		})
	}
	for _, want := range []string{"2 step", "3 step", "2 back", "3 step", "2 step"} {
		order := "over"
		if want == "2 back" {
			order = "back"
		}
		require.Equal(t, want, p.order(order))
	}
	close(stop)
	wg.Wait()
	p.s.SetStops(debugger.Stops{})
	require.NoError(t, p.s.Continue())
}
