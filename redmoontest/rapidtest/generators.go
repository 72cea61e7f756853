package rapidtest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"pgregory.net/rapid"
)

// Commands are commands that fill a keyspace, each with its name and arguments.
type Commands [][]string

// GoString returns one command a line; rapid shows values so.
func (c Commands) GoString() string {
	if len(c) == 0 {
		return "(no commands)"
	}
	var b strings.Builder
	for _, words := range c {
		b.WriteString("\n    " + harness.Line(words))
	}
	return b.String()
}

// Call is a call of a script.
type Call struct{ Keys, Args []string }

// String returns the call for people.
func (c Call) String() string {
	return "KEYS " + harness.List(c.Keys) + " ARGV " + harness.List(c.Args)
}

// GoString is String.
func (c Call) GoString() string { return c.String() }

// Int generates integers from low to high, both included, as text.
func Int(low, high int64) *rapid.Generator[string] {
	return rapid.Map(rapid.Int64Range(low, high), func(n int64) string { return strconv.FormatInt(n, 10) })
}

// edges are arguments that scripts often do not expect; simple ones come first.
var edges = []string{"", "0", "1", "-1", "a", "-0", "007", "+1", " 1", "1 ", "1.5", "1e3", "0x10", "nan", "inf", "-inf",
	"a b", "a\r\nb", "\x00", "\xff", "é", "{a}b", "9007199254740992", "9007199254740993", "-9007199254740993",
	"9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551616", "1e400",
	strings.Repeat("9", 400), strings.Repeat("x", 70_000)}

// Edge generates texts that scripts often do not expect: empty, negative and very large numbers,
// those around 2^53 and 2^63, other forms of numbers, invalid UTF-8, and long texts.
func Edge() *rapid.Generator[string] { return rapid.SampledFrom(edges) }

// Arg generates arguments: small numbers, short words, and those of [Edge].
func Arg() *rapid.Generator[string] {
	return rapid.OneOf(Int(0, 20), Word(), Edge())
}

// Word generates one of a few short words, so that the same comes again.
func Word() *rapid.Generator[string] { return rapid.SampledFrom([]string{"a", "b", "c", "d"}) }

// Keys returns, for [Calls], generators of keys that are always the same.
func Keys(names ...string) (list []*rapid.Generator[string]) {
	for _, name := range names {
		list = append(list, rapid.Just(name))
	}
	return list
}

// Calls generates calls with a key and an argument from each generator.
func Calls(keys []*rapid.Generator[string], args ...*rapid.Generator[string]) *rapid.Generator[Call] {
	return rapid.Custom(func(t *rapid.T) Call {
		used(t)
		c := Call{Keys: []string{}, Args: []string{}}
		for i, g := range keys {
			c.Keys = append(c.Keys, g.Draw(t, fmt.Sprintf("KEYS[%d]", i+1)))
		}
		for i, g := range args {
			c.Args = append(c.Args, g.Draw(t, fmt.Sprintf("ARGV[%d]", i+1)))
		}
		return c
	})
}

// used uses the source of random choices: rapid panics if a generator does not.
func used(t *rapid.T) { rapid.Bool().Draw(t, "unused") }

// The types of keys for [KeyspaceOf].
const (
	String = "string"
	List   = "list"
	Hash   = "hash"
	Set    = "set"
	ZSet   = "zset"
	Stream = "stream"
)

// Keyspace generates keyspaces in which each of the keys is missing, or has a value of any type,
// and sometimes a time to live.
func Keyspace(keys ...string) *rapid.Generator[Commands] {
	types := map[string][]string{}
	for _, k := range keys {
		types[k] = []string{String, List, Hash, Set, ZSet, Stream}
	}
	return keyspace(keys, types)
}

// KeyspaceOf is Keyspace with the types that each key may have. The keys are generated in the order
// of their names.
func KeyspaceOf(types map[string][]string) *rapid.Generator[Commands] {
	return keyspace(sortedKeys(types), types)
}

func keyspace(keys []string, types map[string][]string) *rapid.Generator[Commands] {
	return rapid.Custom(func(t *rapid.T) Commands {
		used(t)
		commands := Commands{}
		for _, key := range keys {
			typ := rapid.SampledFrom(append([]string{"missing"}, types[key]...)).Draw(t, "type of "+key)
			if typ == "missing" {
				continue
			}
			commands = append(commands, value(t, key, typ))
			if rapid.IntRange(0, 3).Draw(t, "has a time to live") == 3 {
				commands = append(commands, []string{"PEXPIRE", key, Int(60_000, 100_000_000).Draw(t, "time to live")})
			}
		}
		return commands
	})
}

// value returns a command that makes a key of a type.
func value(t *rapid.T, key, typ string) []string {
	n := 1
	if typ != String {
		n = rapid.IntRange(1, 4).Draw(t, "length")
	}
	name := map[string]string{String: "SET", List: "RPUSH", Hash: "HSET", Set: "SADD", ZSet: "ZADD", Stream: "XADD"}[typ]
	if name == "" {
		t.Fatalf("rapidtest: %q is not a type of keys", typ)
	}
	words := []string{name, key}
	if typ == Stream {
		words = append(words, "1-1")
	}
	for range n {
		switch typ {
		case Hash, Stream:
			words = append(words, Word().Draw(t, "field"), Arg().Draw(t, "value"))
		case ZSet:
			words = append(words, rapid.SampledFrom([]string{"0", "1", "-1", "1.5", "9007199254740993", "inf", "-inf"}).Draw(t, "score"),
				Arg().Draw(t, "member"))
		default:
			words = append(words, Arg().Draw(t, "value"))
		}
	}
	return words
}
