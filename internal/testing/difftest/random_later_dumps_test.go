package difftest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// footer is the size of the version and the checksum at the end of a dump.
const footer = 10

// timed makes the commands that build a hash whose fields have expiry times.
func (m *dumpMaker) timed(key string) (cmds [][]string) {
	n := m.size()
	for i := range n {
		field := "f" + strconv.Itoa(i)
		cmds = append(cmds, []string{"HSET", key, field, m.text()})
		if i == 0 || m.r.IntN(2) == 0 {
			at := 33_000_000_000_000 + m.r.Int64N(1_000_000)
			cmds = append(cmds, []string{"HPEXPIREAT", key, strconv.FormatInt(at, 10), "FIELDS", "1", field})
		}
	}
	return cmds
}

// groups makes the commands that build a stream with groups that have no consumers.
func (m *dumpMaker) groups(key string) (cmds [][]string) {
	ms := 1
	for range m.size() {
		ms += 1 + m.r.IntN(300)
		cmds = append(cmds, []string{"XADD", key, strconv.Itoa(ms) + "-" + strconv.Itoa(m.r.IntN(3)), "f", m.text()})
	}
	for range m.r.IntN(3) {
		cmds = append(cmds, []string{"XTRIM", key, "MAXLEN", strconv.Itoa(m.r.IntN(100))})
	}
	for g := range m.r.IntN(3) {
		cmds = append(cmds, []string{"XGROUP", "CREATE", key, "g" + strconv.Itoa(g), []string{"0", "$", strconv.Itoa(m.r.IntN(ms))}[m.r.IntN(3)]})
	}
	return cmds
}

// hashTable reports whether a dump has a hash table: each server has its own order.
func hashTable(dump string) bool { return !determined(dump) || dump[0] == 22 || dump[0] == 24 }

// TestRandomDumpsOfServers is TestRandomDumps on each server and an engine that follows it, with
// streams and with fields that expire. Redict, the oracle of Redis 7.2, writes a later version:
// what precedes it is compared.
func TestRandomDumpsOfServers(t *testing.T) {
	tier.Nightly(t)
	steps := tier.Number("REDMOON_STEPS", 60, 200)
	eachServer(t, func(t *testing.T, s servers.Server, rm *Redmoon, o *Oracle) {
		ours, err := rm.Open()
		require.NoError(t, err)
		oracle, err := o.Open()
		require.NoError(t, err)
		defer oracle.Close()
		p := &peers{t, oracle, ours}
		m := dumpMaker{rand.New(rand.NewPCG(tier.Seed(), 12+uint64(s)))}
		for i := range steps {
			p.both("FLUSHALL")
			cmds, kind := m.value("k")
			switch n := m.r.IntN(6); {
			case n == 0 && s.Has(servers.FieldExpiry):
				cmds, kind = m.timed("k"), "timed hash"
			case n == 1:
				cmds, kind = m.groups("k"), "stream"
			}
			for _, cmd := range cmds {
				p.both(cmd...)
			}
			theirs, ours := p.ask(p.oracle, "DUMP", "k"), p.ask(p.ours, "DUMP", "k")
			require.Equal(t, theirs[0], ours[0], "kind of the %s's dump", kind)
			switch {
			case kind == "string" && s.HasSince("-/8.1.0"): // whether it is embstr depends on the key, too
			case s == servers.Redis72:
				require.Equal(t, "OK", p.ask(p.oracle, "RESTORE", "ours", "0", ours))
				theirs, ours = theirs[:len(theirs)-footer], ours[:len(ours)-footer]
			default:
				p.crossRestore(kind, theirs, ours)
			}
			if !hashTable(theirs) {
				require.Equal(t, fmt.Sprintf("%.2000q", theirs), fmt.Sprintf("%.2000q", ours), "the dump of a %s, value %d", kind, i)
				require.Equal(t, theirs, ours)
			}
		}
	})
}
