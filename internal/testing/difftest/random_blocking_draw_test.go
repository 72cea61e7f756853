package difftest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// waitGenerator draws the steps of sequences.
type waitGenerator struct {
	rng   *rand.Rand
	dumps []string
	// If several keys become ready at the same time (FLUSHALL, SWAPDB), Redis serves them in the order
	// of its hash table: a sequence has either such commands or commands whose effects depend on that
	// order.
	flushes bool // FLUSHALL and FLUSHDB, but no commands behind those that wait
	swaps   bool // also SWAPDB, and one key of a type to wait for
	groups  bool // make groups first
	left    int  // steps
	id      int  // of the last stream entry
	clients int
}

func newWaitGenerator(seed uint64, steps int, dumps []string) (*waitGenerator, *waitSequence) {
	g := &waitGenerator{rng: rand.New(rand.NewPCG(seed, 77)), dumps: dumps, left: steps}
	g.flushes, g.groups = g.chance(40), g.chance(70)
	if g.flushes {
		g.swaps = g.chance(50)
	}
	g.clients = 4 + g.rng.IntN(3)
	seq := &waitSequence{anyOrder: g.flushes}
	for range g.clients {
		seq.protos = append(seq.protos, 2+g.rng.IntN(2))
	}
	seq.protos = append(seq.protos, 2)
	return g, seq
}

func (g *waitGenerator) chance(percent int) bool { return g.rng.IntN(100) < percent }

// draw makes the next step, for sessions in these states; nil at the end of the sequence.
func (g *waitGenerator) draw(states []waitState) *waitStep {
	if g.left--; g.left < 0 {
		return nil
	}
	if g.groups {
		g.groups = false
		return &waitStep{door: wrapNone, cmds: [][]string{
			{"XGROUP", "CREATE", "s1", "g", "$", "MKSTREAM"}, {"XGROUP", "CREATE", "s2", "g", "$", "MKSTREAM"}, {"XGROUP", "CREATE", "s1", "h",
				"$"}}}
	}
	var free, waiting []int
	for i := range g.clients {
		if states[i].waits {
			waiting = append(waiting, i)
		} else {
			free = append(free, i)
		}
	}
	s := &waitStep{door: wrapNone}
	switch r := g.rng.IntN(100); {
	case r < 3:
		s.session = g.rng.IntN(g.clients)
		return s // closes
	case r < 6 && len(waiting) > 0:
		s.session, s.behind = pick(g.rng, waiting), true
		s.cmds = [][]string{g.behind()}
		return s
	}
	if len(free) == 0 {
		s.session, s.cmds = pick(g.rng, waiting), nil
		return s
	}
	s.session = pick(g.rng, free)
	if len(free) > 1 && g.chance(50) {
		s.cmds = g.blocking()
		return s
	}
	switch g.rng.IntN(10) {
	case 0, 1:
		s.door = wrapExec
		for range 1 + g.rng.IntN(5) {
			s.cmds = append(s.cmds, g.inner(s.session))
		}
	case 2:
		s.door = wrapPcall
		for range 1 + g.rng.IntN(4) {
			s.cmds = append(s.cmds, g.write())
		}
	case 3:
		for range 2 + g.rng.IntN(3) {
			s.cmds = append(s.cmds, g.write())
		}
	case 4:
		s.cmds = [][]string{g.session(s.session)}
	default:
		s.cmds = [][]string{g.write()}
	}
	return s
}

// blocking makes a command that may wait, sometimes with others around it.
func (g *waitGenerator) blocking() (cmds [][]string) {
	if g.flushes || g.chance(75) {
		return append(cmds, g.wait())
	}
	if g.chance(30) {
		cmds = append(cmds, g.write())
	}
	cmds = append(cmds, g.wait())
	for range g.rng.IntN(4) {
		if g.chance(25) {
			cmds = append(cmds, g.wait())
		} else {
			cmds = append(cmds, g.write())
		}
	}
	return cmds
}

// behind makes a command to be sent while its session is blocked. Its effect does not depend on
// when it runs, and nobody is notified.
func (g *waitGenerator) behind() []string {
	return pick(g.rng, [][]string{{"PING"}, {"ECHO", "x"}, {"STRLEN", "x"}, {"RESET"}, {"HELLO", "3"}, {"QUIT"}, {"SELECT", "1"}, {"NOSUCH"}})
}

// inner makes a command of a transaction.
func (g *waitGenerator) inner(self int) []string {
	switch g.rng.IntN(12) {
	case 0:
		return g.wait()
	case 1:
		// Redis sends only part of the reply of a transaction that kills its own session.
		if args := g.unblock(); args[1] != "KILL" || args[len(args)-1] != idWord(self) {
			return args
		}
	case 2:
		if g.swaps {
			return g.flush()
		}
	case 3:
		return []string{"SELECT", strconv.Itoa(g.rng.IntN(2))}
	}
	return g.write()
}

func (g *waitGenerator) unblock() []string {
	i := g.rng.IntN(g.clients)
	switch g.rng.IntN(5) {
	case 0:
		return []string{"CLIENT", "KILL", "ID", idWord(i)}
	case 1:
		return []string{"CLIENT", "KILL", "SKIPME", "no", "ID", idWord(i)}
	case 2:
		return []string{"CLIENT", "UNBLOCK", idWord(i), "TIMEOUT"}
	case 3:
		return []string{"CLIENT", "UNBLOCK", idWord(i), "ERROR"}
	}
	return []string{"CLIENT", "UNBLOCK", idWord(i)}
}

func (g *waitGenerator) flush() []string {
	switch {
	case g.swaps && g.chance(50):
		return []string{"SWAPDB", strconv.Itoa(g.rng.IntN(2)), strconv.Itoa(g.rng.IntN(2))}
	case g.chance(50):
		return []string{"FLUSHDB"}
	}
	return []string{"FLUSHALL"}
}

// session makes a command that has to do with sessions, or empties databases.
func (g *waitGenerator) session(self int) []string {
	switch g.rng.IntN(10) {
	case 0, 1, 2:
		return g.unblock()
	case 3, 4:
		return []string{"SELECT", strconv.Itoa(g.rng.IntN(2))}
	case 5:
		return []string{"HELLO", strconv.Itoa(2 + g.rng.IntN(2))}
	case 6:
		return []string{"RESET"}
	case 7:
		return []string{"WATCH", g.any(), g.any()}
	case 8:
		if g.flushes {
			return g.flush()
		}
	}
	return []string{"CLIENT", "UNBLOCK", idWord(self)}
}

// The keys of the types; with swaps clients wait only for the first.
var waitKeys = [][]string{{"a1", "a2", "a3"}, {"z1", "z2", "z3"}, {"s1", "s2"}}

const (
	ofLists = iota
	ofZSets
	ofStreams
)

// key is one of a type's keys, or seldom another.
func (g *waitGenerator) key(kind int) string {
	switch {
	case g.chance(6):
		kind = g.rng.IntN(len(waitKeys))
	case g.swaps && g.chance(70):
		return waitKeys[kind][0]
	}
	return pick(g.rng, waitKeys[kind])
}

func (g *waitGenerator) any() string { return g.key(g.rng.IntN(len(waitKeys))) }

// awaited are keys to wait for.
func (g *waitGenerator) awaited(kind int) (keys []string) {
	if g.swaps {
		return []string{waitKeys[kind][0]}
	}
	for range pick(g.rng, []int{1, 1, 1, 2, 2, 3, 4}) {
		keys = append(keys, g.key(kind))
	}
	return keys
}

func (g *waitGenerator) timeout() string {
	return pick(g.rng, []string{"0", "0", "0", "0", "0", "0", "100000", "1e5", "100000.5", "0", "0", "0", "0", "-1", "x"})
}

func (g *waitGenerator) end() string { return pick(g.rng, []string{"LEFT", "RIGHT"}) }

func words(lists ...any) (out []string) {
	for _, l := range lists {
		switch l := l.(type) {
		case string:
			out = append(out, l)
		case int:
			out = append(out, strconv.Itoa(l))
		case []string:
			out = append(out, l...)
		}
	}
	return out
}

// wait makes a command that may wait.
func (g *waitGenerator) wait() []string {
	switch g.rng.IntN(13) {
	case 0, 1:
		return words("BLPOP", g.awaited(ofLists), g.timeout())
	case 2:
		return words("BRPOP", g.awaited(ofLists), g.timeout())
	case 3, 4:
		return words("BLMOVE", g.awaited(ofLists)[:1], g.target(), g.end(), g.end(), g.timeout())
	case 5:
		return words("BRPOPLPUSH", g.awaited(ofLists)[:1], g.target(), g.timeout())
	case 6:
		return g.many("BLMPOP", g.awaited(ofLists), g.end())
	case 7:
		return words("BZPOPMIN", g.awaited(ofZSets), g.timeout())
	case 8:
		return words("BZPOPMAX", g.awaited(ofZSets), g.timeout())
	case 9:
		return g.many("BZMPOP", g.awaited(ofZSets), pick(g.rng, []string{"MIN", "MAX"}))
	case 10:
		keys := g.awaited(ofStreams)
		return words("XREAD", g.count(), "BLOCK", g.block(), "STREAMS", keys, g.ids(len(keys), "$", "$", "$", "0", "5-0"))
	}
	keys := g.awaited(ofStreams)
	return words("XREADGROUP", "GROUP", g.group(), g.consumer(), g.count(), "BLOCK", g.block(), pick(g.rng, [][]string{nil, nil, {"NOACK"}}),
		"STREAMS", keys, g.ids(len(keys), ">", ">", ">", ">", ">", ">", "0"))
}

// target is the destination of a list's element.
func (g *waitGenerator) target() string {
	if g.swaps {
		return "d"
	}
	return g.key(ofLists)
}

func (g *waitGenerator) many(name string, keys []string, end string) []string {
	var count []string
	if g.chance(50) {
		count = []string{"COUNT", strconv.Itoa(1 + g.rng.IntN(3))}
	}
	return words(name, g.timeout(), len(keys), keys, end, count)
}

func (g *waitGenerator) count() []string {
	return pick(g.rng, [][]string{nil, nil, {"COUNT", "1"}, {"COUNT", "2"}})
}

func (g *waitGenerator) block() string { return pick(g.rng, []string{"0", "0", "0", "100000000"}) }

func (g *waitGenerator) ids(n int, from ...string) (ids []string) {
	for range n {
		ids = append(ids, pick(g.rng, from))
	}
	return ids
}

func (g *waitGenerator) group() string { return pick(g.rng, []string{"g", "g", "g", "h"}) }

func (g *waitGenerator) consumer() string { return pick(g.rng, []string{"c", "d", "e"}) }

// entryID is the id of a new entry.
func (g *waitGenerator) entryID() string {
	if g.chance(5) {
		return "1-1"
	}
	g.id++
	return fmt.Sprintf("%d-%d", g.id, g.rng.IntN(2))
}
