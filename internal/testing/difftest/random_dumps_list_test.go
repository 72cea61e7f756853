package difftest

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// listMaker makes commands on lists, with elements of sizes at which nodes end.
type listMaker struct {
	r    *rand.Rand
	most int // bytes of an element
}

func (m *listMaker) element() string {
	switch m.r.IntN(8) {
	case 0:
		return strconv.FormatInt(int64(m.r.Uint64())>>m.r.IntN(64), 10)
	case 1:
		b := make([]byte, m.r.IntN(m.most))
		for i := range b {
			b[i] = byte(m.r.Uint32())
		}
		return string(b)
	case 2:
		return strings.Repeat(string(rune('a'+m.r.IntN(4))), m.r.IntN(m.most))
	case 3:
		return strings.Repeat("ab", m.r.IntN(10))
	}
	return strconv.Itoa(m.r.IntN(30))
}

// index is a place in a list of n elements, and now and then one outside.
func (m *listMaker) index(n int) string {
	i := m.r.IntN(n + 1)
	switch m.r.IntN(4) {
	case 0:
		i = m.r.IntN(min(n+1, 4))
	case 1:
		i = -1 - i
	}
	return strconv.Itoa(i)
}

// command makes a command on the list at key, which has n elements; pivot returns an element of it.
func (m *listMaker) command(key string, n int, pivot func(index string) string) []string {
	end := []string{"LEFT", "RIGHT"}
	switch op := m.r.IntN(100); {
	case op < 30:
		args := []string{[]string{"LPUSH", "RPUSH"}[m.r.IntN(2)], key}
		for range 1 + m.r.IntN(6) {
			args = append(args, m.element())
		}
		return args
	case op < 38:
		return []string{[]string{"LPOP", "RPOP"}[m.r.IntN(2)], key, strconv.Itoa(1 + m.r.IntN(4))}
	case op < 63:
		return []string{"LINSERT", key, []string{"BEFORE", "AFTER"}[m.r.IntN(2)], pivot(m.index(n)), m.element()}
	case op < 83:
		return []string{"LSET", key, m.index(n), m.element()}
	case op < 90:
		return []string{"LREM", key, strconv.Itoa(m.r.IntN(5) - 2), pivot(m.index(n))}
	case op < 93:
		return []string{"LTRIM", key, strconv.Itoa(m.r.IntN(4)), strconv.Itoa(-1 - m.r.IntN(4))}
	case op < 94 && n > 300:
		return []string{"LTRIM", key, m.index(n), m.index(n)}
	case op < 96:
		return []string{"LMOVE", key, key, end[m.r.IntN(2)], end[m.r.IntN(2)]}
	case op < 97:
		return []string{"COPY", key, "copy", "REPLACE"}
	case op < 98:
		return []string{"LMOVE", "copy", key, end[m.r.IntN(2)], end[m.r.IntN(2)]}
	case op == 98 && n < 500:
		return []string{"SORT", key, "ALPHA", "STORE", key}
	}
	return []string{"LRANGE", key, "0", "-1"}
}

// After any commands, the nodes of a list must be those of the oracle: its dump and DEBUG OBJECT
// are compared after each command. REDMOON_SEED=n and REDMOON_STEPS=n play others.
func TestRandomListNodes(t *testing.T) {
	needsOracle(t)
	seed, steps := int(tier.Seed()), tier.Number("REDMOON_STEPS", 100, 400)
	for i, limits := range [][3]string{ // list-max-listpack-size, list-compress-depth, the threshold of plain nodes
		{"-1", "0", "1gb"}, {"-1", "0", "100"}, {"-2", "1", "1gb"}, {"4", "0", "1gb"}, {"2", "0", "20"}, {"1", "0", "1gb"},
		{"0", "0", "10"}, {"40", "0", "1gb"}, {"128", "2", "50"}, {"3", "1", "60"}, {"-1", "0", "900"},
	} {
		t.Run(strings.Join(limits[:], "_"), func(t *testing.T) {
			p := newPeers(t)
			p.both("CONFIG", "SET", "list-max-listpack-size", limits[0], "list-compress-depth", limits[1])
			if limits[1] == "0" { // otherwise more decides what Redis keeps compressed
				p.both("CONFIG", "SET", "rdbcompression", []string{"yes", "no"}[(i+seed)%2])
			}
			p.both("DEBUG", "QUICKLIST-PACKED-THRESHOLD", limits[2])
			defer func() {
				p.both("DEBUG", "QUICKLIST-PACKED-THRESHOLD", "0")
				p.both("CONFIG", "SET", "list-max-listpack-size", "-2", "list-compress-depth", "0", "rdbcompression", "yes")
			}()
			m := &listMaker{rand.New(rand.NewPCG(uint64(seed), uint64(i))), []int{12, 70, 300, 1500}[(i+seed)%4]}
			var trace []string
			for range steps {
				n, err := strconv.Atoi(p.both("LLEN", "l"))
				require.NoError(t, err)
				cmd := m.command("l", n, func(index string) string { return p.both("LINDEX", "l", index) })
				trace = append(trace, strings.Join(cmd, " "))
				p.both(cmd...)
				if want, got := p.ask(p.oracle, "DUMP", "l"), p.ask(p.ours, "DUMP", "l"); want != got {
					t.Fatalf("the dumps differ after %.200q, of %d and %d bytes", trace[max(0, len(trace)-4):], len(want), len(got))
				}
				require.Equal(t, nodesOf(p.ask(p.oracle, "DEBUG", "OBJECT", "l")), nodesOf(p.ask(p.ours, "DEBUG", "OBJECT", "l")))
			}
		})
	}
}

// nodesOf returns the part of a reply of DEBUG OBJECT about nodes.
func nodesOf(line string) string {
	if i := strings.Index(line, " ql_"); i >= 0 {
		return line[i:]
	}
	return line
}
