package difftest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// peers are an oracle and an engine that get the same commands.
type peers struct {
	t            *testing.T
	oracle, ours Conn
}

func newPeers(t *testing.T) *peers {
	needsOracle(t)
	require.NoError(t, theRunner.Oracle.Reset())
	rm, err := NewRedmoon(Present())
	require.NoError(t, err)
	ours, err := rm.Open()
	require.NoError(t, err)
	oracle, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	t.Cleanup(func() {
		oracle.Close()
		require.NoError(t, rm.Stop())
	})
	return &peers{t, oracle, ours}
}

// ask returns the text of a reply, without its frame.
func (p *peers) ask(c Conn, args ...string) string {
	p.t.Helper()
	raw, err := c.Do(args)
	require.NoError(p.t, err)
	n, _, err := parseFrame(raw)
	require.NoError(p.t, err)
	if n.mark == '-' {
		return "error: " + n.text
	}
	return n.text
}

// both sends a command to both and requires equal replies.
func (p *peers) both(args ...string) string {
	p.t.Helper()
	want, got := p.ask(p.oracle, args...), p.ask(p.ours, args...)
	require.Equal(p.t, want, got, "%.200q", args)
	return want
}

// dumpMaker makes random values.
type dumpMaker struct{ r *rand.Rand }

// text is a text of one of the kinds that encodings distinguish.
func (m *dumpMaker) text() string {
	switch m.r.IntN(7) {
	case 0:
		return strconv.FormatInt(int64(m.r.Uint64())>>m.r.IntN(64), 10)
	case 1:
		return strconv.Itoa(m.r.IntN(300) - 150)
	case 2:
		return strings.Repeat(string(rune('a'+m.r.IntN(26))), m.r.IntN(100))
	case 3:
		b := make([]byte, m.r.IntN(70))
		for i := range b {
			b[i] = byte(m.r.Uint32())
		}
		return string(b)
	case 4:
		if m.r.IntN(10) == 0 {
			return strings.Repeat("long"+strconv.Itoa(m.r.IntN(9)), m.r.IntN(2500))
		}
	}
	return "e" + strconv.Itoa(m.r.IntN(100000))
}

func (m *dumpMaker) score() string {
	switch m.r.IntN(6) {
	case 0:
		return strconv.Itoa(m.r.IntN(2000) - 1000)
	case 1:
		return strconv.FormatFloat(m.r.NormFloat64()*1e9, 'g', -1, 64)
	case 2:
		return []string{"inf", "-inf", "0", "-0", "1e300", "1e-300", "4611686018427387904", "9223372036854775807", "1e17"}[m.r.IntN(9)]
	case 3:
		return strconv.FormatInt(int64(m.r.Uint64())>>m.r.IntN(64), 10)
	}
	return strconv.FormatFloat(m.r.Float64(), 'g', -1, 64)
}

// size is a number of elements, around the borders of compact encodings.
func (m *dumpMaker) size() int {
	return []int{1, 2, 3 + m.r.IntN(60), 125 + m.r.IntN(8), 510 + m.r.IntN(6), 600 + m.r.IntN(3000)}[m.r.IntN(6)]
}

// value makes the commands that build a value under key; ordered reports whether its dump is
// determined where it is in a compact encoding, always where it is in none.
func (m *dumpMaker) value(key string) (cmds [][]string, kind string) {
	kind = []string{"string", "list", "set", "ints", "zset", "hash"}[m.r.IntN(6)]
	n := m.size()
	add := func(args ...string) { cmds = append(cmds, args) }
	short := m.r.IntN(2) == 0
	text := func() string {
		s := m.text()
		if short {
			s = s[:min(len(s), 60)]
		}
		return s
	}
	switch kind {
	case "string":
		add("SET", key, m.text())
		if m.r.IntN(3) == 0 {
			add("APPEND", key, m.text())
		}
		return cmds, kind
	}
	for range n {
		switch kind {
		case "list":
			add("RPUSH", key, m.text())
		case "set":
			add("SADD", key, m.text())
		case "ints":
			add("SADD", key, strconv.FormatInt(int64(m.r.Uint64())>>m.r.IntN(64), 10))
		case "zset":
			add("ZADD", key, m.score(), text())
		case "hash":
			add("HSET", key, text(), text())
		}
	}
	return cmds, kind
}

// determined reports whether the value determines the bytes of its dump, which it does not for a
// hash table.
func determined(dump string) bool { return dump[0] != 2 && dump[0] != 4 }

// TestRandomDumps builds random values on both sides: dumps are equal where their order is
// determined, and what one side has dumped the other restores to the same value. REDMOON_SEED and
// REDMOON_STEPS set another seed and the number of values.
func TestRandomDumps(t *testing.T) {
	seed, steps := tier.Seed(), tier.Number("REDMOON_STEPS", 60, 200)
	p := newPeers(t)
	m := dumpMaker{rand.New(rand.NewPCG(seed, 11))}
	for i := range steps {
		if i%50 == 25 {
			p.both("CONFIG", "SET", "list-max-listpack-size", strconv.Itoa(m.r.IntN(40)-6))
		}
		p.both("FLUSHALL")
		cmds, kind := m.value("k")
		for _, cmd := range cmds {
			p.both(cmd...)
		}
		theirs, ours := p.ask(p.oracle, "DUMP", "k"), p.ask(p.ours, "DUMP", "k")
		require.Equal(t, theirs[0], ours[0], "kind of the %s's dump", kind)
		if determined(theirs) {
			require.Equal(t, fmt.Sprintf("%.2000q", theirs), fmt.Sprintf("%.2000q", ours), "the dump of a %s of %d commands, value %d", kind,
				len(cmds), i)
			require.Equal(t, theirs, ours)
		}
		p.crossRestore(kind, theirs, ours)
	}
}

// crossRestore restores each dump on the other side.
func (p *peers) crossRestore(kind, theirs, ours string) {
	p.t.Helper()
	require.Equal(p.t, "OK", p.ask(p.oracle, "RESTORE", "ours", "0", ours), "the oracle refuses our dump of a %s: %.500q", kind, ours)
	require.Equal(p.t, "OK", p.ask(p.ours, "RESTORE", "theirs", "0", theirs), "we refuse the oracle's dump of a %s: %.500q", kind, theirs)
	require.Equal(p.t, "OK", p.ask(p.oracle, "RESTORE", "again", "0", theirs))
	require.Equal(p.t, p.ask(p.oracle, "OBJECT", "ENCODING", "again"), p.ask(p.ours, "OBJECT", "ENCODING", "theirs"), kind)
	require.Equal(p.t, p.ask(p.oracle, "OBJECT", "ENCODING", "again"), p.ask(p.oracle, "OBJECT", "ENCODING", "ours"), kind)
	require.Equal(p.t, "OK", p.ask(p.oracle, "RESTORE", "theirs", "0", p.ask(p.ours, "DUMP", "theirs")))
	digest, err := p.oracle.Do([]string{"DEBUG", "DIGEST-VALUE", "k", "ours", "theirs"})
	require.NoError(p.t, err)
	n, _, err := parseFrame(digest)
	require.NoError(p.t, err)
	require.Equal(p.t, n.kids[0].text, n.kids[1].text, "our dump of a %s restored by the oracle", kind)
	require.Equal(p.t, n.kids[0].text, n.kids[2].text, "the oracle's dump of a %s restored by us", kind)
}
