package cmdtable_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// Key-specs as some commands of Redis have them.
func keyRows() *cmdtable.Table {
	const in, out = cmdtable.RO | cmdtable.Access, cmdtable.OW | cmdtable.Update
	row := func(name string, keys ...cmdtable.KeySpec) *cmdtable.Spec {
		return &cmdtable.Spec{Name: name, Arity: -2, Keys: keys}
	}
	set := row("set", cmdtable.KeyRange(out|cmdtable.VariableFlags, 1, 0, 1))
	set.FlagsOfKeys = func(args []string) cmdtable.KeyFlag {
		if strings.EqualFold(args[len(args)-1], "get") {
			return cmdtable.RW
		}
		return cmdtable.OW
	}
	located := row("located")
	located.Locate = func(args []string) []cmdtable.Key { return []cmdtable.Key{{Pos: 2}, {Pos: len(args)}} }
	slots := row("slots", cmdtable.KeyRange(in, 1, 0, 1))
	slots.LocateSlots = func(*cmdtable.Spec, []string) []cmdtable.Key { return []cmdtable.Key{{Pos: 2}} }
	incomplete := row("incomplete", cmdtable.KeyRange(in|cmdtable.Incomplete, 1, 0, 1))
	return tableOf(servers.Redis70, row("none"), set, located, slots, incomplete,
		row("get", cmdtable.KeyRange(in, 1, 0, 1)),
		row("mget", cmdtable.KeyRange(in, 1, -1, 1)),
		row("mset", cmdtable.KeyRange(out, 1, -1, 2)),
		row("blpop", cmdtable.KeyRange(in, 1, -2, 1)),
		row("object", cmdtable.KeyRange(in, 2, 0, 1)),
		row("rename", cmdtable.KeyRange(in, 1, 0, 1), cmdtable.KeyRange(out, 2, 0, 1)),
		row("pfmerge", cmdtable.KeyRange(out, 1, 0, 1), cmdtable.KeyRange(in, 2, -1, 1)),
		row("zunion", cmdtable.KeyNum(in, 1)),
		row("eval", cmdtable.KeyNum(in, 2)),
		row("zunionstore", cmdtable.KeyRange(out, 1, 0, 1), cmdtable.KeyNum(in, 2)),
		row("xread", cmdtable.KeySpec{Flags: in, Keyword: "STREAMS", From: 1, Last: -1, Step: 1, Limit: 2}),
		row("georadius", cmdtable.KeyRange(in, 1, 0, 1), cmdtable.KeySpec{Flags: out, Keyword: "STORE", From: 6, Step: 1}),
		row("behind", cmdtable.KeySpec{Flags: in, Keyword: "KEYS", From: -2, Last: -1, Step: 1}))
}

// The keys are what COMMAND GETKEYS of redis-server 7.0.15 returns for the command with the same
// name, or none where it returns an error.
func TestKeysAreFoundByTheirSpecs(t *testing.T) {
	table := keyRows()
	for line, want := range map[string]string{
		"none a":                          "",
		"get k":                           "1",
		"mget a b c":                      "1 2 3",
		"mset a 1 b 2":                    "1 3",
		"blpop a b 0":                     "1 2",
		"blpop 0":                         "",
		"object encoding k":               "2",
		"rename a b":                      "1 2",
		"pfmerge d":                       "",
		"pfmerge d a b":                   "1 2 3",
		"zunion 2 a b":                    "2 3",
		"zunion 2 a b withscores":         "2 3",
		"zunion 3 a b":                    "",
		"zunion 0 a":                      "",
		"zunion -1 a":                     "",
		"zunion x a":                      "",
		"zunion 1x a":                     "2",
		"zunion 99999999999999999999 a":   "",
		"eval s 2 a b c":                  "3 4",
		"eval s 2x a b":                   "3 4",
		"eval s 3x a b":                   "",
		"eval s 0":                        "",
		"zunionstore d 2 a b":             "1 3 4",
		"zunionstore d 3 a b":             "",
		"zunionstore d 0 a":               "",
		"zunionstore d 2x a b":            "3 4 1",
		"xread streams a b 0 0":           "2 3",
		"xread count 1 STREAMS a 0":       "4",
		"xread streams a b c 0 0 0":       "2 3 4",
		"xread count 1 a 0":               "",
		"xread streams":                   "",
		"georadius k 0 0 1 m":             "1",
		"georadius k 0 0 1 m store d":     "1 7",
		"georadius k 0 0 1 m asc StorE d": "1 8",
		"behind h 1 e 0 100 keys a b":     "7 8",
		"behind h 1 e 0 100 keys keys":    "7",
		"located a b":                     "2 3",
		"incomplete a":                    "1",
	} {
		args := strings.Fields(line)
		require.Equal(t, want, places(table.Lookup(args[0]).FindKeys(args)), line)
	}
}

func places(keys []cmdtable.Key) string {
	var list []string
	for _, k := range keys {
		list = append(list, fmt.Sprint(k.Pos))
	}
	return strings.Join(list, " ")
}

func TestKeysHaveTheFlagsOfTheirSpecs(t *testing.T) {
	table := keyRows()
	const in, out = cmdtable.RO | cmdtable.Access, cmdtable.OW | cmdtable.Update
	for line, want := range map[string][]cmdtable.KeyFlag{
		"rename a b":           {in, out},
		"zunionstore d 1 a":    {out, in},
		"zunionstore d 1x a":   {0, 0}, // a number that only begins like one
		"set k v":              {cmdtable.OW},
		"set k v GET":          {cmdtable.RW},
		"xread streams a b 1 ": {in},
	} {
		args := strings.Fields(line)
		var flags []cmdtable.KeyFlag
		for _, k := range table.Lookup(args[0]).FindKeys(args) {
			flags = append(flags, k.Flags)
		}
		require.Equal(t, want, flags, line)
	}
}

func TestKeysOfTheSlotMayBeFewerThanAllKeys(t *testing.T) {
	table := keyRows()
	for line, want := range map[string]string{
		"none a": "", "get k": "1", "mget a b": "1 2", "mset a 1 b 2": "1 3", "zunion 2 a b": "2 3", "zunion 3 a": "",
		"pfmerge d":   "1", // although COMMAND GETKEYS finds none
		"pfmerge d a": "1 2",
		"located a b": "2", // the other is past the end
		"slots a b":   "2",
	} {
		args := strings.Fields(line)
		spec := table.Lookup(args[0])
		require.Equal(t, want, places(spec.SlotKeys(args)), line)
		key, ok := spec.FirstKey(args)
		require.Equal(t, want != "", ok, line)
		if ok {
			require.Equal(t, args[int(want[0]-'0')], key, line)
		}
	}
	for _, line := range []string{"get", "located a", "object encoding", "zunion x a"} {
		args := strings.Fields(line)
		_, ok := table.Lookup(args[0]).FirstKey(args)
		require.False(t, ok, line)
	}
}

// first, last and step as in COMMAND INFO of redis-server 7.0.15, then what the gate asks.
func TestKeySpecsAreClassified(t *testing.T) {
	table := keyRows()
	for name, want := range map[string]string{
		"none":        "0 0 0 fixed",
		"get":         "1 1 1 fixed inranges one",
		"mget":        "1 -1 1 fixed inranges",
		"mset":        "1 -1 2 fixed inranges",
		"blpop":       "1 -2 1 fixed inranges",
		"object":      "2 2 1 fixed inranges",
		"rename":      "1 2 1 fixed inranges",
		"pfmerge":     "1 -1 1 fixed inranges",
		"zunion":      "0 0 0 movable counted",
		"eval":        "0 0 0 movable counted",
		"zunionstore": "1 1 1 movable",
		"xread":       "0 0 0 movable",
		"georadius":   "1 1 1 movable",
		"behind":      "0 0 0 movable",
		"incomplete":  "1 1 1 movable",
		"slots":       "1 1 1 fixed",
	} {
		s := table.Lookup(name)
		first, last, step := s.LegacyRange()
		got := fmt.Sprint(first, last, step, " fixed")
		if s.Flags&cmdtable.MovableKeys != 0 {
			got = fmt.Sprint(first, last, step, " movable")
		}
		for _, c := range []struct {
			is   bool
			name string
		}{{s.InRanges, " inranges"}, {s.OneKey, " one"}, {s.Counted, " counted"}} {
			if c.is {
				got += c.name
			}
		}
		require.Equal(t, want, strings.ReplaceAll(got, "  ", " "), name)
	}
}

func TestTheSpanOfCountedKeys(t *testing.T) {
	eval := keyRows().Lookup("eval")
	for line, want := range map[string][2]int{
		"eval s 2 a b": {3, 4}, "eval s 1 a b": {3, 3}, "eval s 0 a": {3, 2}, "eval s 3 a b": {3, 2}, "eval s -5 a": {3, -3},
	} {
		first, last := eval.Keys[0].Span(strings.Fields(line))
		require.Equal(t, want, [2]int{first, last}, line)
	}
}

func TestNumbersAreReadAsByAtoi(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "0": 0, "12": 12, "-3": -3, "+4": 4, " \t\n\v\f\r5": 5, "6x": 6, "x6": 0, "- 7": 0, "--8": 0, "1 2": 1, "007": 7,
	} {
		require.Equal(t, want, cmdtable.LeadingInt([]string{text}, 0), "%q", text)
	}
	require.Zero(t, cmdtable.LeadingInt([]string{"1"}, 1))
	require.Greater(t, cmdtable.LeadingInt([]string{"99999999999999999999"}, 0), 1<<32)
	for text, want := range map[string]bool{"1": true, "-1": true, "0": true, "": false, "+1": false, "01": false, "1x": false, " 1": false} {
		require.Equal(t, want, cmdtable.IsInteger([]string{text}, 0), "%q", text)
	}
	require.False(t, cmdtable.IsInteger([]string{"1"}, 1))
}

func TestChannelsAreCounted(t *testing.T) {
	for _, c := range []struct {
		of   cmdtable.Channels
		line string
		want int
	}{
		{cmdtable.NoChannels, "get a", 0}, {cmdtable.OneChannel, "publish c m", 1}, {cmdtable.OneChannel, "publish", 0},
		{cmdtable.AllChannels, "subscribe a b", 2}, {cmdtable.AllPatterns, "psubscribe a b c", 3}, {cmdtable.AllChannels, "unsubscribe", 0},
	} {
		require.Equal(t, c.want, c.of.Count(strings.Fields(c.line)), c.line)
	}
}
