package commands

import (
	"testing"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/stretchr/testify/require"
)

// enable-debug-command cannot be changed while the server runs, so the comparison with Redis does
// not cover it.
func TestWhoMayDebug(t *testing.T) {
	for _, c := range []struct {
		enable, addr string
		allowed      bool
	}{
		{"local", "", true},
		{"local", "127.0.0.1:5000", true},
		{"local", "[::1]:5000", true},
		{"local", "/tmp/redmoon.sock:0", true},
		{"local", "10.0.0.1:5000", false},
		{"local", "[2001:db8::1]:5000", false},
		{"yes", "10.0.0.1:5000", true},
		{"no", "127.0.0.1:5000", false},
		{"no", "", false},
	} {
		p := newPeer()
		p.Config.Fix("enable-debug-command", c.enable)
		p.sess = p.NewSession(c.addr, "")
		v := p.do("DEBUG PROTOCOL integer")
		if c.allowed {
			require.Equal(t, int64(12345), v.MustInt(), "%+v", c)
			continue
		}
		require.Equal(t, errtext.DebugRefused, v.Text(), "%+v", c)
		require.Equal(t, cmdtable.ErrArity(p.Table.Lookup("debug")), p.do("DEBUG").Text(), "the number of arguments is looked at first")
		p.do("MULTI")
		require.Equal(t, errtext.DebugRefused, p.do("DEBUG HELP").Text())
		require.Equal(t, errtext.ExecAbort, p.do("EXEC").Text())
	}
}

func TestWhatEndsARedisServerIsRefused(t *testing.T) {
	p := newPeer()
	for _, name := range []string{"ASSERT", "CRASH-AND-RECOVER", "CRASH-AND-RECOVER 10", "OOM", "PANIC", "RESTART", "SEGFAULT", "SEGFAULT x"} {
		require.Contains(t, p.do("DEBUG "+name).Text(), "would end the program", name)
	}
	require.Equal(t, errtext.NotInteger, p.do("DEBUG RESTART x").Text())
	p.do("SET k v")
	require.Equal(t, "OK", p.do("DEBUG LOADAOF").Text())
	require.True(t, p.do("DEBUG RELOAD NOFLUSH").IsError(), "the key is there already")
	require.Equal(t, "v", p.do("GET k").Text())
}

func TestReloadOfWhatWasNeverSaved(t *testing.T) {
	p := newPeer()
	p.do("SET k v")
	require.Equal(t, "ERR Error trying to load the RDB dump", p.do("DEBUG RELOAD NOSAVE").Text())
	require.Zero(t, p.do("DBSIZE").MustInt())
}

func TestScriptsMayNotNestWhenTheirListIsLifted(t *testing.T) {
	p := newPeer()
	p.do("DEBUG SET-DISABLE-DENY-SCRIPTS 1")
	p.StartScript(&server.Ctx{Server: p.Server(), Session: p.sess, DB: p.sess.DB, Proto: 2}, "", nil, server.Rights{CrossSlot: true})
	sess := &p.Run.Session
	require.Equal(t, "OK", p.Execute(sess, cmdtable.DoorScript, []string{"DEBUG", "SLEEP", "0"}).Text())
	for _, line := range [][]string{{"EVAL", "x", "0"}, {"MULTI"}, {"WATCH", "k"}, {"SELECT", "99999", "x"}} {
		require.True(t, p.Execute(sess, cmdtable.DoorScript, line).IsError(), line)
	}
}
