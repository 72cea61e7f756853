package difftest

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/geohash"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// style is what a random sequence of commands is like.
type style struct {
	groups []string // of COMMAND DOCS
	proto  int
	limits int // index in encodingLimits
	length int // number of items; 0: fuzzSequence
	// lex: lexical ranges too. A lexical range of a skiplist whose scores differ depends on the random
	// levels of the oracle's nodes, so all scores are equal then, or the sets stay listpacks.
	lex bool
	// events are the letters of notify-keyspace-events; "": nobody listens.
	events string
	// effects: what replicas are sent is compared. unheard: commands are drawn as for effects, and
	// something else is compared.
	effects, unheard bool
	// dead: active expiry is off and time passes, so expired keys are still there.
	dead bool
	// cluster: most keys share a slot, by a hash tag.
	cluster bool
}

// generator makes random commands from the syntax of the command table: mostly well-formed, with
// small pools of keys and values, so that commands meet each other's keys.
type generator struct {
	rng   *rand.Rand
	style style
	rows  []*row
	cover coverage
	dumps []string // payloads for RESTORE
	draws effectDraw

	server servers.Server // decides what is relaxed

	times map[int]bool // relative expiry times used so far
	late  bool         // some key has expired, which MEMORY USAGE ignores while the key still exists
	ids   int          // stream ids made so far

	// Of the command being made:
	row   *row
	bad   bool // some of its arguments are bad ones
	keys  int
	fixed bool   // its arguments do not change places
	slot  int    // where numkeys stands in args, or -1
	by    string // of ZRANGE: the kind of its bounds
	args  []string
}

// row is a command that takes part.
type row struct {
	*cmdtable.Spec
	name    string // COMMAND INFO's
	syntax  []cmdtable.Arg
	server  servers.Server
	visible bool // clients know it
	waits   bool // may block a client with any arguments
}

// rowsOf returns the rows of some groups, and those of the group server that are about the
// keyspace.
func rowsOf(visible commandSet, groups []string) []*row {
	var rows []*row
	var add func(s *cmdtable.Spec)
	add = func(s *cmdtable.Spec) {
		for _, sub := range s.Subs {
			add(sub)
		}
		name := s.FullName()
		takes := slices.Contains(groups, s.Group) && left[name] == "" || slices.Contains(groups, "generic") && slices.Contains(keyspaceCommands,
			name)
		if !s.HasHandler() && s.Flags&cmdtable.Blocking == 0 || len(s.Subs) > 0 || !takes {
			return
		}
		r := &row{Spec: s, name: name, syntax: s.Arguments(), server: visible.server, visible: visible.names[name]}
		r.waits = s.Flags&cmdtable.Blocking != 0 && !hasToken(r.syntax, "BLOCK") || name == "wait" || name == "waitaof" // which have no such flag
		if !r.visible && s.Flags&cmdtable.NoScript != 0 {
			return
		}
		rows = append(rows, r)
	}
	for _, s := range cmdrows.TableOf(visible.server).List() {
		add(s)
	}
	return rows
}

// keyspaceCommands are the commands of the group server that take part.
var keyspaceCommands = []string{"dbsize", "swapdb", "flushdb", "flushall", "memory|usage"}

// left are the commands of data groups that do not take part, and why.
var left = map[string]string{
	"migrate":    "needs a second server",
	"pfselftest": "takes the oracle seconds",
}

func hasToken(args []cmdtable.Arg, token string) bool {
	return slices.ContainsFunc(args, func(a cmdtable.Arg) bool { return a.Token == token || hasToken(a.Args, token) })
}

func newGenerator(seed uint64, st style, rows []*row) *generator {
	return &generator{rng: rand.New(rand.NewPCG(seed, 7)), style: st, rows: rows, times: map[int]bool{}, cover: coverage{}}
}

// step makes one command of a row.
func (g *generator) step(line int) Step {
	r := g.pickRow()
	g.row, g.args, g.keys, g.slot = r, nil, 0, -1
	g.fixed = g.style.lex && g.style.limits > 0 // moved to another place, a score would no longer be equal
	g.bad = g.rng.IntN(6) == 0
	g.by = pick(g.rng, []string{"", "BYSCORE", "BYLEX"})
	if g.by == "BYLEX" && !g.style.lex {
		g.by = ""
	}
	if r.Parent != nil {
		g.args = append(g.args, r.Parent.Name)
	}
	g.args = append(g.args, g.anyCase(r.Spec.Name))
	for _, a := range r.syntax {
		g.arg(a)
	}
	if g.slot >= 0 && !(g.bad && g.rng.IntN(3) == 0) {
		g.args[g.slot] = strconv.Itoa(g.keys)
	}
	if g.bad && g.rng.IntN(2) == 0 {
		g.spoil()
	}
	if r.name == "sort" && tiedSort(g.args) {
		for i, a := range g.args { // a list in random order would differ on the two sides
			if strings.EqualFold(a, "STORE") {
				g.args[i] = "GET"
			}
		}
	}
	switch g.server {
	case servers.Redis72: // Redict has it, Redis only since 7.4
		g.args = slices.DeleteFunc(g.args, func(a string) bool { return strings.EqualFold(a, "NOVALUES") })
	case servers.Redis86:
		g.spare()
	case servers.Valkey91:
		g.moveToMap()
	}
	return Step{Line: line, Args: g.args, Relax: relaxationFor(r, g.args)}
}

// spare changes commands that Redis 8.6 does not survive, or to which it sends two replies: HSETEX
// with a time, a field that comes twice and a long value, and SET with GET and what is not a
// digest.
func (g *generator) spare() {
	is := func(word string) func(string) bool { return func(a string) bool { return strings.EqualFold(a, word) } }
	switch at := slices.IndexFunc(g.args, is("FIELDS")); {
	case g.row.name == "hsetex" && at > 0:
		for i := at + 2; i < len(g.args); i += 2 {
			g.args[i] += "." + strconv.Itoa(i)
		}
	case g.row.name == "set" && (slices.ContainsFunc(g.args, is("IFDEQ")) || slices.ContainsFunc(g.args, is("IFDNE"))):
		g.args = slices.DeleteFunc(g.args, is("GET"))
	}
}

// moveToMap changes the latitudes of a polygon whose center is beyond the map: Valkey then searches
// in cells that it has not set.
func (g *generator) moveToMap() {
	at := slices.IndexFunc(g.args, func(a string) bool { return strings.EqualFold(a, "BYPOLYGON") })
	if at < 0 || at+2 > len(g.args) {
		return
	}
	n, err := strconv.Atoi(g.args[at+1])
	if rest := g.args[at+2:]; err == nil && n > 2 && n <= len(rest)/2 {
		vertices := make([]geohash.Point, n)
		for i := range vertices {
			vertices[i].Longitude, _ = strconv.ParseFloat(rest[2*i], 64)
			vertices[i].Latitude, _ = strconv.ParseFloat(rest[2*i+1], 64)
		}
		if center := geohash.Polygon(vertices).Center; !center.Valid() {
			for i := range vertices {
				rest[2*i+1] = strconv.Itoa(i)
			}
		}
	}
}

// tiedSort reports whether a SORT orders by texts of which several may be the same: those elements
// stay in the order of the oracle's hash table, if they come from one.
func tiedSort(args []string) bool {
	by, alpha := false, false
	for _, a := range args {
		by, alpha = by || strings.EqualFold(a, "BY"), alpha || strings.EqualFold(a, "ALPHA")
	}
	return by && alpha
}

// pickRow prefers what fills the keyspace to what empties it.
func (g *generator) pickRow() *row {
	names := []string{"xadd", "xadd", "xgroup|create", "xreadgroup", "geoadd"}
	if g.style.effects {
		names = append(names, "xgroup|create", "xgroup|destroy", "xgroup|delconsumer")
	}
	if often := pick(g.rng, names); g.rng.IntN(6) == 0 {
		if i := slices.IndexFunc(g.rows, func(r *row) bool { return r.name == often }); i >= 0 {
			return g.rows[i] // others of the group find nothing without it
		}
	}
	for {
		r := pick(g.rng, g.rows)
		if !g.style.lex && r.name[0] == 'z' && strings.Contains(r.name, "lex") || g.late && !g.style.dead && r.name == "memory|usage" {
			continue
		}
		rare := 1
		switch r.name {
		case "xgroup|destroy", "xgroup|delconsumer":
			rare = 8
		case "flushall", "flushdb", "swapdb", "memory|usage", "pfdebug":
			rare = 30
		case "del", "unlink", "getdel", "rename", "renamenx", "move", "keys", "expireat", "pexpireat":
			rare = 3
		}
		if g.style.effects {
			rare = min(rare, 4) // each of them has an effect
		}
		if g.rng.IntN(rare) == 0 {
			return r
		}
	}
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

func (g *generator) anyCase(s string) string {
	switch g.rng.IntN(16) {
	case 0:
		return strings.ToLower(s)
	case 1:
		return s[:1] + strings.ToLower(s[1:])
	}
	return strings.ToUpper(s)
}

// arg adds an argument, if it is not left out.
func (g *generator) arg(a cmdtable.Arg) {
	switch {
	case a.Name == "sortby" && g.style.lex && g.by == "", a.Name == "sortby" && g.by == "" && g.rng.IntN(12) > 0:
		return
	case a.Name == "sortby" && g.by != "" && !g.bad: // as its bounds
	case a.Optional && g.rng.IntN(3) > 0:
		return
	}
	times := 1
	if a.Multiple {
		times = g.times1(a)
	}
	for i := range times {
		if a.Token != "" && (i == 0 || a.MultipleToken) {
			g.args = append(g.args, g.anyCase(a.Token))
			g.cover.token(g.row.name, a.Token)
		}
		g.value(a)
	}
}

// times1 is the number of repetitions of an argument that may be repeated.
func (g *generator) times1(a cmdtable.Arg) int {
	switch {
	case a.Name == "weight" || a.Name == "id" && hasToken(g.row.syntax, "STREAMS"):
		if g.bad && g.rng.IntN(3) == 0 {
			break
		}
		return max(1, g.keys)
	case a.Type == "key" || a.MultipleToken || a.Type == "oneof" || g.style.lex:
	case g.rng.IntN(400) == 0:
		return 100 + g.rng.IntN(600) // beyond the limits of the compact encodings
	case g.rng.IntN(40) == 0:
		return 10 + g.rng.IntN(40)
	}
	return 1 + g.rng.IntN(3)
}

// countNames are the arguments that say how many follow of what is in countedNames, or of keys.
var (
	countNames   = []string{"numkeys", "numfields", "numids", "num-vertices"}
	countedNames = []string{"field", "id", "longitude"}
)

func (g *generator) value(a cmdtable.Arg) {
	switch a.Type {
	case "pure-token":
		return
	case "oneof":
		one := pick(g.rng, a.Args)
		switch {
		case a.Name == "sortby" && g.by != "":
			one = a.Args[slices.IndexFunc(a.Args, func(x cmdtable.Arg) bool { return x.Token == g.by })]
		case a.Name == "sortby":
			one = a.Args[0]
		case one.Token == "*" && g.rng.IntN(8) > 0:
			one = a.Args[len(a.Args)-1]
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
	switch {
	case slices.Contains(countNames, a.Name):
		g.slot, g.keys = len(g.args), 0
	case slices.Contains(countedNames, a.Name) && g.slot >= 0:
		g.keys++
	}
	// A value in the place of a time could expire while the oracle runs; in the place of an offset it
	// could fill the memory.
	g.fixed = g.fixed || isTime(a) || a.Name == "offset"
	if g.bad && g.rng.IntN(3) == 0 {
		g.args = append(g.args, g.badValue(a))
		return
	}
	g.args = append(g.args, g.soundValue(a))
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

// encodingRelaxation accepts encodings of texts that have reasons which Redmoon does not follow:
// the length of the key, whether it has an expiry time, and whether a script has set it.
func encodingRelaxation(s servers.Server) Relax {
	return Relax{Embedded: s.Has(servers.OwnNumbers), Unparsed: s.HasSince("-/9.1.0")}
}

// relaxationFor follows the row's tips if the answer depends on chance, order or time.
func relaxationFor(r *row, args []string) Relax {
	near := Relax{Approx: nearMillis}
	switch r.name {
	case "ttl", "httl", "hpttl", "hexpiretime", "hpexpiretime", "expiretime",
		"pttl", "pexpiretime", "xpending", "xinfo|stream", "xinfo|consumers":
		return near
	case "object|idletime":
		if r.server != servers.Redis70 && !r.server.Has(servers.OwnNumbers) {
			return Relax{Kind: true} // a small integer has one for all its keys
		}
		return near
	case "object|encoding":
		return encodingRelaxation(r.server)
	case "xreadgroup":
		return Relax{Approx: nearMillis, Claims: true} // the option CLAIM
	case "object|refcount", "xread", "xclaim", "xautoclaim", "xtrim", "xdel":
		return Relax{}
	case "srandmember", "hrandfield", "zrandmember", "spop":
		return Relax{Count: true}
	case "sscan", "hscan", "zscan":
		return Relax{Scan: len(args) > 2 && args[2] == "0", Kind: len(args) < 3 || args[2] != "0"}
	case "xadd":
		return Relax{Kind: slices.Contains(args, "*")}
	case "memory|usage", "dbsize": // expired keys count until they are removed
		return Relax{Kind: true}
	case "sort", "sort_ro":
		return sortRelaxation(args)
	}
	switch {
	case slices.Contains(r.Tips, "nondeterministic_output"):
		return Relax{Kind: true}
	case slices.Contains(r.Tips, "nondeterministic_output_order"):
		return Relax{Unordered: true, Pairs: r.name == "hgetall"}
	}
	return Relax{}
}

// nearMillis is the greatest accepted distance of times: the oracle has its own clock.
const nearMillis = 3000

// sortRelaxation accepts the members of a set in any order if SORT does not sort them, or finds
// them equal.
func sortRelaxation(args []string) Relax {
	r, limited := Relax{Unordered: tiedSort(args)}, false
	for i, a := range args {
		switch {
		case strings.EqualFold(a, "BY") && i+1 < len(args) && !strings.Contains(args[i+1], "*"):
			r.Unordered = true
		case strings.EqualFold(a, "LIMIT"):
			limited = true
		case strings.EqualFold(a, "STORE"):
			return Relax{} // then Redis sorts nevertheless
		}
	}
	if r.Unordered && limited {
		return Relax{Count: true}
	}
	return r
}
