package server_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/commands"
	"github.com/redmoon-lua/redmoon/internal/core/replication"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// rig is a server without an engine.
type rig struct {
	server.Control
	program *server.Session // has all rights
}

func newRig() *rig {
	s := server.NewServer(datastore.New(datastore.Options{}), commands.Of(servers.Redis70), slog.New(slog.DiscardHandler))
	replication.New(s, replication.Env{})
	s.Store.SetNow(1_700_000_000_000_000)
	return &rig{s, s.NewProgramSession()}
}

// client is a connection.
type client struct {
	*rig
	*server.Session
	got   []string // what is not a reply
	ended bool
}

func (r *rig) connect() *client {
	c := &client{rig: r, Session: r.NewSession("1.2.3.4:5", "")}
	c.Session.Receive = func(v reply.Value, _ int, _ int64) int64 {
		c.got = append(c.got, shown(v))
		return 0
	}
	c.Kill = func(server.Ending) { c.ended = true }
	return c
}

func (r *rig) run(sess *server.Session, line string) reply.Value {
	v := r.Execute(sess, cmdtable.DoorClient, strings.Fields(line))
	if len(sess.OwnPushes)+len(sess.AfterReply) > 0 {
		return sess.TakePushed(v)
	}
	return v
}

// do runs a command line and returns the reply as text.
func (c *client) do(line string) string { return shown(c.run(c.Session, line)) }

// shown writes a reply as one line.
func shown(v reply.Value) string {
	switch {
	case v.Kind() == reply.KindNil || v.Kind() == reply.KindNilArray:
		return "(nil)"
	case v.Kind() == reply.KindArray || v.Kind() == reply.KindPush:
		var list []string
		for _, x := range v.Slice() {
			list = append(list, shown(x))
		}
		return "[" + strings.Join(list, " ") + "]"
	}
	return v.Text()
}

// Each case is what another client does before, and what the client sends; the last reply counts.
// The replies are those of redis-server 7.0.15: they show the order of the checks.
func TestTheGateRefusesInTheOrderOfRedis(t *testing.T) {
	const subscribed = "only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"
	for _, c := range []struct{ before, lines, want string }{
		{"", "nosuch a b", "ERR unknown command 'nosuch', with args beginning with: 'a' 'b' "},
		{"", "nosuch", "ERR unknown command 'nosuch', with args beginning with: "},
		{"", "get", "ERR wrong number of arguments for 'get' command"},
		{"", "get a b", "ERR wrong number of arguments for 'get' command"},
		{"", "config nosuch", "ERR unknown subcommand 'nosuch'. Try CONFIG HELP."},
		{"", "config get", "ERR wrong number of arguments for 'config|get' command"},
		{"", "client", "ERR wrong number of arguments for 'client' command"},
		{"", "set a 1 nosuch", "ERR syntax error"},
		{"config set requirepass pw", "nosuch", "ERR unknown command 'nosuch', with args beginning with: "},
		{"config set requirepass pw", "get", "ERR wrong number of arguments for 'get' command"},
		{"config set requirepass pw", "get a", "NOAUTH Authentication required."},
		{"config set requirepass pw", "config nosuch", "ERR unknown subcommand 'nosuch'. Try CONFIG HELP."},
		{"config set requirepass pw", "exec", "EXECABORT Transaction discarded because of: NOAUTH Authentication required."},
		{"config set requirepass pw", "auth wrong", "WRONGPASS invalid username-password pair or user is disabled."},
		{"config set requirepass pw", "auth pw;get a", "(nil)"},
		{"config set requirepass pw", "multi", "NOAUTH Authentication required."},
		{"acl setuser default -get", "get a", "NOPERM this user has no permissions to run the 'get' command"},
		{"acl setuser default -get", "get", "ERR wrong number of arguments for 'get' command"},
		{"acl setuser default -get", "multi;get a", "NOPERM this user has no permissions to run the 'get' command"},
		{"acl setuser default -get", "multi;get a;exec", "EXECABORT Transaction discarded because of previous errors."},
		{"acl setuser default resetkeys ~b", "get a", "NOPERM this user has no permissions to access one of the keys used as arguments"},
		{"acl setuser default resetchannels", "publish c m",
			"NOPERM this user has no permissions to access one of the channels used as arguments"},
		{"acl setuser default -set;config set maxmemory 1", "set a 1", "NOPERM this user has no permissions to run the 'set' command"},
		{"acl setuser default -multi", "multi", "NOPERM this user has no permissions to run the 'multi' command"},
		{"", "multi;multi", "ERR MULTI calls can not be nested"},
		{"", "multi;watch a", "ERR WATCH inside MULTI is not allowed"},
		{"", "multi;nosuch;exec", "EXECABORT Transaction discarded because of previous errors."},
		{"", "multi;get;exec", "EXECABORT Transaction discarded because of previous errors."},
		{"", "multi;subscribe a", "QUEUED"},
		{"", "multi;monitor", "QUEUED"},
		{"", "multi;set a 1;incr a;get a;exec", "[OK 2 2]"},
		{"", "exec", "ERR EXEC without MULTI"},
		{"", "discard", "ERR DISCARD without MULTI"},
		{"", "multi;discard", "OK"},
		{"", "multi;get a;reset", "RESET"},
		{"", "multi;ping;discard;exec", "ERR EXEC without MULTI"},
		{"config set maxmemory 1", "set a 1", "OOM command not allowed when used memory > 'maxmemory'."},
		{"config set maxmemory 1", "get a", "(nil)"},
		{"config set maxmemory 1", "del a", "0"},
		{"config set maxmemory 1", "multi;set a 1;exec", "EXECABORT Transaction discarded because of previous errors."},
		{"config set maxmemory 1", "multi;get a;exec", "EXECABORT Transaction discarded because of previous errors."},
		{"config set maxmemory 1;config set min-replicas-to-write 1", "set a 1", "OOM command not allowed when used memory > 'maxmemory'."},
		{"config set maxmemory 1", "nosuch", "ERR unknown command 'nosuch', with args beginning with: "},
		{"config set min-replicas-to-write 1", "set a 1", "NOREPLICAS Not enough good replicas to write."},
		{"config set min-replicas-to-write 1", "get a", "(nil)"},
		{"config set min-replicas-to-write 1", "set a", "ERR wrong number of arguments for 'set' command"},
		{"config set min-replicas-to-write 1", "multi;set a 1;exec", "EXECABORT Transaction discarded because of previous errors."},
		{"config set min-replicas-to-write 1", "multi;get a;exec", "[(nil)]"},
		{"", "subscribe c;get a", "ERR Can't execute 'get': " + subscribed},
		{"", "subscribe c;nosuch", "ERR unknown command 'nosuch', with args beginning with: "},
		{"", "subscribe c;ping", "[pong ]"},
		{"", "subscribe c;get", "ERR wrong number of arguments for 'get' command"},
		{"", "subscribe c;config get x", "ERR Can't execute 'config|get': " + subscribed},
		{"config set min-replicas-to-write 1", "subscribe c;set a 1", "NOREPLICAS Not enough good replicas to write."},
		{"config set maxmemory 1", "subscribe c;set a 1", "OOM command not allowed when used memory > 'maxmemory'."},
		{"acl setuser default -get", "subscribe c;get a", "NOPERM this user has no permissions to run the 'get' command"},
		{"", "watch a;set a 1;multi;ping;exec", "(nil)"},
		{"", "watch a;unwatch;set a 1;multi;ping;exec", "[PONG]"},
		{"", "watch a;multi;set a 1;exec", "[OK]"},
		{"", "watch a;del a;multi;ping;exec", "[PONG]"},
		{"", "set a 1;watch a;expire a 0;multi;ping;exec", "(nil)"},
		{"", "watch a;select 1;set a 1;select 0;multi;ping;exec", "[PONG]"},
		{"", "watch a;flushall;multi;ping;exec", "[PONG]"},
		{"", "set a 1;watch a;flushall;multi;ping;exec", "(nil)"},
		{"", "watch a;set a 1;discard", "ERR DISCARD without MULTI"},
		{"set a x", "incr a", "ERR value is not an integer or out of range"},
		{"rpush a x", "get a", "WRONGTYPE Operation against a key holding the wrong kind of value"},
	} {
		r := newRig()
		for line := range strings.SplitSeq(c.before, ";") {
			if line != "" {
				v := r.run(r.program, line)
				require.False(t, v.IsError(), "%s: %s", line, v.Text())
			}
		}
		client, got := r.connect(), ""
		for line := range strings.SplitSeq(c.lines, ";") {
			got = client.do(line)
		}
		require.Equal(t, c.want, got, "%s: %s", c.before, c.lines)
	}
}
