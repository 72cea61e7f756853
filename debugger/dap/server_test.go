package dap

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newEngine(t *testing.T, o engine.Options) *engine.Engine {
	e, err := engine.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// listening starts a server and returns its address.
func listening(t *testing.T, s *Server) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Listen(context.Background(), l) }()
	t.Cleanup(func() {
		s.Close()
		require.ErrorIs(t, <-done, ErrClosed)
	})
	return l.Addr().String()
}

func connect(t *testing.T, addr string) *client {
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	return newClient(t, conn)
}

// eval runs a script on an engine as a client does, and returns its reply.
func eval(e *engine.Engine, script string) <-chan string {
	reply := make(chan string, 1)
	go func() {
		v, err := e.Eval(context.Background(), script, nil)
		if err != nil {
			reply <- err.Error()
			return
		}
		reply <- short(v)
	}()
	return reply
}

const counting = "local n = redis.call('INCR', 'n')\nreturn n\n"

// TestAScriptGoesOnWhenItsAttachedClientDisconnects closes the connection of an editor at several
// stages.
func TestAScriptGoesOnWhenItsAttachedClientDisconnects(t *testing.T) {
	e := newEngine(t, engine.Options{})
	addr := listening(t, newServer(t, Options{Engine: e}))
	stages := []struct {
		name string
		do   func(*client, <-chan string)
	}{
		{"connected", func(*client, <-chan string) {}},
		{"attached", func(c *client, _ <-chan string) { c.do("initialize", object{"adapterID": "x"}); c.do("attach", nil) }},
		{"stopped", nil},
		{"in the middle of a message", func(c *client, _ <-chan string) {
			_, err := c.conn.Write([]byte("Content-Length: 100\r\n\r\n{"))
			require.NoError(t, err)
		}},
		{"while an expression runs that does not end", func(c *client, _ <-chan string) {
			c.ask("evaluate", object{"expression": "(function() while true do end end)()", "context": "repl"})
		}},
		{"with requests that nobody waits for", func(c *client, _ <-chan string) {
			for range 100 {
				c.ask("stackTrace", object{"threadId": 1})
			}
		}},
	}
	for i, stage := range stages {
		t.Run(stage.name, func(t *testing.T) {
			c := connect(t, addr)
			var reply <-chan string
			if i >= 2 {
				c.begin("attach", object{"text": counting})
				c.do("configurationDone", nil)
				reply = eval(e, counting)
				c.wait("stopped")
			}
			if stage.do != nil {
				stage.do(c, reply)
			}
			require.NoError(t, c.conn.Close())
			if reply != nil {
				require.NotContains(t, <-reply, "ERR", "the script goes on")
			}
			v, err := e.Do(t.Context(), "PING")
			require.NoError(t, err)
			require.Equal(t, "PONG", v.Text())
		})
	}
	require.NoError(t, e.Check(t.Context()))
}

// TestALaunchedScriptEndsWhenItsClientDisconnects closes the connection while a script is stopped
// or loops for ever.
func TestALaunchedScriptEndsWhenItsClientDisconnects(t *testing.T) {
	for _, arguments := range []object{{"text": counting, "stopOnEntry": true}, {"text": "while true do end"}} {
		c := dial(t, newServer(t, Options{}))
		c.begin("launch", arguments)
		c.do("configurationDone", nil)
		c.wait("thread")
		require.NoError(t, c.conn.Close())
		<-c.served // when the script has ended; what it said on the way nobody took
	}
}

// TestTwoClients debugs two scripts of one engine one after the other, and two launched scripts at
// the same time.
func TestTwoClients(t *testing.T) {
	e := newEngine(t, engine.Options{})
	attach := listening(t, newServer(t, Options{Engine: e}))
	launch := listening(t, newServer(t, Options{}))
	texts := []string{"return 'first'", "return 'second'"}
	var attached, launched []*client
	for _, text := range texts {
		c := connect(t, attach)
		c.begin("attach", object{"text": text})
		c.do("configurationDone", nil)
		attached = append(attached, c)
		l := connect(t, launch)
		l.begin("launch", object{"text": text, "stopOnEntry": true})
		l.do("configurationDone", nil)
		launched = append(launched, l)
	}
	first, second := eval(e, texts[0]), eval(e, texts[1])
	for _, l := range launched {
		l.wait("stopped")
	}
	// The engine takes either script first; the other one waits.
	var done sync.WaitGroup
	for i, c := range attached {
		done.Go(func() {
			c.wait("stopped")
			c.do("evaluate", object{"expression": "redis SET k " + string(rune('a'+i)), "context": "repl"})
			c.do("continue", object{"threadId": 1})
		})
	}
	defer done.Wait()
	require.Equal(t, `"first"`, <-first)
	require.Equal(t, `"second"`, <-second)
	for i, l := range launched {
		l.do("continue", object{"threadId": 1})
		out := l.wait("output").(*dap.OutputEvent)
		require.Contains(t, out.Body.Output, strings.Fields(texts[i])[1][1:5])
		l.wait("terminated")
		l.do("disconnect", nil)
	}
}

// TestAttachNeedsPermissionToDebug attaches to an engine with users and a password.
func TestAttachNeedsPermissionToDebug(t *testing.T) {
	e := newEngine(t, engine.Options{})
	for _, command := range []string{"ACL SETUSER dev on >secret ~* &* +@all",
		"ACL SETUSER app on >word ~* +@all -script", "CONFIG SET requirepass pw"} {
		var args []any
		for _, word := range strings.Fields(command) {
			args = append(args, word)
		}
		_, err := e.Do(t.Context(), args...)
		require.NoError(t, err)
	}
	c := dial(t, newServer(t, Options{Engine: e}))
	c.do("initialize", object{"adapterID": "x"})
	require.Contains(t, c.fail("attach", object{}), "NOAUTH")
	require.Contains(t, c.fail("attach", object{"password": "no"}), "WRONGPASS")
	require.Contains(t, c.fail("attach", object{"user": "dev", "password": "no"}), "WRONGPASS")
	require.Contains(t, c.fail("attach", object{"user": "app", "password": "word"}), "NOPERM")
	c.do("attach", object{"password": "pw"})
	d := dial(t, newServer(t, Options{Engine: e}))
	d.do("initialize", object{"adapterID": "x"})
	d.do("attach", object{"user": "dev", "password": "secret"})
}

// TestAnAdapterConnectsToAServer attaches through an adapter without an engine to one that has an
// engine.
func TestAnAdapterConnectsToAServer(t *testing.T) {
	e := newEngine(t, engine.Options{})
	far := listening(t, newServer(t, Options{Engine: e}))
	path := write(t, "a.lua", counting)
	c := dial(t, newServer(t, Options{}))
	c.do("initialize", object{"adapterID": "x", "linesStartAt1": false})
	require.Contains(t, c.fail("attach", object{"address": "127.0.0.1:1", "script": path}), "refused")
	require.Contains(t, c.fail("attach", object{"address": far, "script": "/no/such"}), "no such file")
	c.do("attach", object{"address": far, "script": path})
	c.wait("initialized")
	set := c.do("setBreakpoints", object{"source": object{"path": path},
		"breakpoints": []object{{"line": 1}}}).(*dap.SetBreakpointsResponse)
	require.True(t, set.Body.Breakpoints[0].Verified)
	require.Equal(t, 1, set.Body.Breakpoints[0].Line, "the far end knows how the client counts lines")
	c.do("configurationDone", nil)
	reply := eval(e, strings.TrimSpace(counting))
	c.wait("stopped")
	stack := c.do("stackTrace", object{"threadId": 1}).(*dap.StackTraceResponse)
	require.Equal(t, path, stack.Body.StackFrames[0].Source.Path)
	c.do("disconnect", nil)
	require.NoError(t, <-c.served)
	require.Equal(t, "1", <-reply)
}

// TestAttachToAnAddressWithoutAnAdapter attaches to a server of another protocol, and to one that
// closes.
func TestAttachToAnAddressWithoutAnAdapter(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	answers := make(chan string, 2)
	answers <- "-ERR unknown command\r\n\r\n"
	answers <- ""
	go func() {
		for answer := range answers {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte(answer))
			_ = conn.Close()
		}
	}()
	c := dial(t, newServer(t, Options{}))
	c.do("initialize", object{"adapterID": "x"})
	for range 2 {
		require.Contains(t, c.fail("attach", object{"address": l.Addr().String()}), l.Addr().String())
	}
	close(answers)

	e := newEngine(t, engine.Options{})
	server := NewServer(Options{Engine: e})
	far := listening(t, server)
	c.do("attach", object{"address": far})
	c.wait("initialized")
	server.Close()
	require.NoError(t, <-c.served)
}

// TestCloseDetachesStoppedScripts closes a server while a caller's script is stopped.
func TestCloseDetachesStoppedScripts(t *testing.T) {
	e := newEngine(t, engine.Options{})
	s := NewServer(Options{Engine: e})
	c := dial(t, s)
	c.begin("attach", nil)
	c.do("configurationDone", nil)
	reply := eval(e, counting)
	c.wait("stopped")
	s.Close()
	require.Equal(t, "1", <-reply)
	require.ErrorIs(t, s.Serve(t.Context(), nil, nil), ErrClosed)
}

// TestTheEngineClosesWhileAClientIsAttached closes an engine while one of its scripts is stopped.
func TestTheEngineClosesWhileAClientIsAttached(t *testing.T) {
	e := newEngine(t, engine.Options{})
	c := dial(t, newServer(t, Options{Engine: e}))
	c.begin("attach", nil)
	c.do("configurationDone", nil)
	reply := eval(e, counting)
	c.wait("stopped")
	require.NoError(t, e.Close())
	require.NotEmpty(t, <-reply)
	c.do("disconnect", nil)
	require.NoError(t, <-c.served)
}

// TestCancelRequests cancels an endless expression and a request that waits.
func TestCancelRequests(t *testing.T) {
	c := dial(t, newServer(t, Options{}))
	c.begin("launch", object{"text": counting, "stopOnEntry": true})
	c.do("configurationDone", nil)
	c.wait("stopped")
	running := c.ask("evaluate", object{"expression": "(function() while true do end end)()", "context": "repl"})
	waiting := c.ask("threads", nil)
	served := c.ask("threads", nil)
	cancels := []int{c.ask("cancel", object{"requestId": waiting}), c.ask("cancel", object{"requestId": running})}
	for _, seq := range []int{running, waiting} {
		r, ok := c.answer(seq).(*dap.ErrorResponse)
		require.True(t, ok)
		require.Equal(t, "cancelled", r.Message)
	}
	require.IsType(t, &dap.ThreadsResponse{}, c.answer(served))
	for _, seq := range cancels {
		c.answer(seq)
	}
	r := c.do("evaluate", object{"expression": "1 + 1", "context": "repl"}).(*dap.EvaluateResponse)
	require.Equal(t, "2", r.Body.Result)
	c.do("continue", object{"threadId": 1})
	require.Contains(t, c.wait("output").(*dap.OutputEvent).Body.Output, "1")
	c.do("disconnect", nil)
	require.NoError(t, <-c.served)
}

func TestCheckLoopback(t *testing.T) {
	for addr, local := range map[string]bool{"127.0.0.1:0": true, "localhost:4711": true, "[::1]:4711": true,
		":4711": false, "0.0.0.0:0": false, "192.0.2.1:80": false, "nonsense": false} {
		err := CheckLoopback(addr)
		require.Equal(t, local, err == nil, "%s: %v", addr, err)
	}
}

func TestShortReplies(t *testing.T) {
	e := newEngine(t, engine.Options{})
	for script, want := range map[string]string{
		`return {1, 'a"', {false}, {ok = 'FINE'}}`: `[1, "a\"", [(nil)], FINE]`,
		`return redis.error_reply('ERR no')`:       "ERR no",
	} {
		require.Equal(t, want, <-eval(e, script))
	}
}

// TestADebuggerHasNoOthersRights attaches as a user who may do little. Whoever debugs a script
// calls commands with the rights of the script's client.
func TestADebuggerHasNoOthersRights(t *testing.T) {
	e := newEngine(t, engine.Options{})
	_, err := e.DoStrings(t.Context(), "ACL", "SETUSER", "dev", "on", "nopass", "~app:*", "+eval", "+script|debug")
	require.NoError(t, err)
	c := dial(t, newServer(t, Options{Engine: e}))
	c.begin("attach", object{"user": "dev", "password": "any"})
	c.do("configurationDone", nil)
	v, err := e.DoStrings(t.Context(), "EVAL", "return 'of the program'", "0")
	require.NoError(t, err)
	require.Equal(t, "of the program", v.Text(), "not stopped")
	others, err := enginedoor.Of(e).OpenSession(enginedoor.SessionInfo{})
	require.NoError(t, err)
	defer others.Close()
	v, err = others.DoStrings(t.Context(), "EVAL", "return 'of another user'", "0")
	require.NoError(t, err)
	require.Equal(t, "of another user", v.Text(), "not stopped")

	own, err := enginedoor.Of(e).OpenSession(enginedoor.SessionInfo{})
	require.NoError(t, err)
	defer own.Close()
	_, err = own.DoStrings(t.Context(), "AUTH", "dev", "any")
	require.NoError(t, err)
	defer c.conn.Close() // before the sessions
	done := make(chan error, 1)
	go func() {
		_, err := own.DoStrings(t.Context(), "EVAL", "return 'of this user'", "0")
		done <- err
	}()
	c.wait("stopped")
	r := c.do("evaluate", object{"expression": "redis GET secret", "context": "repl"}).(*dap.EvaluateResponse)
	require.Contains(t, r.Body.Result, "can't run this command")
	c.do("continue", object{"threadId": 1})
	require.NoError(t, patience.Receive(t, done))
}
