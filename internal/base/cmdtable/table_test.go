package cmdtable_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

func TestATableHasTheRowsOfItsVersion(t *testing.T) {
	rows := func() []*cmdtable.Spec {
		return []*cmdtable.Spec{
			{Name: "old", Arity: 2, Since: "1.0.0", Later: []cmdtable.Change{{Since: "7.4.0", Set: func(s *cmdtable.Spec) { s.Arity = -2 }}}},
			{Name: "new", Arity: 2, Since: "7.4.0"},
			{Name: "box", Arity: -2, Since: "7.0.15", Group: "server", Subs: []*cmdtable.Spec{
				{Name: "a", Arity: 2, Since: "2.0.0"}, {Name: "b", Arity: 2, Since: "8.0.0", Group: "other"},
			}},
		}
	}
	for c, want := range map[servers.Server]string{
		servers.Redis70: "box box|a old",
		servers.Redis74: "box box|a new old",
		servers.Redis80: "box box|a box|b new old",
	} {
		table := tableOf(c, rows()...)
		var names []string
		for _, s := range table.SortedByName() {
			names = append(names, s.FullName())
			require.Equal(t, c, s.Server)
			require.Same(t, s, table.All[s.ID], "the id is the place")
			require.Same(t, s, table.ByFullName(s.FullName()))
		}
		require.Equal(t, want, strings.Join(names, " "))
		require.Equal(t, len(names), table.Len())
		require.Equal(t, c, table.Server())
		require.Equal(t, c != servers.Redis70, table.Lookup("old").Arity < 0, "the arity of a later version")
		require.Equal(t, "server", table.ByFullName("box|a").Group)
	}
}

func TestCommandsAreFoundInAnyCase(t *testing.T) {
	table := tableOf(servers.Redis70, &cmdtable.Spec{Name: "get", Arity: 2},
		&cmdtable.Spec{Name: "config", Arity: -2, Subs: []*cmdtable.Spec{
			{Name: "get", Arity: -3}, {Name: "set", Arity: -4, Flags: cmdtable.Write},
		}})
	for line, want := range map[string]string{
		"get": "get", "GET a": "get", "gEt a b": "get", "nosuch": "", "config": "config", "config get": "config|get",
		"CONFIG Set a b": "config|set", "config nosuch": "config", "get set": "get", "config|get": "", "": "",
	} {
		name := ""
		if s := table.Resolve(strings.Split(line, " ")); s != nil {
			name = s.FullName()
		}
		require.Equal(t, want, name, line)
		require.Equal(t, want == "config|set", table.Writes(strings.Split(line, " ")), line)
	}
	for _, name := range []string{"config|nosuch", "get|x", "nosuch|get", "config|", "config|get|x", "|get", ""} {
		require.Nil(t, table.ByFullName(name), name)
	}
	require.NotNil(t, table.ByFullName("CONFIG|GET"))
	require.Equal(t, "ERR wrong number of arguments for 'config|get' command", cmdtable.ErrArity(table.ByFullName("config|get")))
}

func TestDoorsFollowFromArityAndFlags(t *testing.T) {
	box := func(name string, arity int) *cmdtable.Spec {
		return &cmdtable.Spec{Name: name, Arity: arity, Subs: []*cmdtable.Spec{{Name: "sub", Arity: 2}}}
	}
	table := tableOf(servers.Redis70, &cmdtable.Spec{Name: "two", Arity: 2}, &cmdtable.Spec{Name: "more", Arity: -2},
		&cmdtable.Spec{Name: "noscript", Arity: 1, Flags: cmdtable.NoScript}, box("box", -2), box("command", -1))
	const all, client = "client script scriptro exec", "client exec"
	for _, c := range []struct {
		name string
		args int
		want string
	}{
		{"two", 1, ""}, {"two", 2, all}, {"two", 3, ""}, {"more", 1, ""}, {"more", 2, all}, {"more", math.MaxInt, all}, {"noscript", 1, client},
		{"box", 2, ""}, {"box|sub", 2, all}, {"command", 1, all}, {"command", 2, ""},
	} {
		var doors []string
		for d, name := range strings.Fields(all) {
			if table.ByFullName(c.name).Admits(cmdtable.Door(d), c.args) {
				doors = append(doors, name)
			}
		}
		require.Equal(t, c.want, strings.Join(doors, " "), "%s with %d", c.name, c.args)
	}
	require.False(t, table.Lookup("box").HasHandler())
	require.True(t, cmdtable.DoorScriptRO.FromScript() && cmdtable.DoorScript.FromScript())
	require.False(t, cmdtable.DoorExec.FromScript() || cmdtable.DoorExec.MayWait())
	require.True(t, cmdtable.DoorClient.MayWait())
}

// The derived categories are those of COMMAND INFO of redis-server 7.0.15 for GET, SET, CONFIG,
// SUBSCRIBE, BLPOP and EVAL_RO.
func TestCategoriesFollowFromFlags(t *testing.T) {
	for _, c := range []struct {
		flags cmdtable.Flag
		own   cmdtable.Cat
		want  string
	}{
		{cmdtable.ReadOnly | cmdtable.Fast, cmdtable.CatString, "read string fast"},
		{cmdtable.Write | cmdtable.DenyOOM, cmdtable.CatString, "write string slow"},
		{cmdtable.Admin | cmdtable.NoScript, 0, "admin slow dangerous"},
		{cmdtable.PubSub, 0, "pubsub slow"},
		{cmdtable.Write | cmdtable.Blocking, cmdtable.CatList, "write list slow blocking"},
		{cmdtable.ReadOnly, cmdtable.CatScripting, "slow scripting"},
		{0, cmdtable.CatKeyspace | cmdtable.CatConnection, "keyspace slow connection"},
	} {
		s := &cmdtable.Spec{Name: "x", Flags: c.flags, Cats: c.own}
		var names []string
		for _, n := range cmdtable.CatNames() {
			if s.Categories()&n.Cat != 0 {
				names = append(names, n.Name)
			}
		}
		require.Equal(t, c.want, strings.Join(names, " "))
	}
}

func TestWhatOnlyReadsOrIsShort(t *testing.T) {
	for _, c := range []struct {
		row         cmdtable.Spec
		reads, fast bool
	}{
		{cmdtable.Spec{Flags: cmdtable.ReadOnly}, true, false},
		{cmdtable.Spec{Flags: cmdtable.ReadOnly | cmdtable.Fast}, true, true},
		{cmdtable.Spec{Flags: cmdtable.ReadOnly | cmdtable.MayReplicate}, false, false},
		{cmdtable.Spec{Flags: cmdtable.ReadOnly, Cats: cmdtable.CatScripting}, false, false},
		{cmdtable.Spec{Flags: cmdtable.Write, Complexity: "O(1)"}, false, true},
		{cmdtable.Spec{Complexity: "O(1), or more"}, false, false},
	} {
		c.row.Name = "x"
		tableOf(servers.Redis70, &c.row)
		require.Equal(t, c.reads, c.row.OnlyReads)
		require.Equal(t, c.fast, c.row.Short)
	}
}

func TestARenamedCommandHasOnlyItsNewName(t *testing.T) {
	table := tableOf(servers.Redis70, &cmdtable.Spec{Name: "config", ChangesParsing: true}, &cmdtable.Spec{Name: "get"},
		&cmdtable.Spec{Name: "box", Arity: -2, Subs: []*cmdtable.Spec{{Name: "sub", ChangesParsing: true}}})
	config := table.Lookup("config")
	renamed := table.Renamed("CONFIG", "Secret")
	require.Nil(t, renamed.Lookup("config"))
	require.Same(t, config, renamed.Lookup("SECRET"))
	require.Same(t, config, renamed.Lookup("secret"))
	require.Equal(t, "config", config.FullName(), "statistics show the old name")
	require.True(t, renamed.ChangesParsing("sEcret") && renamed.ChangesParsing("box"))
	require.False(t, renamed.ChangesParsing("config"))
	require.Same(t, config, table.Lookup("config"), "the table itself stays")
	require.True(t, table.ChangesParsing("CONFIG"))
	require.False(t, table.ChangesParsing("get"))
	require.Len(t, renamed.List(), 3)

	without := renamed.Renamed("secret", "")
	require.Nil(t, without.Lookup("secret"))
	require.Len(t, without.List(), 2)
	require.Len(t, table.List(), 3)
	require.Same(t, table, without.Original())
	require.Same(t, table, table.Original())
}

func TestTheSpreadFollowsFromTips(t *testing.T) {
	for _, c := range []struct {
		row  cmdtable.Spec
		want cmdtable.Spread
	}{
		{cmdtable.Spec{}, cmdtable.SpreadNot},
		{cmdtable.Spec{Tips: []string{"nondeterministic_output"}}, cmdtable.SpreadNot},
		{cmdtable.Spec{Tips: []string{"request_policy:all_shards"}}, cmdtable.SpreadJoin},
		{cmdtable.Spec{Tips: []string{"request_policy:all_shards", "response_policy:agg_sum"}}, cmdtable.SpreadSum},
		{cmdtable.Spec{Tips: []string{"request_policy:all_nodes", "response_policy:all_succeeded"}}, cmdtable.SpreadAll},
		{cmdtable.Spec{Tips: []string{"request_policy:all_shards", "response_policy:agg_min"}}, cmdtable.SpreadMin},
		{cmdtable.Spec{Tips: []string{"request_policy:all_shards", "response_policy:agg_logical_and"}}, cmdtable.SpreadAnd},
		{cmdtable.Spec{Tips: []string{"request_policy:all_shards", "response_policy:one_succeeded"}}, cmdtable.SpreadOne},
		{cmdtable.Spec{Tips: []string{"request_policy:all_shards", "response_policy:special"}}, cmdtable.SpreadNot},
		{cmdtable.Spec{Tips: []string{"response_policy:agg_sum"}}, cmdtable.SpreadNot},
		{cmdtable.Spec{Spread: cmdtable.SpreadScan}, cmdtable.SpreadScan},
		{cmdtable.Spec{Changes: cmdtable.Session, Spread: cmdtable.SpreadAll}, cmdtable.SpreadAny},
		{cmdtable.Spec{Name: "help", Spread: cmdtable.SpreadAll}, cmdtable.SpreadAny},
	} {
		tableOf(servers.Redis70, &c.row)
		require.Equal(t, c.want, c.row.Spread, c.row.Tips)
	}
}

func TestTheServerLooksAheadForFixedPlaces(t *testing.T) {
	one, all, pairs := cmdtable.KeyRange(0, 1, 0, 1), cmdtable.KeyRange(0, 1, -1, 1), cmdtable.KeyRange(0, 1, -1, 2)
	for _, c := range []struct {
		row  cmdtable.Spec
		key  cmdtable.KeySpec
		want cmdtable.Lookahead
	}{
		{cmdtable.Spec{Syntax: "key@0"}, one, cmdtable.Lookahead{Keys: true}},
		{cmdtable.Spec{Syntax: "key@0..."}, all, cmdtable.Lookahead{Keys: true, KeyStep: 1}},
		{cmdtable.Spec{Syntax: "d{key@0 value}..."}, pairs, cmdtable.Lookahead{Keys: true, KeyStep: 2}},
		{cmdtable.Spec{Syntax: "key@0 field"}, one, cmdtable.Lookahead{Keys: true, Elem: 2}},
		{cmdtable.Spec{Syntax: "key@0 member..."}, one, cmdtable.Lookahead{Keys: true, Elem: 2, Step: 1}},
		{cmdtable.Spec{Syntax: "key@0 d{field value}..."}, one, cmdtable.Lookahead{Keys: true, Elem: 2, Step: 2}},
		{cmdtable.Spec{Syntax: "key@0 [NX] d{score member}..."}, one, cmdtable.Lookahead{Keys: true, Elem: 3, Step: 2, Score: true}},
		{cmdtable.Spec{Syntax: "key@0 increment member"}, one, cmdtable.Lookahead{Keys: true, Elem: 3}},
		{cmdtable.Spec{Syntax: "key@0 [field] d{a b} member"}, one, cmdtable.Lookahead{Keys: true, Elem: 4}},
		{cmdtable.Spec{Syntax: "key@0 index#", Group: "list"}, one, cmdtable.Lookahead{Keys: true, Index: true}},
		{cmdtable.Spec{Syntax: "key@0 index#", Group: "string"}, one, cmdtable.Lookahead{Keys: true}},
		{cmdtable.Spec{Syntax: "key@0 start end", Group: "stream"}, one, cmdtable.Lookahead{Keys: true, ID: true}},
		{cmdtable.Spec{Syntax: "key@0 field", Flags: cmdtable.Blocking}, one, cmdtable.Lookahead{}},
		{cmdtable.Spec{Syntax: "a key@0"}, cmdtable.KeyRange(0, 2, 0, 1), cmdtable.Lookahead{}},
		{cmdtable.Spec{Syntax: "n key@0..."}, cmdtable.KeyNum(0, 1), cmdtable.Lookahead{}},
	} {
		c.row.Keys = []cmdtable.KeySpec{c.key}
		tableOf(servers.Redis70, &c.row)
		require.Equal(t, c.want, c.row.Lookahead, c.row.Syntax)
	}
}

func TestTheTextOfAScriptIsOneArgument(t *testing.T) {
	args := []string{"eval", "source", "0", "last"}
	for at, want := range map[int]string{0: "", 1: "source", 3: "last", 4: "", cmdtable.LastArgument: "last"} {
		require.Equal(t, want, (&cmdtable.Spec{LuaText: at}).Text(args))
	}
}

// Whoever gets the commands may keep some of them in the same slice.
func TestAListOfCommandsIsTheCallers(t *testing.T) {
	table := cmdtable.NewTable(servers.Redis70, []func() []*cmdtable.Spec{func() []*cmdtable.Spec {
		return []*cmdtable.Spec{{Name: "a", Arity: 1, Since: "1.0.0"}, {Name: "b", Arity: 1, Since: "1.0.0"}}
	}})
	list := table.List()
	list[0] = list[1]
	require.Equal(t, "a", table.List()[0].Name)
}
