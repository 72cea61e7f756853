package studio

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// page is a session, as a page uses it.
type page struct {
	t *testing.T
	s *Session
}

func open(t *testing.T) page {
	p := page{t, New(Options{Steps: 5_000_000})}
	t.Cleanup(p.s.Close)
	return p
}

// ask sends a request and fills answer.
func (p page) ask(request map[string]any, answer any) {
	p.t.Helper()
	body, err := json.Marshal(request)
	require.NoError(p.t, err)
	require.NoError(p.t, json.Unmarshal(p.s.Handle(p.t.Context(), body), answer))
}

// state sends a request whose answer is a State.
func (p page) state(request map[string]any) State {
	p.t.Helper()
	var st struct {
		State
		Error string `json:"error"`
	}
	p.ask(request, &st)
	require.Empty(p.t, st.Error)
	return st.State
}

func (p page) step(how string) State {
	p.t.Helper()
	return p.state(map[string]any{"op": "step", "how": how})
}

// problem sends a request that cannot be done.
func (p page) problem(request map[string]any) string {
	p.t.Helper()
	var answer struct{ Error string }
	p.ask(request, &answer)
	return answer.Error
}

func example1(op string, name string) map[string]any {
	for _, d := range Examples() {
		if d.Name == name {
			return map[string]any{"op": op, "source": d.Source, "keys": d.Keys, "args": d.Args, "fixture": d.Fixture}
		}
	}
	panic("no example " + name)
}

func TestRun(t *testing.T) {
	st := open(t).state(example1("run", "Red packet"))
	require.Equal(t, "ended", st.State)
	require.Equal(t, "1) \"grabbed\"\n2) \"120\"\n3) (integer) 2", st.Reply)
	require.Len(t, st.Calls, 4)
	require.Equal(t, Call{Line: 4, Args: []string{"HGET", "grabbed", "ann"}, Reply: "(nil)", Done: true}, st.Calls[0])
	require.Len(t, st.Output, 1)
	require.Equal(t, "ann got 120 cents, 2 packets are left", st.Output[0].Text)
	require.Equal(t, []Change{
		{0, "grabbed", "hash, 1 field", "hash, 2 fields\n\"ann\" = \"120\""},
		{0, "packets", "list, 3 elements\n[0] \"120\"", "list, 2 elements"},
	}, st.Changes)
	require.Len(t, st.Keys, 2)
	require.True(t, st.Keys[0].Latest)
}

func TestEveryExampleRuns(t *testing.T) {
	p := open(t)
	for _, d := range Examples() {
		st := p.state(example1("run", d.Name))
		require.Equal(t, d.Name == "An error in a loop", st.Error != nil, "%s: %v", d.Name, st.Error)
		require.NotEmpty(t, st.Calls, d.Name)
	}
}

func TestRepliesAreThoseOfTheProtocol(t *testing.T) {
	p := open(t)
	r := map[string]any{"op": "run", "source": "redis.call('HGETALL', 'h') return 1", "fixture": "HSET h f v"}
	require.Equal(t, "1) \"f\"\n2) \"v\"", p.state(r).Calls[0].Reply)
	r["source"] = "redis.setresp(3) redis.call('HGETALL', 'h') return 1"
	require.Equal(t, "1# \"f\" => \"v\"", p.state(r).Calls[0].Reply)
}

func TestDataIsKeptIfWanted(t *testing.T) {
	p := open(t)
	r := map[string]any{"op": "run", "source": "return redis.call('INCR', KEYS[1])", "keys": "n", "fixture": "SET n 5"}
	require.Equal(t, "(integer) 6", p.state(r).Reply)
	require.Equal(t, "(integer) 6", p.state(r).Reply)
	r["keep"] = true
	require.Equal(t, "(integer) 7", p.state(r).Reply)
}

// The engine follows the chosen server, and the linter checks for it. Data of another server is not
// kept.
func TestServer(t *testing.T) {
	p := open(t)
	run := func(server string, keep bool) string {
		return p.state(map[string]any{"op": "run", "server": server, "keep": keep,
			"source": "redis.call('SET', 'k', 1/3)\nlocal was = redis.call('GET', 'other')\nredis.call('SET', 'other', 'here')\n" +
				"return {redis.call('GET', 'k'), was}"}).Reply
	}
	require.Equal(t, "1) \"0.33333333333333331\"\n2) (nil)", run("", false))
	require.Equal(t, "1) \"0.33333333333333331\"\n2) \"here\"", run("", true))
	require.Equal(t, "1) \"0.3333333333333333\"\n2) (nil)", run("valkey-9.1", true))
	require.Contains(t, p.problem(map[string]any{"op": "run", "server": "redis-1", "source": "return 1"}), `"redis-1" is not one of`)

	var checked struct{ Findings []finding }
	for server, want := range map[string]int{"valkey-9.1": 0, "redis-8.6": 1} {
		p.ask(map[string]any{"op": "check", "server": server, "source": "return redis.call('DELIFEQ', KEYS[1], 'v')"}, &checked)
		require.Len(t, checked.Findings, want, server)
	}
	var first struct{ Servers []string }
	p.ask(map[string]any{"op": "open"}, &first)
	require.Equal(t, "redis-7.0", first.Servers[0])
	require.Contains(t, first.Servers, "valkey-8.1")
}

func TestErrorsHaveTheirLine(t *testing.T) {
	p := open(t)
	st := p.state(example1("run", "An error in a loop"))
	require.Equal(t, 14, st.Error.Line)
	require.Equal(t, []string{"RPUSH orders begun"}, st.Error.Writes)
	st = p.state(map[string]any{"op": "run", "source": "local x = 1\nlocal y = = 2"})
	require.Equal(t, 2, st.Error.Line)
	st = p.state(map[string]any{"op": "debug", "source": "local x = 1\nlocal y = = 2"})
	require.Equal(t, "ended", st.State)
	require.Equal(t, 2, st.Error.Line)
}

func TestStepsForwardsAndBack(t *testing.T) {
	p := open(t)
	st := p.state(example1("debug", "Red packet"))
	require.Equal(t, "stopped", st.State)
	require.Equal(t, 4, st.Line)
	require.Equal(t, 5, p.step("over").Line)
	require.Equal(t, 8, p.step("over").Line)
	require.Equal(t, 9, p.step("over").Line)
	st = p.step("over")
	require.Equal(t, 12, st.Line)
	require.Equal(t, Variable{"cents", `"120"`, "local"}, st.Frames[0].Locals[1])
	require.Len(t, st.Calls, 2)
	require.Equal(t, []Change{{0, "packets", "list, 3 elements\n[0] \"120\"", "list, 2 elements"}}, st.Changes)
	require.Equal(t, 9, p.step("back").Line)
	st = p.step("back")
	require.Equal(t, 8, st.Line)
	require.Len(t, st.Calls, 1)
	require.Empty(t, st.Changes)
	require.Equal(t, 4, p.step("reverse").Line)
	require.Equal(t, "this is the first line", p.problem(map[string]any{"op": "step", "how": "back"}))
	st = p.step("continue")
	require.Equal(t, "ended", st.State)
	require.Len(t, st.Changes, 2)
	require.Equal(t, errNoRun.Error(), p.problem(map[string]any{"op": "step", "how": "over"}))
}

func TestStepsIntoAndOut(t *testing.T) {
	p := open(t)
	r := example1("debug", "Functions to step through")
	r["breakpoints"] = []int{9}
	p.state(r)
	st := p.step("continue")
	require.Equal(t, 9, st.Line)
	require.Equal(t, "breakpoint", st.Reason)
	require.Equal(t, []string{"sum", "main chunk"}, []string{st.Frames[0].Name, st.Frames[1].Name})
	st = p.step("in")
	require.Equal(t, 3, st.Line)
	require.Equal(t, "square", st.Frames[0].Name)
	require.Equal(t, 8, p.step("out").Line)
	var value struct{ Value string }
	p.ask(map[string]any{"op": "eval", "code": "total + 1", "frame": 0}, &value)
	require.Equal(t, "122", value.Value)
}

func TestTheDebuggerStopsAtErrors(t *testing.T) {
	p := open(t)
	p.state(example1("debug", "An error in a loop"))
	st := p.step("continue")
	require.Equal(t, "stopped", st.State)
	require.Equal(t, 14, st.Line)
	require.Contains(t, st.Error.Text, "attempt to perform arithmetic")
	require.Equal(t, 7, p.step("back").Line) // in the function that line 14 has called
}

// A logged line is shown once, also if the script goes back over it.
func TestOutputAfterSteppingBack(t *testing.T) {
	p := open(t)
	p.state(map[string]any{"op": "debug", "source": "local a = 1\nredis.log(redis.LOG_NOTICE, 'x')\na = 2\nreturn a"})
	p.step("over")
	require.Len(t, p.step("over").Output, 1)
	require.Empty(t, p.step("back").Output)
	require.Len(t, p.step("continue").Output, 1)
}

func TestBreakpointsMoveToCode(t *testing.T) {
	p := open(t)
	var placed struct{ Breakpoints []int }
	p.ask(map[string]any{"op": "breakpoints", "source": "-- a\n\nlocal a = 1\nreturn a", "breakpoints": []int{1, 3, 9}}, &placed)
	require.Equal(t, []int{3}, placed.Breakpoints)
}

func TestEndlessScriptsEnd(t *testing.T) {
	st := open(t).state(map[string]any{"op": "run", "source": "while true do end"})
	require.NotNil(t, st.Error)
	p := page{t, New(Options{Steps: 1 << 60})}
	t.Cleanup(p.s.Close)
	ended := make(chan State, 1)
	go func() { ended <- p.state(map[string]any{"op": "run", "source": "while true do end"}) }()
	patience.Until(t, func() bool {
		p.s.stop()
		select {
		case st = <-ended:
			return true
		default:
			return false
		}
	})
	require.True(t, st.Aborted)
}

func TestFixtures(t *testing.T) {
	p := open(t)
	run := func(fixture string) map[string]any {
		return map[string]any{"op": "run", "source": "return redis.call('HGET', 'h', 'f')", "fixture": fixture}
	}
	require.Equal(t, `"v"`, p.state(run("HSET h f v")).Reply)
	require.Equal(t, `"v"`, p.state(run(`{"h": {"f": "v"}}`)).Reply)
	require.Contains(t, p.problem(run("SET a")), "wrong number of arguments")
	require.Contains(t, p.problem(run("SET a 1\nHSET 'h")), "line 2")
	require.Contains(t, p.problem(map[string]any{"op": "run", "keys": `"a`}), "quotes")
	for _, waits := range []string{"BLPOP none 0", "BLPOP none 100000", "XREAD BLOCK 0 STREAMS s $", "WAIT 1 0"} {
		require.Contains(t, p.problem(run(waits)), "the command waits", waits)
	}
	require.Equal(t, `"v"`, p.state(run("RPUSH l a\nBLPOP l 0\nMULTI\nHSET h f v\nBLPOP none 0\nEXEC")).Reply)
}

// A case may come from somebody else: it reaches no file, no other server and no limit.
func TestRefusedCommands(t *testing.T) {
	p := open(t)
	for _, command := range []string{
		"CONFIG SET maxmemory 0", "REPLICAOF 127.0.0.1 1", "MIGRATE 127.0.0.1 1 k 0 10", "SAVE", "BGREWRITEAOF", "SHUTDOWN",
		"ACL SETUSER default +@all", "DEBUG SLEEP 100", "CLIENT PAUSE 100000",
	} {
		require.Contains(t, p.problem(map[string]any{"op": "run", "fixture": command}), "NOPERM", command)
	}
	st := p.state(map[string]any{"op": "run", "source": "return redis.call('MIGRATE', '127.0.0.1', 1, 'k', 0, 10)"})
	require.Contains(t, st.Error.Text, "can't run this command")
}

func TestHelpWhileTyping(t *testing.T) {
	p := open(t)
	var c completion
	source := "-- \U0001F600\nredis.call('HGETA"
	p.ask(map[string]any{"op": "complete", "source": source, "at": 23}, &c)
	require.Equal(t, 18, c.From)
	require.Equal(t, "method", c.find("HGETALL").Kind)
	require.Equal(t, "key", c.find("HGETALL").Detail)
	var h known
	p.ask(map[string]any{"op": "hover", "source": "redis.call('GET', KEYS[1])", "at": 13}, &h)
	require.Contains(t, h.Text, "GET")
	var found struct{ Findings []finding }
	p.ask(map[string]any{"op": "check", "source": "return redis.call('GTE', KEYS[1])"}, &found)
	require.NotEmpty(t, found.Findings)
}

func (c completion) find(label string) item {
	for _, i := range c.Items {
		if strings.EqualFold(i.Label, label) {
			return i
		}
	}
	return item{}
}

func TestLinksHoldDocuments(t *testing.T) {
	for _, d := range Examples() {
		d.Breakpoints = []int{3, 5}
		text, err := Pack(d)
		require.NoError(t, err)
		require.NotContains(t, text, "=")
		back, err := Unpack("https://example.org/studio/#" + text)
		require.NoError(t, err)
		require.Equal(t, d, back)
		_, err = Unpack(text[:len(text)/2])
		require.Error(t, err)
	}
	_, err := Unpack("2.abc")
	require.Error(t, err)
}

func TestBadRequests(t *testing.T) {
	p := open(t)
	require.Equal(t, errUnknown.Error(), p.problem(map[string]any{"op": "nosuch"}))
	require.Contains(t, p.problem(map[string]any{"op": "run", "source": strings.Repeat("x", maxSource+1)}), "512 KB")
	require.Contains(t, string(p.s.Handle(t.Context(), []byte("{"))), "not valid")
}
