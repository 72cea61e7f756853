package commands

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/commands/connectioncmds"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// fakeScripts runs a "script" whose source is a command line, through the script door. It adds
// Redis's trailer to errors. A source that begins with a dash is an error of the script itself.
type fakeScripts struct{ s server.Control }

func (f fakeScripts) Eval(c *server.Ctx, source string, _, _ []string, readOnly bool) reply.Value {
	f.s.StartScript(c, "", nil, server.Rights{CrossSlot: true})
	sess := &f.s.Run.Session
	door := cmdtable.DoorScript
	if readOnly {
		door = cmdtable.DoorScriptRO
	}
	if source[0] == '-' {
		return reply.Err(source[1:])
	}
	last := reply.Nil()
	for _, line := range strings.Split(source, ";") {
		last = f.s.Execute(sess, door, strings.Fields(line))
	}
	if last.IsError() {
		return reply.Counted(reply.Err(last.Text() + " script: x, on @user_script:1."))
	}
	return last
}

func (f fakeScripts) EvalSHA(*server.Ctx, string, []string, []string, bool) reply.Value {
	return reply.Err(errtext.NoScript.Of(servers.Redis70))
}
func (f fakeScripts) Source(string) (string, bool) { return "", false }

func (f fakeScripts) RunCompiled(*server.Ctx, []string, []string, bool) reply.Value {
	return reply.Nil()
}
func (f fakeScripts) Load(*server.Ctx, string) reply.Value { return reply.Bulk("x") }
func (f fakeScripts) Exists(string) bool                   { return false }

func (f fakeScripts) Flags(string, bool) server.ScriptFlags { return server.ScriptFlags{} }
func (f fakeScripts) Flush()                                {}
func (f fakeScripts) Len() int                              { return 0 }
func (f fakeScripts) Bytes() int                            { return 0 }

// noFunctions has no libraries.
type noFunctions struct{ server.Functions }

func (noFunctions) Flush()                         {}
func (noFunctions) Bytes() int                     { return 0 }
func (noFunctions) List() []server.FunctionLibrary { return nil }
func (noFunctions) Restore(*server.Ctx, []string, reply.Value, server.RestorePolicy) reply.Value {
	return reply.OK()
}

// peer is a server with one client whose commands are written as one line.
type peer struct {
	server.Control
	sess *server.Session
}

func newPeer() *peer { return newPeerOf(Of(servers.Redis70)) }

func newPeerOf(c *server.Commands) *peer {
	s := server.NewServer(datastore.New(datastore.Options{}), c, slog.New(slog.DiscardHandler))
	s.Scripts, s.Functions = fakeScripts{s}, noFunctions{}
	return &peer{s, s.NewSession("", "")}
}

func (p *peer) do(line string) reply.Value {
	return p.Execute(p.sess, cmdtable.DoorClient, strings.Fields(line))
}

func (p *peer) script(line string) string {
	return p.Execute(p.sess, cmdtable.DoorClient, []string{"EVAL", line, "0"}).Text()
}

func TestScriptDoorRefusals(t *testing.T) {
	p := newPeer()
	const trailer = " script: x, on @user_script:1."
	for line, want := range map[string]string{
		"nosuch":          "ERR Unknown Redis command called from script",
		"client nosuch":   "ERR Unknown Redis command called from script",
		"command nosuch":  "ERR Unknown Redis command called from script",
		"echo":            "ERR Wrong number of args calling Redis command from script",
		"client":          "ERR Wrong number of args calling Redis command from script",
		"config get":      "ERR Wrong number of args calling Redis command from script",
		"blpop a":         "ERR Wrong number of args calling Redis command from script",
		"blpop a 0":       "ERR This Redis command is not allowed from script",
		"multi":           "ERR This Redis command is not allowed from script",
		"client id":       "ERR This Redis command is not allowed from script",
		"script exists a": "ERR This Redis command is not allowed from script",
		"select 99":       "ERR DB index is out of range",
	} {
		require.Equal(t, want+trailer, p.script(line), line)
	}
	require.Equal(t, "PONG", p.script("PiNG"))
	require.True(t, p.Execute(p.sess, cmdtable.DoorScript, []string{"nosuch"}).Refused())
	require.False(t, p.Execute(p.sess, cmdtable.DoorScript, []string{"select", "99"}).Refused())
}

func TestScriptSelectStaysInTheScript(t *testing.T) {
	p := newPeer()
	require.Equal(t, "OK", p.script("select 3"))
	require.Equal(t, 0, p.sess.DB.ID())
}

func TestErrorsOfScriptsAreCountedOnce(t *testing.T) {
	p := newPeer()
	p.script("select 99")          // handed on
	p.script("select 99;ping")     // swallowed
	p.script("nosuch;nosuch;ping") // two swallowed
	p.script("-MY own")
	p.do("select 99") // the same text, but not of a script
	require.Equal(t, map[string]int64{"ERR": 5, "MY": 1}, p.Stats.Errors)
	require.EqualValues(t, 6, p.Stats.ErrorReplies)
	require.EqualValues(t, 2, p.Stats.Calls.Of(p.Table.Lookup("eval").ID).Failed)
}

func TestRejectionsAreCounted(t *testing.T) {
	p := newPeer()
	p.do("echo")
	p.script("echo")
	st := p.Stats.Calls.Of(p.Table.Lookup("echo").ID)
	require.Equal(t, server.CallStat{Rejected: 2}, *st)
}

func TestMutedReplies(t *testing.T) {
	p := newPeer()
	none := func(line string) {
		t.Helper()
		require.Equal(t, reply.KindNone, p.do(line).Kind(), line)
	}
	none("client reply skip")
	none("nosuch")
	require.Equal(t, "PONG", p.do("ping").Text())
	none("client reply off")
	none("ping")
	none("get")
	require.Equal(t, "OK", p.do("client reply on").Text())
	p.do("multi")
	p.do("ping")
	p.do("client reply off")
	p.do("ping")
	v := p.do("exec")
	require.Equal(t, reply.KindNone, v.Slice()[2].Kind())
	require.Equal(t, "PONG", v.Slice()[0].Text())
	none("ping")
}

func TestSessionsWithAnAddressNeedThePassword(t *testing.T) {
	p := newPeer()
	p.do("config set requirepass secret")
	tcp := &peer{p.Control, p.NewSession("1.2.3.4:5", "")}
	require.Equal(t, errtext.NoAuth, tcp.do("ping").Text())
	require.Equal(t, errtext.ExecAbortOf+errtext.NoAuth, tcp.do("exec").Text())
	require.Equal(t, connectioncmds.ErrWrongPass, tcp.do("auth wrong").Text())
	require.Equal(t, "OK", tcp.do("auth secret").Text())
	require.Equal(t, "PONG", tcp.do("ping").Text())
	tcp.do("reset")
	require.Equal(t, errtext.NoAuth, tcp.do("ping").Text())
	require.Equal(t, "PONG", p.do("ping").Text())
}

func TestTimedCommands(t *testing.T) {
	p := newPeer()
	p.Owner = &testOwner{step: 3000}
	p.do("ping")
	require.Contains(t, p.do("info commandstats").Text(), "cmdstat_ping:calls=1,usec=3,usec_per_call=3.00,rejected_calls=0,failed_calls=0\r\n")
}

func BenchmarkExecute(b *testing.B) {
	rows := func() []*cmdtable.Spec { return []*cmdtable.Spec{{Name: "noop", Arity: -1}} }
	handlers := map[string]server.Handler{"noop": func(*server.Ctx) reply.Value { return reply.OK() }}
	p := newPeerOf(server.NewCommands(cmdtable.NewTable(servers.Redis70, []func() []*cmdtable.Spec{rows}), handlers))
	args := []string{"noop", "a"}
	for _, door := range []cmdtable.Door{cmdtable.DoorClient, cmdtable.DoorScript} {
		b.Run([]string{"client", "script"}[door], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Execute(p.sess, door, args)
			}
		})
	}
}
