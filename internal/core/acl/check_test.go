package acl_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
)

// userOf returns a user with these rules, which is in a list.
func userOf(t *testing.T, rules string) *acl.User {
	t.Helper()
	a, _ := newList()
	require.Empty(t, a.SetUser("u", strings.Fields(rules)), rules)
	return a.Users["u"]
}

// words splits a command line; two quotes are an empty word.
func words(line string) []string {
	args := strings.Fields(line)
	for i, word := range args {
		args[i] = strings.ReplaceAll(word, "''", "")
	}
	return args
}

// The answers are those of ACL DRYRUN of redis-server 7.0.15.
func TestCommandsKeysAndChannelsAreChecked(t *testing.T) {
	kinds := map[acl.Denial]string{acl.DeniedCommand: " command", acl.DeniedKey: " key", acl.DeniedChannel: " channel"}
	for _, c := range []struct{ rules, line, want string }{
		{"+get ~a*", "get abc", "OK"},
		{"+get ~a*", "get b", "b key"},
		{"+get ~a*", "set a 1", "set command"},
		{"+GET ~a?", "GeT ab", "OK"},
		{"-@all", "ping", "ping command"},
		{"-@all", "auth x", "OK"},
		{"-@all", "hello", "OK"},
		{"-@all", "quit", "OK"},
		{"-@all", "reset", "OK"},
		{"+@all", "get k", "k key"},
		{"+@all ~a", "mget a b a", "b key"},
		{"+@all ~a ~b", "mget a b", "OK"},
		{"+@all %R~a", "get a", "OK"},
		{"+@all %R~a", "set a 1", "a key"},
		{"+@all %W~a", "set a 1", "OK"},
		{"+@all %W~a", "get a", "a key"},
		{"+@all %W~a", "set a 1 get", "a key"},
		{"+@all %W~a", "getset a 1", "a key"},
		{"+@all %R~a", "exists a", "OK"},
		{"+@all %W~a", "exists a", "OK"},
		{"+@all %W~a", "strlen a", "OK"},
		{"+@all %W~a", "append a b", "OK"},
		{"+@all %W~a", "incr a", "a key"},
		{"+@all %R~a %W~b", "copy a b", "OK"},
		{"+@all %R~a %W~b", "copy b a", "b key"},
		{"+@all %R~a %W~b", "rename a b", "a key"},
		{"+@all ~a %W~b", "rename a b", "OK"},
		{"+@all ~a", "rename a b", "b key"},
		{"+@all %R~a* %W~a1", "set a1 v get", "a1 key"},
		{"+@all %R~s* %W~d", "zunionstore d 2 s1 s2", "OK"},
		{"+@all %R~s* %W~d", "zunionstore s1 2 s1 d", "s1 key"},
		{"+@all %R~s* %W~d", "sunionstore d s1 d", "d key"},
		{"+@all ~a", "xread count 1 streams a b 0 0", "b key"},
		{"+@all ~a", "xreadgroup group g c streams a b > >", "b key"},
		{"+@all ~a", "eval x 2 a b", "b key"},
		{"+@all ~a", "eval x 0", "OK"},
		{"+@all ~a", "eval x 1 a b", "OK"},
		{"+@all ~a", "sort a store b", "b key"},
		{"+@all ~a", "bitfield a get u8 0", "OK"},
		{"+@all %R~a", "bitfield a get u8 0", "OK"},
		{"+@all %R~a", "bitfield a set u8 0 1", "a key"},
		{"+@all ~a", "migrate h 1 b 0 1", "b key"},
		{"+@all ~a", "migrate h 1 '' 0 1 keys a b", "b key"},
		{"+@all ~a", "object encoding b", "b key"},
		{"+@all ~a", "memory usage b", "b key"},
		{"+@all ~a", "georadius b 0 0 1 m", "b key"},
		{"+@all &c*", "publish c1 m", "OK"},
		{"+@all &c*", "publish d m", "d channel"},
		{"+@all &c*", "subscribe c1 d", "d channel"},
		{"+@all &c*", "subscribe c1 c2", "OK"},
		{"+@all &c*", "psubscribe c1", "c1 channel"},
		{"+@all &c*", "psubscribe c*", "OK"},
		{"+@all &c*", "psubscribe c* *", "* channel"},
		{"+@all &c*", "ssubscribe c1 d", "d channel"},
		{"+@all &c*", "spublish d m", "d channel"},
		{"+@all", "unsubscribe d", "OK"},
		{"+@all", "pubsub channels", "OK"},
		{"+@all &*", "psubscribe *", "OK"},
		{"+@all", "publish c m", "c channel"},
		{"+select|0", "select 0", "OK"},
		{"+select|0", "select 1", "select command"},
		{"+get|KEY ~*", "get key", "OK"},
		{"+config|get", "config get x", "OK"},
		{"+config|get", "config set a b", "config|set command"},
		{"+config -config|get", "config get x", "config|get command"},
		{"+config -config|get", "config resetstat", "OK"},
		{"+@all -client|kill", "client kill a", "client|kill command"},
		{"(+get ~a) (+set ~b)", "get a", "OK"},
		{"(+get ~a) (+set ~b)", "get b", "b key"},
		{"(+get ~a) (+set ~b)", "set b 1", "OK"},
		{"(+get ~a) (+set ~b)", "set a 1", "a key"},
		{"(+get ~a) (+set ~b)", "del a", "del command"},
		{"+get ~a (+get ~b)", "get b", "OK"},
		{"+mget ~a (+mget ~b)", "mget a b", "b key"},
		{"+mget ~a (+mget ~b)", "mget b a", "a key"},
		{"+mget ~a (+mget ~b ~c)", "mget b c a", "a key"},
		{"+get ~a (+publish &c)", "publish d m", "d channel"},
		{"+@all ~a (+@all &c)", "publish d m", "d channel"},
		{"+@read ~*", "get a", "OK"},
		{"+@read ~*", "set a 1", "set command"},
		{"+@all -@dangerous ~*", "keys *", "keys command"},
		{"+@all -@dangerous ~*", "flushall", "flushall command"},
		{"+@hash -hget ~*", "hset h f v", "OK"},
		{"+@hash -hget ~*", "hget h f", "hget command"},
		{"~* +@all -@all", "get a", "get command"},
		{"allkeys +get resetkeys", "get a", "a key"},
		{"+@all ~[ab]x", "mget ax bx cx", "cx key"},
		{"+@all ~a", "lmpop 2 a b left", "b key"},
		{"+@all ~a", "get A", "A key"},
	} {
		args := words(c.line)
		spec := cmdrows.TableOf(servers.Redis70).Resolve(args)
		got := "OK"
		if why, at := userOf(t, c.rules).Check(spec, args, acl.Place{}); why != acl.Allowed {
			got = acl.DeniedObject(why, spec, args, at) + kinds[why]
		}
		require.Equal(t, c.want, got, "%s: %s", c.rules, c.line)
	}
}

func TestAUserIsRestrictedUnlessOneSelectorAllowsEverything(t *testing.T) {
	for rules, want := range map[string]bool{
		"~* &* +@all":             false,
		"~* &* +@all -get":        true,
		"~* &* +@all -get +get":   true, // commands that a later version has are not allowed either
		"~* +@all":                true,
		"&* +@all":                true,
		"~* &*":                   true,
		"~a (~* &* +@all)":        false,
		"~* (&* +@all)":           true,
		"~* &* +@all resetkeys":   true,
		"(~* &* +@all) +@all on":  false,
		"(~* &* +@all) reset ~*":  true,
		"%R~* &* +@all":           true,
		"%RW~* &* +@all":          true,
		"~* &* +@all nopass off":  false,
		"~* &* -@all +@all":       false,
		"~* &* allcommands ~* &*": false,
	} {
		require.Equal(t, want, userOf(t, rules).Restricted, rules)
	}
}

// SORT with BY or GET needs it.
func TestReadingAllKeysIsARightOfOneSelector(t *testing.T) {
	for rules, want := range map[string]bool{
		"~* +sort":               true,
		"%R~* +sort":             true,
		"~a %R~* +sort":          true,
		"%W~* %R~a +sort":        false,
		"~a +sort":               false,
		"~a* +sort":              false,
		"~* -sort":               false,
		"~a +sort (~* +get)":     false,
		"~a +sort (~* +sort)":    true,
		"~a +sort (%R~* +@read)": false,
	} {
		args := []string{"sort", "a", "by", "w_*"}
		require.Equal(t, want, userOf(t, rules).ReadsAllKeys(cmdrows.TableOf(servers.Redis70).Lookup("sort"), args, acl.Place{}), rules)
	}
	var nobody *acl.User
	require.True(t, nobody.ReadsAllKeys(nil, nil, acl.Place{}), "a session of the program itself")
}
