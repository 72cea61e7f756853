package difftest

import (
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// familyKeys are the keys that the commands of a group mostly use.
var familyKeys = map[string][]string{
	"string":      {"string", "string2", "string3"},
	"list":        {"list", "list2", "list3"},
	"set":         {"set", "set2", "set3"},
	"sorted-set":  {"zset", "zset2", "zset3"},
	"hash":        {"hash", "hash2"},
	"stream":      {"stream", "stream2"},
	"bitmap":      {"bitmap", "bitmap2", "bitmap3"},
	"hyperloglog": {"hll", "hll2", "hll3"},
	"geo":         {"geo", "geo2"},
}

// relatedKeys are keys of other types that a group's commands also accept, or that patterns of SORT
// name.
var relatedKeys = map[string][]string{
	"string":      {"w_1", "w_2", "w_3", "w_a", "w_b", "bitmap", "hll"},
	"hash":        {"h_1", "h_2", "h_a"},
	"set":         {"set4"},
	"sorted-set":  {"set", "set2", "geo"},
	"bitmap":      {"string", "hll"},
	"hyperloglog": {"string", "bitmap"},
	"geo":         {"zset"},
}

var groupNames = []string{"string", "list", "set", "sorted-set", "hash", "stream", "bitmap", "hyperloglog", "geo"}

var oddKeys = []string{"", "k\x00", "nokey", "k*", "a key"}

func (g *generator) key(a cmdtable.Arg) string {
	key := g.plainKey(a)
	if !g.style.cluster {
		return key
	}
	return pick(g.rng, []string{"", "{b}", "{a}", "{a}", "{a}", "{a}", "{a}", "{a}", "{a}", "{a}"}) + key
}

func (g *generator) plainKey(a cmdtable.Arg) string {
	group := g.row.Group
	if familyKeys[group] == nil {
		group = pick(g.rng, g.keyGroups())
		switch {
		case strings.HasPrefix(g.row.name, "sort"):
			group = pick(g.rng, []string{"list", "list", "set", "sorted-set"})
			if a.Token == "STORE" {
				group = "list"
			}
		}
	}
	if g.style.lex {
		if g.rng.IntN(60) == 0 {
			return pick(g.rng, []string{"string", "nokey"})
		}
		return pick(g.rng, familyKeys["sorted-set"])
	}
	switch n := g.rng.IntN(100); {
	case n < 4:
		return pick(g.rng, familyKeys[pick(g.rng, groupNames)])
	case n < 6:
		return pick(g.rng, oddKeys)
	case n < 18 && relatedKeys[group] != nil:
		return pick(g.rng, relatedKeys[group])
	}
	return pick(g.rng, familyKeys[group])
}

// keyGroups are the groups of the style whose keys generic commands use.
func (g *generator) keyGroups() []string {
	var list []string
	for _, name := range g.style.groups {
		if familyKeys[name] != nil {
			list = append(list, name)
		}
	}
	return list
}

func isTime(a cmdtable.Arg) bool {
	return strings.Contains(a.Name, "seconds") && a.Token != "BLOCK" && a.Token != "IDLETIME" || a.Name == "ttl"
}

// soundValue is a valid argument.
func (g *generator) soundValue(a cmdtable.Arg) string {
	rng := g.rng
	if a.Type == "key" {
		return g.key(a)
	}
	if s, ok := g.special(a); ok {
		return s
	}
	switch a.Type {
	case "integer":
		if rng.IntN(8) == 0 {
			return strconv.Itoa(rng.IntN(200) - 100)
		}
		return pick(rng, []string{"0", "1", "2", "3", "-1", "-2", "-3", "10", "100"})
	case "double":
		return pick(rng, []string{"0", "1", "2", "-1", "1.5", "-2.25", "3.0", "1e3", "1e-7", "0.1", "-0", "17", "3.14159"})
	case "pattern":
		return pick(rng, []string{"*", "*", "k*", "s*", "?et", "[a-h]*", "*[^1-3]", "m1*", "\\a", "*2", "nomatch"})
	}
	return g.text()
}

// text is a member, field, element or value.
func (g *generator) text() string {
	rng := g.rng
	if g.style.lex {
		return pick(rng, []string{"a", "b", "c", "d", "e", "aa", "ab", "b\x00", "\xff", "", "A", "Z", "abc", "bcd", "1", "10", "2", "-1", "m1",
			"m2", "m3"})
	}
	switch n := rng.IntN(100); {
	case n < 35:
		return pick(rng, []string{"a", "b", "c", "d", "e", "f", "g", "h"})
	case n < 60:
		return strconv.Itoa(rng.IntN(20) - 4)
	case n < 70:
		return "m" + strconv.Itoa(rng.IntN(1000))
	case n < 78:
		return strconv.Itoa(rng.IntN(100000) - 1000)
	case n < 82:
		return pick(rng, []string{"text", "some text of several words", "foobar", "ohmytext", "mynewtext"})
	case n < 83:
		return strings.Repeat("0123456789", 7)[:pick(rng, []int{20, 21, 63, 64, 65, 3})] // about the limits of the encodings
	case n < 85:
		return strings.Repeat(pick(rng, []string{"x", "long", "ab"}), 1+rng.IntN(40))
	}
	return pick(rng, []string{"1.5", "", "nul\x00y", "9223372036854775807", "-9223372036854775808", "12345678901234567890", "\xff\xfe", "1e5",
		"3.0",
		"abcabc", "-0", "007", " 1", "32767", "32768", "2147483648", "-2147483649", "\r\n", "inf",
		"long, longer than the 44 bytes of a short string"})
}

// special handles the arguments whose name says more than their type.
func (g *generator) special(a cmdtable.Arg) (string, bool) {
	rng := g.rng
	name := g.row.Spec.Name
	group := g.row.Group
	if group == "stream" {
		if s, ok := g.streamValue(a); ok {
			return s, true
		}
	}
	if group == "geo" || group == "bitmap" || group == "hyperloglog" {
		if s, ok := g.bitOrGeoValue(a); ok {
			return s, true
		}
	}
	var list []string
	switch a.Name {
	case "seconds":
		if a.Token == "IDLETIME" {
			return pick(rng, []string{"0", "100000", "200000"}), true
		}
		return g.someTime(1), true
	case "milliseconds", "ttl":
		if a.Token == "BLOCK" || a.Name == "ttl" && rng.IntN(3) > 0 {
			return "0", true
		}
		if a.Name == "ttl" && rng.IntN(2) == 0 {
			return "9999999999999", true // with ABSTTL in the future too
		}
		return g.someTime(1000), true
	case "unix-time-seconds":
		list = []string{"9999999999", "8888888888", "7777777777", "9999999999", "1"}
		if g.style.dead {
			list = append(list, "1", "1000000000")
		}
	case "unix-time-milliseconds":
		list = []string{"9999999999999", "8888888888888", "7777777777777", "9999999999998", "1"}
		if g.style.dead {
			list = append(list, "1", "1000", "1000000000000")
		}
	case "timeout":
		list = []string{"0", "0", "1", "0.01"}
	case "score", "increment", "weight", "min", "max":
		if a.Name == "increment" && a.Type == "integer" && name != "zincrby" {
			list = []string{"1", "-1", "5", "100", "-7", "0"}
			break
		}
		if a.Name == "min" || a.Name == "max" {
			if strings.Contains(name, "lex") {
				return g.lexBound(), true
			}
			if name == "zrangestore" {
				return g.rangeBound(), true
			}
			list = scoreBounds
			break
		}
		if g.style.lex && g.style.limits > 0 && a.Name != "weight" {
			return "0", true
		}
		list = []string{"0", "1", "2", "3", "-1", "1.5", "-2.25", "3.0", "1e3", "1e-7", "inf", "-inf", "0.1", "123456789012345678", "17", "1e300"}
	case "start", "stop", "end":
		if name == "zrange" {
			return g.rangeBound(), true
		}
		list = []string{"0", "0", "1", "2", "-1", "-1", "-2", "-3", "5", "10", "-100", "100"}
	case "offset":
		list = []string{"0", "0", "1", "2", "3", "5", "-1"}
		if name == "setrange" {
			list = []string{"0", "1", "2", "5", "10", "50", "300"}
		}
	case "count", "limit":
		list = []string{"0", "1", "2", "3", "5", "10", "100", "-1", "-3"}
	case "index":
		list = []string{"0", "1", "2", "-1", "-2", "5", "-7"}
	case "cursor":
		list = []string{"0", "0", "0", "0", "1"}
	case "destination-db", "db", "index1", "index2":
		list = []string{"0", "1", "1", "2", "15"}
	case "type":
		list = []string{"string", "list", "hash", "set", "zset", "stream", "nosuch", "String"}
	case "ifdeq-digest", "ifdne-digest":
		list = digests
	case "rank":
		list = []string{"1", "2", "-1", "-2", "3"}
	case "num-matches", "len":
		list = []string{"0", "1", "2", "3", "4"}
	case "serialized-value":
		if len(g.dumps) > 0 {
			return pick(rng, g.dumps), true
		}
	}
	if a.Type == "pattern" && strings.HasPrefix(name, "sort") {
		if a.Token == "BY" {
			list = []string{"w_*", "h_*->f", "nosort", "*", "w_*", "h_*->a", "w_*->"}
		} else {
			list = []string{"#", "w_*", "h_*->a", "h_*", "*", "nokey", "h_*->b"}
		}
	}
	if list == nil {
		return "", false
	}
	return pick(rng, list), true
}

// digests are those of a, b, 1 and 2, and what is none.
var digests = []string{"e6c632b61e964e1f", "575a0b1c44d8843f", "65cd25028f98f158", "fb95a7322f5da314",
	"0000000000000000", "FFFFFFFFFFFFFFFF", "x"}

var scoreBounds = []string{"-inf", "+inf", "0", "1", "(1", "5", "-1", "2", "(2.5", "10", "-inf", "inf", "(-inf", "100"}

// rangeBound is a bound of ZRANGE or ZRANGESTORE.
func (g *generator) rangeBound() string {
	switch g.by {
	case "BYLEX":
		return g.lexBound()
	case "BYSCORE":
		return pick(g.rng, scoreBounds)
	}
	return pick(g.rng, []string{"0", "0", "1", "2", "-1", "-1", "-2", "-3", "5", "10", "-100", "100"})
}

func (g *generator) lexBound() string {
	return pick(g.rng, []string{"-", "+", "-", "+", "[a", "(b", "[", "(", "[c", "(aa", "[\xff", "[m2", "(A", "[b\x00"})
}

// someTime is a time in the future, never the same twice: with equal times the oracle's clock would
// decide the effect of GT and LT.
func (g *generator) someTime(unit int) string {
	for {
		n := 1000 + 60*g.rng.IntN(1_000_000)
		if !g.times[n] {
			g.times[n] = true
			if unit > 1 {
				return strconv.Itoa(n*unit + 500)
			}
			return strconv.Itoa(n)
		}
	}
}

// badValue is an invalid argument. None of them makes the oracle take much memory or
// time: offsets are either small or beyond every limit.
func (g *generator) badValue(a cmdtable.Arg) string {
	switch {
	case a.Type == "key":
		return pick(g.rng, append(familyKeys[pick(g.rng, groupNames)], oddKeys...))
	case a.Name == "ttl" && g.server != servers.Redis70: // see docs/differences.md, "Other servers"
		return pick(g.rng, []string{"-1", "x", "1.5", "", "9223372036854775808", "-5", " 1"})
	case isTime(a):
		return pick(g.rng, []string{"0", "-1", "x", "1.5", "", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-5", " 1",
			"nan",
			"9223372036854775", "99999999999999999999"})
	case a.Name == "min-idle-time" || a.Name == "ms":
		return pick(g.rng, []string{"-1", "x", "", "1.5", "9223372036854775808", "-9223372036854775808"})
	case a.Name == "encoding":
		return pick(g.rng, []string{"u64", "u0", "i65", "x", "", "u8\x00x", "8", "i-1"})
	case a.Name == "offset" && strings.HasPrefix(g.row.name, "bitfield"):
		return pick(g.rng, []string{"-1", "#-1", "x", "#", "#2305843009213693952", "4294967296", "9223372036854775807", ""})
	case a.Name == "serialized-value" && len(g.dumps) > 0 && g.rng.IntN(3) > 0:
		return g.damaged(pick(g.rng, g.dumps))
	case g.style.lex && g.style.limits > 0 && (a.Name == "score" || a.Name == "increment"):
		return pick(g.rng, []string{"x", "", "nan", " 1", "1e400x"})
	case g.style.lex && a.Type == "string":
		return pick(g.rng, []string{"x", "", "nan", "1", "[a", "(", "\xff"})
	}
	return pick(g.rng, []string{"nan", "inf", "-inf", "+inf", "x", "", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
		" 1", "1 ",
		"+1", "01", "1e400", "0x10", "-1", "1.5", "0", "4294967296", "18446744073709551616", "zero\x00b", "-0", "1e3", "\xff", "NX", "BLOCK",
		"COUNT"})
}

// damaged is a payload with a mistake in it.
func (g *generator) damaged(s string) string {
	b := []byte(s)
	switch g.rng.IntN(3) {
	case 0:
		return s[:g.rng.IntN(len(s))]
	case 1:
		b[g.rng.IntN(len(b))] ^= 1 << g.rng.IntN(8)
	case 2:
		return s + "x"
	}
	return string(b)
}
