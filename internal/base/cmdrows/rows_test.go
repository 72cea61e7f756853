package cmdrows_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// What COMMAND INFO of redis-server 7.0.15 says: arity, flags, categories, and the first key, the
// last key and the step.
func TestRowsAreThoseOfCommandInfo(t *testing.T) {
	table := cmdrows.TableOf(servers.Redis70)
	for _, c := range []struct {
		name              string
		arity             int
		flags, cats, keys string
	}{
		{"get", 2, "readonly fast", "read string fast", "1 1 1"},
		{"set", -3, "write denyoom", "write string slow", "1 1 1"},
		{"mget", -2, "readonly fast", "read string fast", "1 -1 1"},
		{"config|set", -4, "admin noscript loading stale", "admin slow dangerous", "0 0 0"},
		{"eval", -3, "noscript stale skip_monitor no_mandatory_keys movablekeys", "slow scripting", "0 0 0"},
		{"eval_ro", -3, "readonly noscript stale skip_monitor no_mandatory_keys movablekeys", "slow scripting", "0 0 0"},
		{"sort", -2, "write denyoom movablekeys", "write set sortedset list slow dangerous", "1 1 1"},
		{"sort_ro", -2, "readonly movablekeys", "read set sortedset list slow dangerous", "1 1 1"},
		{"bitfield", -2, "write denyoom", "write bitmap slow", "1 1 1"},
		{"pfcount", -2, "readonly", "read hyperloglog slow", "1 -1 1"},
		{"xread", -4, "readonly blocking movablekeys", "read stream slow blocking", "0 0 0"},
		{"blpop", -3, "write noscript blocking", "write list slow blocking", "1 -2 1"},
		{"publish", 3, "pubsub loading stale fast", "pubsub fast", "0 0 0"},
		{"spublish", 3, "pubsub loading stale fast", "pubsub fast", "1 1 1"},
		{"subscribe", -2, "pubsub noscript loading stale", "pubsub slow", "0 0 0"},
		{"multi", 1, "noscript loading stale fast allow_busy", "fast transaction", "0 0 0"},
		{"exec", 1, "noscript loading stale skip_slowlog", "slow transaction", "0 0 0"},
		{"auth", -2, "noscript loading stale fast no_auth allow_busy", "fast connection", "0 0 0"},
		{"hello", -1, "noscript loading stale fast no_auth allow_busy", "fast connection", "0 0 0"},
		{"client|kill", -3, "admin noscript loading stale", "admin slow dangerous connection", "0 0 0"},
		{"acl|setuser", -3, "admin noscript loading stale", "admin slow dangerous", "0 0 0"},
		{"debug", -2, "admin noscript loading stale", "admin slow dangerous", "0 0 0"},
		{"keys", 2, "readonly", "keyspace read slow dangerous", "0 0 0"},
		{"flushall", -1, "write", "keyspace write slow dangerous", "0 0 0"},
		{"object|encoding", 3, "readonly", "keyspace read slow", "2 2 1"},
		{"memory|usage", -3, "readonly", "read slow", "2 2 1"},
		{"expire", -3, "write fast", "keyspace write fast", "1 1 1"},
		{"xgroup|create", -5, "write denyoom", "write stream slow", "2 2 1"},
		{"zunionstore", -4, "write denyoom movablekeys", "write sortedset slow", "1 1 1"},
		{"georadius", -6, "write denyoom movablekeys", "write geo slow", "1 1 1"},
		{"migrate", -6, "write movablekeys", "keyspace write slow dangerous", "3 3 1"},
		{"restore", -4, "write denyoom", "keyspace write slow dangerous", "1 1 1"},
		{"shutdown", -1, "admin noscript loading stale no_multi allow_busy", "admin slow dangerous", "0 0 0"},
		{"psync", -3, "admin noscript no_async_loading no_multi", "admin slow dangerous", "0 0 0"},
		{"replconf", -1, "admin noscript loading stale allow_busy", "admin slow dangerous", "0 0 0"},
		{"slowlog|get", -2, "admin loading stale", "admin slow dangerous", "0 0 0"},
		{"latency|doctor", 2, "admin noscript loading stale", "admin slow dangerous", "0 0 0"},
		{"cluster|info", 2, "stale", "slow", "0 0 0"},
		{"script|load", 3, "noscript stale", "slow scripting", "0 0 0"},
		{"function|load", -3, "write denyoom noscript", "write slow scripting", "0 0 0"},
		{"fcall_ro", -3, "readonly noscript stale skip_monitor no_mandatory_keys movablekeys", "slow scripting", "0 0 0"},
		{"wait", 3, "noscript", "slow connection", "0 0 0"},
		{"command", -1, "loading stale", "slow connection", "0 0 0"},
		{"command|docs", -2, "loading stale", "slow connection", "0 0 0"},
		{"scan", -2, "readonly", "keyspace read slow", "0 0 0"},
		{"select", 2, "loading stale fast", "fast connection", "0 0 0"},
		{"ping", -1, "fast", "fast connection", "0 0 0"},
		{"quit", -1, "noscript loading stale fast no_auth allow_busy", "fast connection", "0 0 0"},
		{"reset", 1, "noscript loading stale fast no_auth allow_busy", "fast connection", "0 0 0"},
		{"monitor", 1, "admin noscript loading stale", "admin slow dangerous", "0 0 0"},
	} {
		s := table.ByFullName(c.name)
		require.NotNil(t, s, c.name)
		var flags, cats []string
		for _, f := range cmdtable.FlagNames(servers.Redis70) {
			if s.Flags&f.Flag != 0 {
				flags = append(flags, f.Name)
			}
		}
		for _, n := range cmdtable.CatNames() {
			if s.Categories()&n.Cat != 0 {
				cats = append(cats, n.Name)
			}
		}
		first, last, step := s.LegacyRange()
		require.Equal(t, c.arity, s.Arity, c.name)
		require.Equal(t, c.flags, strings.Join(flags, " "), c.name)
		require.Equal(t, c.cats, strings.Join(cats, " "), c.name)
		require.Equal(t, c.keys, fmt.Sprint(first, last, step), c.name)
	}
}

// The keys with their flags are those of COMMAND GETKEYSANDFLAGS of redis-server 7.0.15, or none
// where it has an error.
func TestKeysOfCommandLines(t *testing.T) {
	table := cmdrows.TableOf(servers.Redis70)
	for _, c := range []struct{ line, want string }{
		{"get k", "k:RO,access"},
		{"set k v", "k:OW,update"},
		{"mget a b c", "a:RO,access b:RO,access c:RO,access"},
		{"mset a 1 b 2", "a:OW,update b:OW,update"},
		{"msetnx a 1", "a:OW,insert"},
		{"del a b", "a:RM,delete b:RM,delete"},
		{"config get x", ""},
		{"object encoding k", "k:RO"},
		{"memory usage k samples 5", "k:RO"},
		{"memory doctor", ""},
		{"eval s 2 a b c", "a:RW,access,update b:RW,access,update"},
		{"eval s 0", ""},
		{"eval s 0 a", ""},
		{"eval s 3 a b", ""},
		{"eval s x a", ""},
		{"eval s 2x a b", "a: b:"},
		{"eval s -1 a", ""},
		{"fcall f 1 a b", "a:RW,access,update"},
		{"zunionstore d 2 a b", "d:OW,update a:RO,access b:RO,access"},
		{"zunionstore d 2 a b weights 1 2", "d:OW,update a:RO,access b:RO,access"},
		{"zunionstore d 3 a b", ""},
		{"zinterstore d 0 a", ""},
		{"zunion 2 a b", "a:RO,access b:RO,access"},
		{"zdiff 2 a b withscores", "a:RO,access b:RO,access"},
		{"zinter 1x a", "a:"},
		{"zmpop 2 a b min", "a:RW,access,delete b:RW,access,delete"},
		{"lmpop 1 a left count 2", "a:RW,access,delete"},
		{"blmpop 0 2 a b left", "a:RW,access,delete b:RW,access,delete"},
		{"blpop a b 0", "a:RW,access,delete b:RW,access,delete"},
		{"blmove a b left right 0", "a:RW,access,delete b:RW,insert"},
		{"bzpopmin a b 0", "a:RW,access,delete b:RW,access,delete"},
		{"sintercard 2 a b limit 1", "a:RO,access b:RO,access"},
		{"rpoplpush a b", "a:RW,access,delete b:RW,insert"},
		{"rename a b", "a:RW,access,delete b:OW,update"},
		{"copy a b db 1", "a:RO,access b:OW,update"},
		{"smove a b m", "a:RW,access,delete b:RW,insert"},
		{"sunionstore d a b", "d:OW,update a:RO,access b:RO,access"},
		{"pfmerge d", ""},
		{"pfmerge d a b", "d:RW,access,insert a:RO,access b:RO,access"},
		{"pfcount a b", "a:RW,access b:RW,access"},
		{"bitop and d a b", "d:OW,update a:RO,access b:RO,access"},
		{"bitfield k get u8 0", "k:RO,access"},
		{"bitfield k set u8 0 1", "k:RW,access,update"},
		{"bitfield_ro k get u8 0", "k:RO,access"},
		{"xread streams a b 0 0", "a:RO,access b:RO,access"},
		{"xread count 2 block 0 streams a 0", "a:RO,access"},
		{"xread STREAMS a b c 0 0 0", "a:RO,access b:RO,access c:RO,access"},
		{"xread streams a", ""},
		{"xread streams a b 0", "a:RO,access"},
		{"xread count 1 a 0", ""},
		{"xreadgroup group g streams streams a b > >", "a:RO,access b:RO,access"},
		{"xreadgroup group g c count 1 noack streams a >", "a:RO,access"},
		{"xgroup create k g 0", "k:RW,insert"},
		{"xinfo stream k", "k:RO,access"},
		{"xack k g 1", "k:RW,update"},
		{"sort k", "k:RO,access"},
		{"sort k store d", "k:RO,access d:OW,update"},
		{"sort k by w get # get o_* store d store e", "k:RO,access e:OW,update"},
		{"sort k limit 0 1 store d", "k:RO,access d:OW,update"},
		{"sort k by store store d", "k:RO,access d:OW,update"},
		{"sort_ro k by w", "k:RO,access"},
		{"georadius k 0 0 1 m", "k:RO,access"},
		{"georadius k 0 0 1 m store d", "k:RO,access d:OW,update"},
		{"georadius k 0 0 1 m storedist d store e", "k:RO,access e:OW,update d:OW,update"},
		{"georadius k 0 0 1 m count 1 any STORE d", "k:RO,access d:OW,update"},
		{"georadiusbymember k m 1 m store d", "k:RO,access d:OW,update"},
		{"geosearchstore d s frommember m byradius 1 m", "d:OW,update s:RO,access"},
		{"migrate h 1 k 0 100", "k:RW,access,delete"},
		{"migrate h 1 k 0 100 copy auth keys", "k:RW,access,delete"},
		{"migrate h 1 '' 0 100 keys a b", "a:RW,access,delete b:RW,access,delete"},
		{"migrate h 1 '' 0 100 auth keys keys a b", "a:RW,access,delete b:RW,access,delete"},
		{"migrate h 1 '' 0 100 auth2 keys x keys a", "a:RW,access,delete"},
		{"migrate h 1 k 0 100 keys a b", ""},
		{"set k v get", "k:RW,access,update"},
		{"set k v ex 10", "k:OW,update"},
		{"set k v KEEPTTL GET", "k:RW,access,update"},
		{"getex k", "k:RW,access,update"},
		{"getdel k", "k:RW,access,delete"},
		{"lcs a b len", "a:RO,access b:RO,access"},
		{"publish c m", ""},
		{"spublish c m", ""},
		{"subscribe c", ""},
		{"ssubscribe a b", ""},
		{"lpos k e", "k:RO,access"},
		{"zrangestore d s 0 1", "d:OW,update s:RO,access"},
		{"substr k 0 1", "k:RO,access"},
		{"watch a b", "a:RO b:RO"},
		{"exists a b", "a:RO b:RO"},
		{"touch a b", "a:RO b:RO"},
		{"unlink a b", "a:RM,delete b:RM,delete"},
		{"object help", ""},
		{"sdiff a b", "a:RO,access b:RO,access"},
		{"command getkeys get k", ""},
		{"command getkeysandflags get k", ""},
		{"restore-asking k 0 x", "k:OW,update"},
		{"evalsha s 1 k", "k:RW,access,update"},
		{"eval_ro s 1 k", "k:RO,access"},
		{"fcall_ro f 1 k", "k:RO,access"},
		{"debug object k", ""},
		{"keys p", ""},
		{"wait 1 0", ""},
		{"xautoclaim k g c 0 0", "k:RW,delete"},
		{"zadd k 1 m", "k:RW,update"},
		{"lmove a b left right", "a:RW,access,delete b:RW,insert"},
		{"hset k f v", "k:RW,update"},
		{"sort_ro k get # store d", "k:RO,access"},
	} {
		args := strings.Fields(c.line)
		for i, arg := range args {
			args[i] = strings.ReplaceAll(arg, "''", "")
		}
		var keys []string
		for _, k := range table.Resolve(args).FindKeys(args) {
			if k.Flags&cmdtable.NotKey != 0 {
				continue // a shard channel, which decides the slot only
			}
			var flags []string
			for _, n := range cmdtable.KeyFlagNames() {
				if k.Flags&n.Flag != 0 && n.Flag != cmdtable.VariableFlags {
					flags = append(flags, n.Name)
				}
			}
			keys = append(keys, args[k.Pos]+":"+strings.Join(flags, ","))
		}
		require.Equal(t, c.want, strings.Join(keys, " "), c.line)
	}
}

func TestEveryRowIsWhole(t *testing.T) {
	for _, c := range servers.All() {
		table := cmdrows.TableOf(c)
		seen := map[string]bool{}
		for _, s := range table.All {
			name := s.FullName()
			require.False(t, seen[name], name)
			seen[name] = true
			require.Equal(t, strings.ToLower(name), name)
			require.NotZero(t, s.Arity, name)
			require.NotEmpty(t, s.Since, name)
			require.NotEmpty(t, s.Summary, name)
			require.False(t, strings.HasSuffix(s.Summary, "."), name)
			require.NotPanics(t, func() { s.Arguments() }, name)
			if s.Parent == nil {
				require.NotEmpty(t, s.Group, name)
			}
			require.False(t, s.Flags&cmdtable.Write != 0 && s.Flags&cmdtable.ReadOnly != 0, name)
			checkKeysOfSyntax(t, s)
		}
	}
}

// checkKeysOfSyntax checks that each key in the syntax names a key-spec of its row.
func checkKeysOfSyntax(t *testing.T, s *cmdtable.Spec) {
	var check func(args []cmdtable.Arg)
	check = func(args []cmdtable.Arg) {
		for _, a := range args {
			if a.Type == "key" {
				require.Less(t, a.KeySpec, max(len(s.Keys), 1), "%s: %s", s.FullName(), a.Name)
			}
			check(a.Args)
		}
	}
	check(s.Arguments())
}

func TestTheTablesHaveTheCommandsOfTheirVersions(t *testing.T) {
	for name, since := range map[string]servers.Since{
		"get": "", "xread": "", "hexpire": "7.4.0/9.0.0", "hgetex": "8.0.0/9.0.0",
	} {
		for _, c := range servers.All() {
			require.Equal(t, c.HasSince(since), cmdrows.TableOf(c).Lookup(name) != nil, "%s in %s", name, c)
		}
	}
	require.Same(t, cmdrows.TableOf(servers.Redis70), cmdrows.TableOf(servers.Redis70))
	require.NotSame(t, cmdrows.TableOf(servers.Redis70).Lookup("get"), cmdrows.TableOf(servers.Redis80).Lookup("get"))
}

func TestEveryRowSaysWhatItRepliesWith(t *testing.T) {
	for _, s := range cmdrows.TableOf(servers.Redis80).All {
		if s.HasHandler() {
			require.NotEmpty(t, s.Reply, s.FullName())
			require.NotPanics(t, func() { s.Replies() }, s.FullName())
		}
	}
}

// The kinds are what redis-server 7.0.15 replies with in RESP2.
func TestOptionsChangeReplies(t *testing.T) {
	table := cmdrows.TableOf(servers.Redis80)
	const missing = cmdtable.ReplyNil
	for line, want := range map[string]cmdtable.ReplyKind{
		"set k v":                              cmdtable.ReplyOK,
		"set k nx":                             cmdtable.ReplyOK,
		"set k v nx":                           cmdtable.ReplyOK | missing,
		"set k v xx get":                       cmdtable.ReplyText | missing,
		"lpop k":                               cmdtable.ReplyText | missing,
		"lpop k 2":                             cmdtable.ReplyArray | missing,
		"zadd k incr 1 m":                      cmdtable.ReplyNumber | missing,
		"zadd k 1 m":                           cmdtable.ReplyInt,
		"sort k":                               cmdtable.ReplyArray,
		"sort k limit 0 1 store d":             cmdtable.ReplyInt,
		"georadius k 1 1 1 m asc storedist d":  cmdtable.ReplyInt,
		"zrank k m":                            cmdtable.ReplyInt | missing,
		"zrank k m withscore":                  cmdtable.ReplyArray | missing,
		"lcs a b len":                          cmdtable.ReplyInt,
		"lcs a b len idx":                      cmdtable.ReplyArray,
		"zscore k m":                           cmdtable.ReplyNumber | missing,
		"geosearchstore d k frommember m 1 km": cmdtable.ReplyInt,
		"spublish c m":                         cmdtable.ReplyInt,
	} {
		words := strings.Fields(line)
		r := table.Resolve(words).Replies()
		require.Equal(t, want, r.To(words).Kinds, line)
	}
	words := strings.Fields("zrange k 0 -1 withscores")
	r := table.Resolve(words).Replies()
	require.Equal(t, []cmdtable.ReplyKind{cmdtable.ReplyText, cmdtable.ReplyNumber}, r.To(words).Elements)
	require.False(t, r.To(words).Map)
	hgetall := table.Lookup("hgetall").Replies()
	require.True(t, hgetall.Usual.Map)
}

func TestHowLongCommandLinesWait(t *testing.T) {
	table := cmdrows.TableOf(servers.Redis80)
	for line, want := range map[string]time.Duration{
		"blpop a b 1.5": 1500 * time.Millisecond, "brpop a 0": 0, "blmove a b left right 2": 2 * time.Second,
		"blmpop 0.1 1 k left": 100 * time.Millisecond, "bzmpop 3 1 k min": 3 * time.Second, "bzpopmin k 4": 4 * time.Second,
		"wait 1 500": 500 * time.Millisecond, "xread block 20 streams s 0": 20 * time.Millisecond,
		"xreadgroup group g c COUNT 1 BLOCK 0 STREAMS s >": 0,
	} {
		words := strings.Fields(line)
		d, ok := table.Resolve(words).LongestWait(words)
		require.True(t, ok, line)
		require.Equal(t, want, d, line)
	}
	for _, line := range []string{"get k", "blpop a x", "blpop a -1", "blpop", "xread streams block 0", "xread block", "wait 1 1.5"} {
		words := strings.Fields(line)
		_, ok := table.Resolve(words).LongestWait(words)
		require.False(t, ok, line)
	}
	for _, s := range table.All {
		require.Equal(t, s.Waits.Unit != 0, s.Flags&cmdtable.Blocking != 0 || s.Name == "wait", s.FullName())
	}
}

// What Redis says in tips, rows say more exactly.
func TestTipsAgreeWithWhatVaries(t *testing.T) {
	for _, s := range cmdrows.TableOf(servers.Redis80).All {
		for _, tip := range s.Tips {
			switch tip {
			case "nondeterministic_output_order":
				require.NotZero(t, s.Varies&cmdtable.ByOrder, s.FullName())
			case "nondeterministic_output":
				require.NotZero(t, s.Varies, s.FullName())
			}
		}
	}
	for line, want := range map[string]bool{"expireat k 1": true, "set k v": false, "set k v exat 1": true, "getex k ex 1": false,
		"hexpireat h 1 fields 1 f": true, "hsetex h pxat 1 fields 1 f v": true, "ttl k": false} {
		words := strings.Fields(line)
		require.Equal(t, want, table80.Resolve(words).TakesDate(words), line)
	}
}

var table80 = cmdrows.TableOf(servers.Redis80)

// A row that changes other databases says which; see cmdtable.DBs.
func TestRowsSayWhichDatabasesTheyUse(t *testing.T) {
	for _, s := range servers.All() {
		for _, c := range cmdrows.TableOf(s).All {
			if c.Changes&cmdtable.Databases != 0 && c.Flags&cmdtable.Write != 0 {
				require.NotEqual(t, cmdtable.UsesOwnDB, c.DBs, "%s: DBs", c.FullName())
			}
		}
	}
}

func TestEveryRowSaysWhatItUses(t *testing.T) {
	for _, s := range table80.All {
		name := s.FullName()
		if !s.HasHandler() {
			require.Zero(t, s.Beside(), name)
			continue
		}
		require.True(t, s.HasKeys() || s.Beside() != 0, "%s has no keys: its row must say what it reads and changes", name)
		require.True(t, s.Beside()&cmdtable.Nothing == 0 || s.Beside() == cmdtable.Nothing, name)
		if s.Flags&cmdtable.Write != 0 && !s.HasKeys() {
			require.NotZero(t, s.Changes&^(cmdtable.Session|cmdtable.Transaction|cmdtable.Connection), name)
		}
	}
	for line, want := range map[string]bool{"select 1": false, "info": false, "move k 1": true, "copy a b": false, "copy a b db 2": true,
		"get k": false, "flushall": true, "flushdb": false} {
		words := strings.Fields(line)
		require.Equal(t, want, table80.Resolve(words).ChangesOtherDatabase(words), line)
	}
}
