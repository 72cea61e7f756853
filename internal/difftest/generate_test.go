package difftest

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/command"
)

// generator makes random commands from the syntax of the command table: mostly well-formed, with small pools of
// keys and values, so that commands meet each other's keys.
type generator struct {
	rng   *rand.Rand
	specs []*command.Spec
	long  bool // members too long for a listpack, and no lexical ranges

	// Of the command being made:
	group string // in COMMAND DOCS; also a key that mostly this group uses
	keys  int
	fixed bool // its arguments do not change places
	slot  int  // where numkeys stands in args, or -1
	args  []string
}

// newGenerator returns a generator for the commands of some groups of COMMAND DOCS. Seeds come in pairs with long
// members and without: a lexical range of a skiplist whose scores differ depends on the random levels of the
// oracle's nodes, so the two do not go together.
func newGenerator(seed uint64, groups ...string) *generator {
	g := &generator{rng: rand.New(rand.NewPCG(seed, 7)), long: seed/2%2 == 0}
	for _, s := range command.Commands().List() {
		if slices.Contains(groups, s.Group) {
			g.add(s)
		}
	}
	return g
}

func (g *generator) add(s *command.Spec) {
	for _, sub := range s.Subs {
		g.add(sub)
	}
	// A random choice that changes the keyspace would lead the two sides apart; emptying it leaves nothing to compare.
	if g.long && strings.Contains(s.Name, "lex") {
		return
	}
	switch s.Name {
	case "spop", "flushall", "flushdb", "freq":
		return
	}
	if s.Handler != nil && s.Flags&(command.Blocking|command.Admin) == 0 && len(s.Subs) == 0 {
		g.specs = append(g.specs, s)
	}
}

// step makes one command.
func (g *generator) step(line int) Step {
	s := pick(g.rng, g.specs)
	g.args, g.keys, g.slot, g.group, g.fixed = nil, 0, -1, s.Group, false
	if s.Parent != nil {
		g.args = append(g.args, s.Parent.Name)
	}
	g.args = append(g.args, g.anyCase(s.Name))
	for _, a := range s.Arguments() {
		g.arg(a)
	}
	if g.slot >= 0 && g.rng.IntN(12) > 0 {
		g.args[g.slot] = strconv.Itoa(g.keys)
	}
	if g.rng.IntN(15) == 0 {
		g.spoil()
	}
	return Step{Line: line, Args: g.args, Relax: relaxationFor(s)}
}

// txStep makes a command that often has to do with transactions.
func (g *generator) txStep(line int) Step {
	key := pick(g.rng, []string{"k0", "k1", "k2"})
	switch g.rng.IntN(12) {
	case 0, 1:
		return Step{Line: line, Args: []string{"MULTI"}}
	case 2, 3, 4:
		return Step{Line: line, Args: []string{"EXEC"}, Relax: Relax{Approx: 60000}}
	case 5:
		return Step{Line: line, Args: []string{pick(g.rng, []string{"DISCARD", "UNWATCH", "RESET"})}}
	case 6, 7:
		return Step{Line: line, Args: []string{"WATCH", key, pick(g.rng, []string{"k0", "k3", "nokey"})}}
	case 8:
		return Step{Line: line, Args: []string{"SELECT", pick(g.rng, []string{"0", "0", "0", "1", "99"})}}
	case 9:
		return Step{Line: line, Args: []string{"SET", key, "1"}}
	}
	return g.step(line)
}

// relaxationFor follows the row's tips.
func relaxationFor(s *command.Spec) Relax {
	switch {
	case slices.Contains(s.Tips, "nondeterministic_output"):
		switch s.Name {
		case "ttl", "pttl", "expiretime", "pexpiretime", "idletime":
			return Relax{Approx: 60000}
		}
		return Relax{Kind: true}
	case slices.Contains(s.Tips, "nondeterministic_output_order"):
		return Relax{Unordered: true, Pairs: s.Name == "hgetall"}
	case strings.Contains(s.Name, "expiretime"):
		return Relax{Approx: 60000}
	}
	return Relax{}
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

func (g *generator) anyCase(s string) string {
	if g.rng.IntN(4) == 0 {
		return strings.ToLower(s)
	}
	return strings.ToUpper(s)
}

// arg adds an argument, if it is not left out.
func (g *generator) arg(a command.Arg) {
	if a.Optional && g.rng.IntN(3) > 0 {
		return
	}
	times := 1
	if a.Multiple {
		times = 1 + g.rng.IntN(3)
	}
	if a.Name == "weight" && g.rng.IntN(6) > 0 {
		times = g.keys
	}
	for i := range times {
		if a.Token != "" && (i == 0 || a.MultipleToken) {
			g.args = append(g.args, g.anyCase(a.Token))
		}
		g.value(a)
	}
}

func (g *generator) value(a command.Arg) {
	switch a.Type {
	case "pure-token":
		return
	case "oneof":
		one := pick(g.rng, a.Args)
		if g.long && one.Token == "BYLEX" {
			one = a.Args[0]
		}
		one.Optional = false
		g.arg(one)
		return
	case "block":
		for _, x := range a.Args {
			g.arg(x)
		}
		return
	case "key":
		g.keys++
	}
	if a.Name == "numkeys" {
		g.slot = len(g.args)
	}
	values := pool(a)
	// A value in the place of a time would expire while the oracle runs; in the place of an offset it would fill the memory.
	g.fixed = g.fixed || strings.Contains(a.Name, "seconds") || a.Name == "offset"
	switch {
	case a.Type == "key" && g.rng.IntN(10) < 7:
		values = []string{g.group, g.group + "2", "k0"}
	case g.rng.IntN(2) == 0: // the sound ones stand first
		values = values[:min(6, len(values))]
	}
	v := pick(g.rng, values)
	// A time from now on is never the same twice: for GT and LT the oracle's clock would decide.
	switch v {
	case someSeconds:
		v = strconv.Itoa(1000 + g.rng.IntN(1e6))
	case someMillis:
		v = strconv.Itoa(1000500 + 1000*g.rng.IntN(1e6))
	case someEncoding:
		v = pick(g.rng, []string{"i", "u"}) + strconv.Itoa(1+g.rng.IntN(64))
	case someInteger:
		v = strconv.FormatInt(int64(g.rng.Uint64())>>g.rng.IntN(64), 10)
	}
	if v == "long" && g.long {
		v = strings.Repeat(v, 17)
	}
	g.args = append(g.args, v)
}

// What is another value each time.
const (
	someSeconds  = "some seconds"
	someMillis   = "some milliseconds"
	someEncoding = "some encoding of a bit field"
	someInteger  = "some integer"
)

// pool is what an argument may be.
func pool(a command.Arg) []string {
	switch a.Name {
	case "seconds":
		return []string{someSeconds, someSeconds, someSeconds, "0", "-1", "x", "9223372036854775807"}
	case "milliseconds":
		return []string{someMillis, someMillis, someMillis, "0", "-5", "1.5", "9223372036854775807"}
	case "unix-time-seconds":
		return []string{"9999999999", "8888888888", "1", "0", "-1", "x"}
	case "unix-time-milliseconds":
		return []string{"9999999999999", "8888888888888", "1", "0", "-1", "x"}
	case "min", "max", "start", "stop":
		if a.Type != "integer" {
			return []string{"0", "1", "-inf", "+inf", "(1", "5", "-1", "2", "(2.5", "[a", "(b", "-", "+", "[", "x", "nan"}
		}
	case "encoding":
		return []string{someEncoding, someEncoding, "u8", "i8", "i5", "u63", "u1", "u63", "i64", "i1", "u4", "u13", "i13", "i63", "u64", "u0", "i65", "x", "", "u8\x00x"}
	case "offset": // small ones only: SETBIT and SETRANGE fill the space before it
		return []string{"0", "1", "7", "13", "100", "#3", "2", "-1", "-2", "16", "#0", "#20", "801", "x", "4294967296", "#2305843009213693952", "9223372036854775807"}
	case "bit":
		return []string{"0", "1", "0", "1", "0", "1", "2", "-1", "x", "", "01"}
	case "operation":
		return []string{"AND", "or", "XOR", "xor", "NOT", "not", "NAND", "", "x"}
	case "value", "increment":
		if a.Type == "integer" {
			return []string{"0", "1", "0", "1", "-1", someInteger, "100", "-3", "255", "-129", "300", "2", "x", "", "1.5", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-4611686018427387905"}
		}
	case "index", "db", "destination-db":
		return []string{"0", "1", "2", "-1", "-2", "7", "16", "x"}
	case "cursor":
		return []string{"0", "0", "0", "0", "1", "x"}
	case "section", "type":
		return []string{"string", "list", "hash", "set", "zset", "nosuch"}
	}
	switch a.Type {
	case "key":
		return []string{"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "", "k\x00"}
	case "integer":
		return []string{"0", "1", "2", "3", "-1", "-2", "-3", "10", "100", "1.5", "x", "", "9223372036854775807", "-9223372036854775808", "9223372036854775808", " 1", "+1", "01"}
	case "double":
		return []string{"0", "1", "2", "-1", "1.5", "-2.25", "3.0", "1e3", "1e-7", "inf", "-inf", "+inf", "nan", "x", "", "0.1", "123456789012345678", "1e400", "0x10", " 1"}
	case "pattern":
		return []string{"*", "k*", "k?", "[ab]*", "k[^1-3]", "\\k0", "", "[", "k\\"}
	}
	return []string{"a", "b", "c", "d", "1", "2", "10", "-5", "1.5", "", "x\x00y", "text", "9223372036854775807", "12345678901234567890", "\xff\xfe",
		"long", "1e5", "abcabc"}
}

// spoil breaks the command.
func (g *generator) spoil() {
	last := len(g.args) - 1
	switch g.rng.IntN(4) {
	case 0:
		g.args = g.args[:last]
		if last == 0 {
			g.args = []string{"nosuch"}
		}
	case 1:
		g.args = append(g.args, pick(g.rng, []string{"x", "1000000", "LIMIT", "nx", ""}))
	case 2:
		g.args[last] = "x"
	case 3:
		if g.fixed {
			return
		}
		i, j := 1+g.rng.IntN(max(last, 1)), 1+g.rng.IntN(max(last, 1))
		if last > 0 {
			g.args[i], g.args[j] = g.args[j], g.args[i]
		}
	}
}
