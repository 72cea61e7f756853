package engine_test

import (
	"context"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// stopAt returns a start function whose debugger stops at a line. It signals the stop, and
// continues when goOn is closed or receives a value, or aborts when Done is closed.
func stopAt(line int, stopped chan<- struct{}, goOn <-chan struct{}) func(*engine.DebugRun) engine.Debugger {
	return func(r *engine.DebugRun) engine.Debugger {
		return lines{func(s *engine.Stack, at int) {
			if at != line {
				return
			}
			stopped <- struct{}{}
			select {
			case <-goOn:
			case <-r.Done():
				r.Rewind() // there is no other run
				s.Abort("ERR aborted")
			}
		}}
	}
}

func TestOthersWaitWhileADebuggerHoldsAScript(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	stopped, goOn := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		_, err := e.DebugScript(context.Background(), engine.NewScript("redis.call('set', 'k', 1)\nredis.call('set', 'k', 2)"), nil, nil,
			stopAt(2, stopped, goOn))
		ended <- err
	}()
	<-stopped
	got := make(chan string, 1)
	go func() {
		v, err := e.Do(context.Background(), "GET", "k")
		got <- fmt.Sprint(v.Text(), err)
	}()
	goOn <- struct{}{}
	require.NoError(t, <-ended)
	require.Equal(t, "2<nil>", <-got)
}

func TestCancellingADebuggedScript(t *testing.T) {
	for name, c := range map[string]struct{ script, errText, k string }{
		"nothing written": {"local a\nlocal b", "context canceled", ""},
		"written":         {"redis.call('set', 'k', 1)\nredis.call('set', 'k', 2)", "ERR aborted", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := engine.New(engine.Options{})
			require.NoError(t, err)
			defer e.Close()
			ctx, cancel := context.WithCancel(context.Background())
			stopped := make(chan struct{})
			ended := make(chan error, 1)
			go func() {
				_, err := e.DebugScript(ctx, engine.NewScript(c.script), nil, nil, stopAt(2, stopped, nil))
				ended <- err
			}()
			<-stopped
			cancel()
			require.EqualError(t, <-ended, c.errText)
			require.Equal(t, c.k, do(t, e, "GET", "k").Text())
			require.Equal(t, int64(3), do(t, e, "EVAL", "return 3", 0).MustInt())
		})
	}
}

func TestCloseEndsADebuggedScript(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	stopped := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		_, err := e.DebugScript(context.Background(), engine.NewScript("local a\nlocal b"), nil, nil, stopAt(2, stopped, nil))
		ended <- err
	}()
	<-stopped
	require.NoError(t, e.Close())
	require.EqualError(t, <-ended, "ERR aborted")
}

func TestADebuggerThatPanicsEndsItsScript(t *testing.T) {
	e := virtualEngine(t, 1)
	for _, start := range []func(*engine.DebugRun) engine.Debugger{
		func(*engine.DebugRun) engine.Debugger { panic("in start") },
		func(*engine.DebugRun) engine.Debugger { return lines{func(*engine.Stack, int) { panic("in a line") }} },
		func(r *engine.DebugRun) engine.Debugger {
			r.OnEnd(func(engine.Value) { panic("at the end") })
			return nil
		},
	} {
		_, err := e.DebugScript(context.Background(), engine.NewScript("redis.call('incr', 'n')"), nil, nil, start)
		require.ErrorContains(t, err, "internal error")
		require.Equal(t, int64(1), do(t, e, "EVAL", "return 1", 0).MustInt())
		require.NoError(t, e.Check(context.Background()))
	}
}

func TestInterceptScripts(t *testing.T) {
	e := virtualEngine(t, 1)
	do(t, e, "FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 1 end)")
	var asked, debugged []string
	choose := func(name string, want bool) func(engine.ScriptCall) func(*engine.DebugRun) engine.Debugger {
		return func(c engine.ScriptCall) func(*engine.DebugRun) engine.Debugger {
			asked = append(asked, name)
			if !want {
				return nil
			}
			return func(*engine.DebugRun) engine.Debugger {
				debugged = append(debugged, fmt.Sprintf("%s %s %v %v %d", name, c.Script.Source(), c.Keys, c.Args, c.Session))
				return lines{}
			}
		}
	}
	stopA, err := e.InterceptScripts(choose("a", false))
	require.NoError(t, err)
	stopB, err := e.InterceptScripts(choose("b", true))
	require.NoError(t, err)
	stopC, err := e.InterceptScripts(choose("c", true))
	require.NoError(t, err)
	const one = "return 1"
	sha := engine.NewScript(one).SHA()
	s, err := e.NewSession()
	require.NoError(t, err)
	id := do(t, s, "CLIENT", "ID").MustInt()
	do(t, s, "EVAL", one, 1, "k", "a")
	require.Equal(t, []string{"a", "b"}, asked)
	require.Equal(t, []string{fmt.Sprintf("b return 1 [k] [a] %d", id)}, debugged)

	asked, debugged = nil, nil
	do(t, e, "EVALSHA", sha, 0)
	do(t, e, "EVAL_RO", one, 0)
	do(t, e, "EVALSHA_RO", sha, 0)
	_, err = e.RunScript(context.Background(), engine.NewScript(one), nil, nil)
	require.NoError(t, err)
	do(t, s, "MULTI")
	do(t, s, "EVAL", one, 0)
	do(t, s, "EXEC")
	_, err = e.Pipeline().Do("PING").Do("EVAL", one, 0).Exec(context.Background())
	require.NoError(t, err)
	require.Len(t, debugged, 6)

	asked, debugged = nil, nil
	do(t, e, "FCALL", "f", 0)
	require.Equal(t, []string{"a", "b"}, asked)
	require.Len(t, debugged, 1)
	asked = nil
	_, err = e.DoStrings(context.Background(), "FCALL", "nosuch", "0")
	require.EqualError(t, err, "ERR Function not found")
	_, err = e.DebugScript(context.Background(), engine.NewScript(one), nil, nil, func(*engine.DebugRun) engine.Debugger { return nil })
	require.NoError(t, err)
	require.Empty(t, asked)

	stopB()
	stopB()
	do(t, e, "EVAL", one, 0)
	require.Equal(t, []string{"a", "c"}, asked)
	stopA()
	stopC()
	asked = nil
	do(t, e, "EVAL", one, 0)
	require.Empty(t, asked)
}

// TestUndoneRunsAreNotReported runs a script several times, each time but the last on another path,
// and checks what other sessions receive.
func TestUndoneRunsAreNotReported(t *testing.T) {
	ctx := context.Background()
	e := virtualEngine(t, 1)
	do(t, e, "CONFIG", "SET", "notify-keyspace-events", "KEA")
	do(t, e, "SET", "watched", 1)
	do(t, e, "SET", "cached", 1)
	sub, err := e.NewSession()
	require.NoError(t, err)
	require.NoError(t, sub.PSubscribe(ctx, "*"))
	watcher, err := e.NewSession()
	require.NoError(t, err)
	do(t, watcher, "WATCH", "watched")
	cacher, err := e.NewSession()
	require.NoError(t, err)
	do(t, cacher, "CLIENT", "TRACKING", "ON")
	do(t, cacher, "GET", "cached")
	popped := make(chan string, 1)
	go func() {
		v, err := e.Do(ctx, "BLPOP", "list", 0)
		popped <- fmt.Sprint(v.Strings(), err)
	}()
	for !blockedClients.MatchString(do(t, e, "INFO", "clients").Text()) {
	}

	runs := 0
	script := `if redis.call('get', 'run') ~= '3' then
		redis.call('publish', 'c', 'undone') redis.call('set', 'watched', 2) redis.call('set', 'cached', 2) redis.call('flushall') redis.call('rpush', 'list', 'undone')
		return 0
	end
	redis.call('publish', 'c', 'first') redis.call('set', 'k', 'v') redis.call('publish', 'c', 'second') redis.call('rpush', 'list', 'done')
	return 1`
	v, err := e.DebugScript(ctx, engine.NewScript(script), nil, nil, func(r *engine.DebugRun) engine.Debugger {
		runs++
		if runs < 3 {
			r.Rewind()
		}
		first := true
		return lines{func(*engine.Stack, int) {
			if first {
				first = false
				r.Do("set", "run", fmt.Sprint(runs))
			}
		}}
	})
	require.NoError(t, err)
	require.Equal(t, int64(1), v.MustInt())
	require.Equal(t, 3, runs)
	require.Equal(t, "[list done] <nil>", <-popped)
	do(t, e, "PUBLISH", "c", "end")
	var got []string
	for m := range sub.Messages() {
		if m.Payload == "end" {
			break
		}
		if m.Channel != "__keyevent@0__:new" {
			got = append(got, m.Channel+" "+m.Payload)
		}
	}
	require.Equal(t, []string{
		"__keyspace@0__:run set", "__keyevent@0__:set run", "c first", "__keyspace@0__:k set", "__keyevent@0__:set k", "c second",
		"__keyspace@0__:list rpush", "__keyevent@0__:rpush list", "__keyspace@0__:list lpop", "__keyevent@0__:lpop list",
		"__keyspace@0__:list del", "__keyevent@0__:del list",
	}, got)
	do(t, watcher, "MULTI")
	do(t, watcher, "GET", "watched")
	require.Equal(t, []string{"1"}, do(t, watcher, "EXEC").Strings())
	do(t, e, "SET", "cached", 3)
	m := <-cacher.Messages()
	require.Equal(t, []string{"cached"}, m.Keys)
	require.NoError(t, e.Check(ctx))
}

func TestCountersOfARewoundScript(t *testing.T) {
	var persistence []string
	for _, again := range []int{0, 3} {
		e := virtualEngine(t, 1)
		_, err := e.DebugScript(context.Background(), engine.NewScript("redis.call('set', 'a', 1) redis.call('lpush', 'l', 1, 2)"), nil, nil,
			func(r *engine.DebugRun) engine.Debugger {
				if again > 0 {
					again--
					r.Rewind()
				}
				return nil
			})
		require.NoError(t, err)
		persistence = append(persistence, changesSinceSave.FindString(do(t, e, "INFO", "persistence").Text()))
	}
	require.NotEmpty(t, persistence[0])
	require.Equal(t, persistence[0], persistence[1])
}

var changesSinceSave = regexp.MustCompile(`rdb_changes_since_last_save:[1-9]+`)

var blockedClients = regexp.MustCompile(`blocked_clients:[1-9]`)

func TestAPausedScriptIsDebuggedWhenItRuns(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_700_000_000_000))
	e, err := engine.New(engine.Options{Clock: clock})
	require.NoError(t, err)
	defer e.Close()
	s, err := e.NewSession()
	require.NoError(t, err)
	do(t, s, "CLIENT", "PAUSE", 1000, "WRITE")
	reached := 0
	ended := begin(t, e, func() (engine.Value, error) {
		return s.DebugScript(context.Background(), engine.NewScript("return 7"), nil, nil, func(*engine.DebugRun) engine.Debugger {
			return lines{func(*engine.Stack, int) { reached++ }}
		})
	})
	clock.Advance(2 * time.Second)
	r := <-ended
	require.NoError(t, r.err)
	require.Equal(t, int64(7), r.v.MustInt())
	require.Equal(t, 1, reached)
}
