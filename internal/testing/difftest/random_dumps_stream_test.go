package difftest

import (
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// stream makes the commands that build a stream under key: entries with equal and with other
// fields, deletions, groups and pending entries.
func (m *dumpMaker) stream(key string) (cmds [][]string) {
	add := func(args ...string) { cmds = append(cmds, args) }
	ms := 0
	id := func() string { return fmt.Sprintf("%d-1", m.r.IntN(ms+2)) }
	group := func() string { return "g" + strconv.Itoa(m.r.IntN(3)) }
	consumer := func() string { return strings.Repeat("c", m.r.IntN(3)) + strconv.Itoa(m.r.IntN(20)) }
	for range m.size() / 4 {
		switch m.r.IntN(12) {
		case 0:
			add("XDEL", key, id(), id())
		case 1:
			if m.r.IntN(10) == 0 {
				add("XTRIM", key, []string{"MAXLEN", "MINID"}[m.r.IntN(2)], strconv.Itoa(m.r.IntN(ms+1)))
			}
		case 2:
			add("XGROUP", "CREATE", key, group(), id(), "MKSTREAM", "ENTRIESREAD", strconv.Itoa(m.r.IntN(9)-1))
		case 3:
			add("XREADGROUP", "GROUP", group(), consumer(), "COUNT", strconv.Itoa(1+m.r.IntN(9)), "STREAMS", key, ">")
		case 4:
			add("XCLAIM", key, group(), consumer(), "0", id(), "FORCE", "JUSTID", "RETRYCOUNT", strconv.Itoa(m.r.IntN(20000)), "TIME",
				strconv.Itoa(m.r.IntN(1e9)))
		case 5:
			add("XSETID", key, id(), "ENTRIESADDED", strconv.Itoa(m.r.IntN(5000)))
		default:
			ms += 1 + m.r.IntN(3)
			cmd := []string{"XADD", key, fmt.Sprintf("%d-%d", ms, 1+m.r.IntN(3))}
			for range 1 + m.r.IntN(3) {
				cmd = append(cmd, "f"+strconv.Itoa(m.r.IntN(2)), m.text())
			}
			add(cmd...)
		}
	}
	return cmds
}

// useOfBad are commands that a stream must survive with any numbers in its dump.
var useOfBad = []string{"XRANGE bad - +", "XREVRANGE bad + -", "XINFO STREAM bad FULL COUNT 0", "XINFO GROUPS bad", "COPY bad bad2",
	"XDEL bad 1-1 2-1 3-1 4-2 5-2", "XADD bad * f1 v", "XREADGROUP GROUP g1 x STREAMS bad >", "XAUTOCLAIM bad g2 x 0 0",
	"XACK bad g0 1-1 2-1 3-1",
	"XGROUP DELCONSUMER bad g0 c1", "DUMP bad", "XTRIM bad MAXLEN 3", "XTRIM bad MINID ~ 9", "XTRIM bad MAXLEN 0", "XLEN bad", "DEL bad2",
	"XADD bad 9-9 f v"}

// sealed replaces the footer by a valid one.
func sealed(dump []byte) string {
	b := dump[:len(dump)-8]
	table := crc64.MakeTable(bits.Reverse64(0xad93d23594c935a9))
	return string(binary.LittleEndian.AppendUint64(b, ^crc64.Update(^uint64(0), table, b)))
}

// TestRandomStreamDumps builds random streams by the oracle: Redmoon restores their dumps, dumps
// them to the same bytes, and the streams behave like the oracle's. Redmoon refuses exactly the
// damaged dumps that the oracle refuses.
func TestRandomStreamDumps(t *testing.T) {
	p := newPeers(t)
	m := dumpMaker{rand.New(rand.NewPCG(tier.Seed(), 12))}
	p.ask(p.oracle, "CONFIG", "SET", "sanitize-dump-payload", "yes")
	defer p.ask(p.oracle, "CONFIG", "SET", "sanitize-dump-payload", "no")
	for i := range tier.Number("REDMOON_STEPS", 20, 60) {
		if i%20 == 10 {
			p.both("CONFIG", "SET", "stream-node-max-entries", strconv.Itoa(1+m.r.IntN(120)))
		}
		p.both("FLUSHALL")
		for _, cmd := range m.stream("k") {
			p.ask(p.oracle, cmd...)
		}
		dump := p.ask(p.oracle, "DUMP", "k")
		if dump == "" {
			continue
		}
		require.Equal(t, "OK", p.ask(p.ours, "RESTORE", "k", "0", dump), "stream %d", i)
		require.Equal(t, fmt.Sprintf("%q", dump), fmt.Sprintf("%q", p.ask(p.ours, "DUMP", "k")), "stream %d", i)
		for _, cmd := range m.stream("k") {
			p.both(cmd...)
		}
		p.sameReply("XINFO", "STREAM", "k")
		p.sameReply("XINFO", "GROUPS", "k")
		p.sameReply("XRANGE", "k", "-", "+")
		ours := p.ask(p.ours, "DUMP", "k")
		require.Equal(t, "OK", p.ask(p.oracle, "RESTORE", "k", "0", ours, "REPLACE"))
		require.Equal(t, fmt.Sprintf("%q", ours), fmt.Sprintf("%q", p.ask(p.oracle, "DUMP", "k")), "our stream %d", i)
		for range 20 {
			b := []byte(dump)
			b[m.r.IntN(min(len(b)-10, 400))] ^= 1 << m.r.IntN(8)
			bad := sealed(b)
			theirs, ours := p.ask(p.oracle, "RESTORE", "bad", "0", bad, "REPLACE"), p.ask(p.ours, "RESTORE", "bad", "0", bad, "REPLACE")
			if theirs != ours {
				t.Errorf("stream %d, damaged: oracle %q, redmoon %q: %.1000q\nwas %.1000q", i, theirs, ours, bad, dump)
			}
			for _, cmd := range useOfBad {
				require.NotContains(t, p.ask(p.ours, strings.Fields(cmd)...), "internal error", "%s of %.1000q", cmd, bad)
			}
			p.ask(p.oracle, "DEL", "bad")
			p.ask(p.ours, "DEL", "bad")
		}
	}
}

// sameReply is both for a reply of any shape.
func (p *peers) sameReply(args ...string) {
	p.t.Helper()
	want, err := p.oracle.Do(args)
	require.NoError(p.t, err)
	w := string(want)
	got, err := p.ours.Do(args)
	require.NoError(p.t, err)
	require.Equal(p.t, w, string(got), "%q", args)
}
