package difftest

import (
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// badGroups are the groups of commands whose arguments are spoiled one by one.
var badGroups = []string{"string", "list", "set", "sorted-set", "hash", "geo", "bitmap", "hyperloglog", "stream", "generic"}

// nastyNumbers take the place of every number.
var nastyNumbers = []string{
	"nan", "-nan", "inf", "-inf", "+inf", "infinity", "1e400", "-1e400", "1e-400", "1e3", "9223372036854775807", "9223372036854775808",
	"-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "4294967296", "2147483648", "-2147483649",
	"0", "-1", "-0", "+1", "01", " 1", "1 ", "1\x00", "0x10", "1.", ".5", "1.5", "1_0", "", " ", "x", "(1", "99999999999999999999999999999999",
}

// fixtures are the keys on which each call is made: one of each type.
const fixtures = `
SET string 5
RPUSH list a b 3
SADD set 1 2 3
ZADD zset 1 a 2 b 3 3
HSET hash a 1 b x
GEOADD geo 13.361389 38.115556 a 15.087269 37.502669 b
SETBIT bitmap 9 1
PFADD hll a b
XADD stream 1-1 a b c d
XGROUP CREATE stream g1 0
XREADGROUP GROUP g1 a STREAMS stream >
`

// fixtureReads show whether a call has changed one of them.
const fixtureReads = `
GET string
LRANGE list 0 -1
SMEMBERS set
ZRANGE zset 0 -1 WITHSCORES
HGETALL hash
ZRANGE geo 0 -1 WITHSCORES
GET bitmap
GET hll
XINFO STREAM stream FULL
KEYS *
`

// argument is a word of a command line, and what it stands for; nil for a token.
type argument struct {
	text string
	arg  *cmdtable.Arg
}

// plainValue is an argument that is in order.
func plainValue(r *row, a cmdtable.Arg) string {
	if a.Type == "key" {
		for _, name := range []string{r.Group, "list"} {
			if keys := familyKeys[name]; keys != nil {
				return keys[0]
			}
		}
	}
	switch a.Name {
	case "seconds":
		return "100000"
	case "milliseconds", "ttl":
		return "100000000"
	case "unix-time-seconds":
		return "99999999999"
	case "unix-time-milliseconds":
		return "99999999999999"
	case "encoding":
		return "u8"
	case "operation":
		return "AND"
	case "id", "last-id":
		return "2-1"
	case "group", "groupname":
		return "g1"
	case "radius", "width", "height":
		return "500"
	case "start", "stop", "end", "min", "max", "cursor", "offset", "index", "bit", "min-idle-time": // real milliseconds pass
		return "0"
	}
	switch a.Type {
	case "integer", "double":
		return "1"
	case "pattern":
		return "*"
	}
	return "a"
}

// lines are command lines of a syntax: with what is needed alone, with everything, and with each
// option and each choice once.
func lines(r *row, args []cmdtable.Arg) [][]argument {
	var base, full []argument
	type change struct {
		at, instead int // place in base, and how many words there it replaces
		words       []argument
	}
	var changes []change
	for i := range args {
		a := &args[i]
		choices := choicesOf(r, a)
		full = append(full, choices[0]...)
		if a.Optional {
			for _, c := range choices {
				changes = append(changes, change{len(base), 0, c})
			}
			continue
		}
		for _, c := range choices[1:] {
			changes = append(changes, change{len(base), len(choices[0]), c})
		}
		base = append(base, choices[0]...)
	}
	all := [][]argument{base, full}
	for _, c := range changes {
		all = append(all, slices.Concat(base[:c.at], c.words, base[c.at+c.instead:]))
	}
	return all
}

func choicesOf(r *row, a *cmdtable.Arg) [][]argument {
	var list [][]argument
	switch a.Type {
	case "oneof":
		for i := range a.Args {
			list = append(list, choicesOf(r, &a.Args[i])...)
		}
	case "block":
		list = lines(r, a.Args)
		if len(list) > 1 && len(list[0]) == len(list[1]) {
			list = slices.Delete(list, 1, 2)
		}
	case "pure-token":
		return [][]argument{{{a.Token, nil}}}
	default:
		list = [][]argument{{{plainValue(r, *a), a}}}
	}
	if a.Token != "" {
		for i := range list {
			list[i] = slices.Concat([]argument{{a.Token, nil}}, list[i])
		}
	}
	return list
}

// takesNumber reports whether a number is expected; the bounds of ranges are texts to COMMAND DOCS.
func takesNumber(a *cmdtable.Arg) bool {
	switch a.Name {
	case "start", "stop", "end", "min", "max", "id", "value", "cursor", "ttl", "encoding", "bit":
		return true
	}
	return a.Type == "integer" || a.Type == "double" || a.Type == "unix-time"
}

// badWords are what may stand in the place of a word; few are enough where another word is bad,
// too.
func badWords(w argument, few bool) []string {
	switch {
	case w.arg == nil:
		return []string{"nosuch", ""}
	case w.arg.Type == "key" && few:
		return []string{"list", "string", "nokey"}
	case w.arg.Type == "key":
		list := []string{"nokey"}
		for _, keys := range familyKeys {
			list = append(list, keys[0])
		}
		slices.Sort(list)
		return list
	case takesNumber(w.arg) && few:
		return []string{"x", "-1", "9223372036854775808"}
	case takesNumber(w.arg):
		return slices.DeleteFunc(slices.Clone(nastyNumbers), func(n string) bool {
			// in order there, but memory would run out
			return n == "2147483648" && w.arg.Name == "offset" || n == "-2147483649" && w.arg.Name == "count"
		})
	}
	return nil
}

// spoiled are the calls that differ from a line in a word too few or too many, or in one or two bad
// words.
func spoiled(name []string, line []argument) [][]string {
	words := slices.Clone(name)
	for _, w := range line {
		words = append(words, w.text)
	}
	calls := [][]string{words, append(slices.Clone(words), "x"), append(slices.Clone(words), "1")}
	for n := len(name); n < len(words); n++ {
		calls = append(calls, slices.Clone(words[:n]))
	}
	for i, w := range line {
		for _, bad := range badWords(w, false) {
			c := slices.Clone(words)
			c[len(name)+i] = bad
			calls = append(calls, c)
		}
		for _, bad := range badWords(w, true) {
			for j := i + 1; j < len(line); j++ {
				for _, bad2 := range badWords(line[j], true) {
					c := slices.Clone(words)
					c[len(name)+i], c[len(name)+j] = bad, bad2
					calls = append(calls, c)
				}
			}
		}
	}
	return calls
}

// TestBadArguments makes calls of every command in which one thing is wrong, and compares the
// replies and what they leave behind with the live oracle.
func TestBadArguments(t *testing.T) {
	needsOracle(t)
	visible := visibleCommands(t)
	f, err := newFuzzer()
	require.NoError(t, err)
	t.Cleanup(func() { f.oracle.Close() })
	t.Cleanup(func() { require.NoError(t, theRunner.Oracle.Reset()) })
	byName := map[string]*row{}
	for _, r := range rowsOf(visible, allGroups) {
		byName[r.name] = r
	}
	items := func(text string) (list []*item) {
		for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
			args := strings.Fields(line)
			r := byName[strings.ToLower(args[0])]
			if r == nil {
				r = byName[strings.ToLower(args[0]+"|"+args[1])]
			}
			if r != nil {
				list = append(list, &item{door: wrapNone, rows: []*row{r}, steps: []Step{{Args: args, Relax: relaxationFor(r, args)}}})
			}
		}
		return list
	}
	begin, end := items("FLUSHALL"+fixtures), items(fixtureReads)
	calls := 0
	for _, r := range rowsOf(visible, badGroups) {
		if r.waits || !r.visible || slices.Contains(badLeft, r.name) {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			name := []string{strings.ToUpper(r.Spec.Name)}
			if r.Parent != nil {
				name = []string{strings.ToUpper(r.Parent.Name), name[0]}
			}
			seq := &sequence{style: style{proto: 2 + calls%2}}
			var starts []int // of the calls, in seq.items
			for _, line := range lines(r, r.syntax) {
				for _, args := range spoiled(name, line) {
					it := &item{rows: []*row{r}, steps: []Step{{Args: args, Relax: relaxationFor(r, args)}}}
					it.door = []wrapping{wrapNone, wrapCall, wrapExec}[calls%3]
					if !it.safe() || r.Flags&cmdtable.NoScript != 0 && it.door == wrapCall {
						it.door = wrapNone
					}
					if !it.safe() {
						continue
					}
					calls++
					starts = append(starts, len(seq.items))
					seq.items = append(append(seq.items, begin...), it)
					if !byChance(r.name, args) {
						seq.items = append(seq.items, end...)
					}
				}
			}
			seq.items = append(seq.items, begin...)
			fault, err := f.play(seq)
			require.NoError(t, err)
			if fault != nil {
				from := starts[max(0, sort.SearchInts(starts, fault.at+1)-1)]
				small := &sequence{style: seq.style, items: seq.items[from : fault.at+1]}
				fault.at -= from
				small, fault, err := f.shrink(small, fault)
				require.NoError(t, err)
				t.Errorf("%s\n\nas a case file:\n%s", fault.text, small.text())
			}
		})
	}
	t.Logf("%d calls", calls)
}

// badLeft are left out: WAIT waits.
var badLeft = []string{"wait"}
