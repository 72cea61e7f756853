package resp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// wire returns a request as clients send it.
func wire(args ...string) string {
	b := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, a := range args {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(a), a)
	}
	return string(b)
}

// serveDebug starts a server with a debugger.
func serveDebug(t *testing.T, debug func(*resp.DebugConn)) (*engine.Engine, *resp.Server, string) {
	t.Helper()
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	l, err := resp.Listen("127.0.0.1:0")
	require.NoError(t, err)
	s := resp.NewServer(e, resp.Options{Debug: debug})
	go s.Serve(l)
	t.Cleanup(func() {
		assert.NoError(t, s.Close())
		assert.NoError(t, e.Close())
	})
	return e, s, l.Addr().String()
}

// noStops runs the script of a connection without stopping, and ends as Redis's debugger does.
func noStops(d *resp.DebugConn) {
	v := d.Call.Error
	if !v.IsError() {
		sess := d.Session
		if !d.Call.Sync {
			e, forked, err := d.Session.Fork()
			if err != nil {
				return
			}
			defer e.Close()
			sess = forked
		}
		none := func(*engine.DebugRun) engine.Debugger { return nil }
		v, _ = sess.DebugScript(context.Background(), d.Call.Script, d.Call.Keys, d.Call.Args, none)
	}
	_, _ = io.WriteString(d, "*1\r\n+<endsession>\r\n")
	d.Reply(v)
}

// step is one write of a client and the number of replies it then waits for; -1: all until the
// server closes.
type step struct {
	text    string
	replies int
}

func send(requests ...string) step { return step{strings.Join(requests, ""), len(requests)} }

// last is send for requests after which the server closes the connection.
func last(requests ...string) step { return step{strings.Join(requests, ""), -1} }

// muted is send for requests of which CLIENT REPLY suppresses n replies.
func muted(n int, requests ...string) step {
	return step{strings.Join(requests, ""), len(requests) - n}
}

// talk makes the steps and returns everything that it receives.
func talk(t *testing.T, addr string, steps []step) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(patience.Deadline()))
	var got bytes.Buffer
	d := resp.NewDecoder(io.TeeReader(c, &got))
	for _, s := range steps {
		_, err := io.WriteString(c, s.text)
		require.NoError(t, err)
		for range s.replies {
			_, err := d.Decode()
			require.NoError(t, err, "%q behind %q", s.text, got.String())
		}
		if s.replies < 0 {
			_, _ = io.Copy(&got, c)
		}
	}
	return clientID.ReplaceAllString(got.String(), "id\r\n:0\r\n") // the reply to HELLO has it
}

var clientID = regexp.MustCompile("id\r\n:[0-9]+\r\n")

// scriptDebugTalks returns conversations in which Redis's debugger never stops.
func scriptDebugTalks() [][]step {
	yes, sync := wire("SCRIPT", "DEBUG", "yes"), wire("SCRIPT", "DEBUG", "SYNC")
	no, wrong := wire("SCRIPT", "DEBUG", "no"), wire("SCRIPT", "DEBUG", "x")
	ping, one, multi, exec := wire("PING"), wire("EVAL", "return 1", "0"), wire("MULTI"), wire("EXEC")
	badKeys, tooMany, negative := wire("EVAL", "return 1", "x"), wire("EVAL", "return 1", "2", "a"), wire("EVAL_RO", "return 1", "-1")
	bad := wire("EVAL", "return (", "0")
	const known = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"
	off, on, skip := wire("CLIENT", "REPLY", "OFF"), wire("CLIENT", "REPLY", "ON"), wire("CLIENT", "REPLY", "SKIP")
	return [][]step{
		{send(wrong)}, {send(wire("SCRIPT", "DEBUG"))}, {send(wire("SCRIPT", "DEBUG", "YES", "x"))},
		{send(yes, ping)}, {send(ping, yes), send(one)}, {send(ping, no)}, {send(no, no)}, {send(ping, wrong)},
		{send(yes), send(no), send(one)}, {send(sync), send(no), send(one)},
		{send(multi), send(yes), send(exec), send(one)}, {send(multi), send(no), send(exec), send(one)},
		{send(multi), send(wrong), send(exec)},
		{send(yes), last(badKeys)}, {send(sync), last(badKeys)}, {send(yes), last(tooMany)}, {send(sync), last(negative)},
		{send(yes), last(bad)}, {send(sync), last(bad)},
		// Not with yes: Redis's fork releases memory that has waiting replies, and sends zeros.
		{send(sync), last(ping, badKeys, ping)}, {send(sync), last(ping, ping, bad, ping)},
		{send(wire("HELLO", "3")), send(sync), last(ping, bad)},
		{send(yes), send(wire("EVAL", "return 1")), send(ping)}, {send(yes), last(wire("EVAL", "#!lua flags=zz\nreturn 1", "0"))},
		{send(wire("SCRIPT", "LOAD", "return 1")), send(yes), send(wire("EVALSHA", known, "0")),
			send(wire("EVALSHA", "nope", "0")), send(wire("EVALSHA_RO", known, "0")),
			send(wire("EVALSHA", known[1:]+"0", "0")), send(wire("EVALSHA", known, "x")), send(ping)},
		{send(yes), send(multi), send(wire("EVALSHA", known, "0")), send(exec), send(ping)},
		{send(yes), send(wire("FCALL", "nope", "0")), send(ping)}, {send(yes), send(wire("RESET")), last(bad)},
		{send(wire("SUBSCRIBE", "a")), send(yes)},
		{send(yes), muted(1, off), last(bad)}, {send(yes), muted(1, skip), last(bad)}, {send(yes), last(skip, badKeys)},
		{muted(1, off), muted(1, yes), send(on), last(bad)}, {muted(3, off, ping, yes), last(bad)},
		{send(wire("EVAL", "return redis.pcall('script', 'debug', 'yes')", "0"))},
		{send(sync), send(multi), send(yes), send(wire("DISCARD")), last(bad)},
		{send("SCRIPT DEBUG yes\r\n"), last(bad)},
	}
}

func TestScriptDebugIsThatOfTheOracle(t *testing.T) {
	o := startOracle(t)
	_, _, addr := serveDebug(t, noStops)
	for i, steps := range scriptDebugTalks() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			want := talk(t, o.Addr, steps)
			require.Equal(t, want, talk(t, addr, steps), "%q", steps)
		})
	}
}

// collected returns a debugger that sends to the channel what it reads from its client until that
// disconnects.
func collected(to chan<- string) func(*resp.DebugConn) {
	return func(d *resp.DebugConn) {
		_, _ = io.WriteString(d, "+begun\r\n")
		_ = d.Flush()
		b, _ := io.ReadAll(d)
		to <- string(b)
	}
}

// begin opens a connection and begins a debug session of collected.
func begin(t *testing.T, addr, mode string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(patience.Deadline()))
	d := resp.NewDecoder(c)
	for _, text := range []string{wire("SCRIPT", "DEBUG", mode), wire("EVAL", "return 1", "0") + wire("SET", "dropped", "1")} {
		_, err = io.WriteString(c, text)
		require.NoError(t, err)
		v, err := d.Decode()
		require.NoError(t, err)
		require.False(t, v.IsError())
	}
	return c
}

func TestADebuggerReadsWhatItsClientSends(t *testing.T) {
	got := make(chan string, 1)
	e, _, addr := serveDebug(t, collected(got))
	c := begin(t, addr, "YES")
	_, err := io.WriteString(c, "any\x00bytes")
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.Equal(t, "any\x00bytes", <-got)
	sent := len(wire("SCRIPT", "DEBUG", "YES") + wire("EVAL", "return 1", "0") + wire("SET", "dropped", "1") + "any\x00bytes")
	patience.Until(t, func() bool {
		s, err := e.Stats(context.Background())
		return err == nil && s.NetworkInput == int64(sent)
	}, "%d bytes were sent", sent)
	v, err := e.Do(context.Background(), "EXISTS", "dropped")
	require.NoError(t, err)
	require.Zero(t, v.MustInt())
}

func TestADebuggerEndsWithItsConnection(t *testing.T) {
	for name, end := range map[string]func(*engine.Engine, *resp.Server, net.Conn){
		"killed": func(e *engine.Engine, _ *resp.Server, c net.Conn) {
			_, err := e.Do(context.Background(), "CLIENT", "KILL", "ADDR", c.LocalAddr().String())
			require.NoError(t, err)
		},
		"server closed": func(_ *engine.Engine, s *resp.Server, _ net.Conn) { require.NoError(t, s.Close()) },
		"shut down": func(_ *engine.Engine, s *resp.Server, _ net.Conn) {
			require.NoError(t, s.Shutdown(context.Background()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan string, 1)
			e, s, addr := serveDebug(t, collected(got))
			end(e, s, begin(t, addr, "SYNC"))
			require.Empty(t, <-got)
		})
	}
}

func TestADebuggingClientIsNotIdle(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_700_000_000_000))
	e, err := engine.New(engine.Options{Clock: clock, Config: map[string]string{"timeout": "10"}})
	require.NoError(t, err)
	defer e.Close()
	l, err := resp.Listen("127.0.0.1:0")
	require.NoError(t, err)
	got := make(chan string, 1)
	s := resp.NewServer(e, resp.Options{Debug: collected(got)})
	go s.Serve(l)
	defer s.Close()
	c := begin(t, l.Addr().String(), "YES")
	for range 30 {
		clock.Advance(2 * time.Second)
	}
	_, err = io.WriteString(c, "still there")
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.Equal(t, "still there", <-got)
}

func TestWithoutADebuggerScriptDebugIsRefused(t *testing.T) {
	_, _, addr := serveDebug(t, nil)
	require.Equal(t, "-ERR SCRIPT DEBUG needs a connection to a server that has a debugger\r\n+OK\r\n:1\r\n",
		talk(t, addr, []step{
			send(wire("SCRIPT", "DEBUG", "YES")), send(wire("SCRIPT", "DEBUG", "NO")), send(wire("EVAL", "return 1", "0")),
		}))
}

func TestADebuggedScriptIsCountedAndShownOnce(t *testing.T) {
	o := startOracle(t)
	for _, mode := range []string{"YES", "SYNC"} {
		for _, call := range [][]string{
			{"EVAL", "return redis.call('set', 'a', 1)", "0"}, {"EVAL", "return redis.call('nope')", "0"}, {"EVAL_RO", "return 1", "0"},
			{"EVAL", "return 1", "x"}, {"EVAL", "return (", "0"},
		} {
			_, _, addr := serveDebug(t, noStops)
			require.Equal(t, counted(t, o.Addr, mode, call, true), counted(t, addr, mode, call, false), "%s %q", mode, call)
		}
	}
}

// counted returns what a server reports about a debugged call in INFO and to monitors. stops: its
// debugger stops at the first line.
func counted(t *testing.T, addr, mode string, call []string, stops bool) []string {
	monitor, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer monitor.Close()
	seen := resp.NewDecoder(monitor)
	_, err = io.WriteString(monitor, wire("CONFIG", "RESETSTAT")+wire("MONITOR"))
	require.NoError(t, err)
	for range 2 {
		_, err = seen.Decode()
		require.NoError(t, err)
	}
	steps := []step{send(wire("SCRIPT", "DEBUG", mode)), last(wire(call...))}
	if stops && call[2] == "0" && call[1] != "return (" {
		steps = []step{steps[0], send(wire(call...)), last(wire("c"))}
	}
	talk(t, addr, steps)
	info := talk(t, addr, []step{send(wire("INFO", "commandstats"), wire("INFO", "errorstats"), wire("ECHO", "end"))})
	out := counters.FindAllString(info, -1)
	slices.Sort(out)
	for {
		v, err := seen.Decode()
		require.NoError(t, err)
		if strings.Contains(v.Text(), "ECHO") {
			return out
		}
		_, line, _ := strings.Cut(v.Text(), "] ")
		out = append(out, line)
	}
}

var counters = regexp.MustCompile(`cmdstat_(eval|eval_ro|set|script.debug):calls=[0-9]+|(rejected|failed)_calls=[1-9]+|errorstat_.*`)
