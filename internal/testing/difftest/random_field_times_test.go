package difftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// The commands of a sequence come in phases, between which time passes. Within one, both sides must
// not notice that time goes on: what expires soon does so after a time, at first fieldSoon. A phase
// that took the oracle longer, with fieldMargin, is thrown away, and those after it have more time.
const (
	fieldSoon   = 200 * time.Millisecond
	fieldMargin = 20 * time.Millisecond
	fieldPhase  = 400 // commands
	fieldPhases = 10  // of a sequence
)

// fieldGen makes commands about fields that expire.
type fieldGen struct {
	r        *rand.Rand
	now      int64         // ms since the epoch
	relative int           // relative times that have been given
	soon     time.Duration // after which much expires
	active   bool          // both sides remove what is due by themselves
}

func (g *fieldGen) of(words ...string) string { return words[g.r.IntN(len(words))] }

func (g *fieldGen) key() string {
	if g.r.IntN(40) == 0 {
		return g.of("text", "none")
	}
	return "k" + strconv.Itoa(g.r.IntN(5))
}

func (g *fieldGen) field() string { return "f" + strconv.Itoa(g.r.IntN(8)) }

func (g *fieldGen) value() string {
	if g.r.IntN(150) == 0 {
		return strings.Repeat("v", 65)
	}
	return g.of("1", "-17", "2.5", "v", "", "1000000")
}

// at is an absolute time in ms: soon, far or past. Many are the same.
func (g *fieldGen) at() int64 {
	switch g.r.IntN(8) {
	case 0:
		return int64(g.r.IntN(3))
	case 1, 2, 3:
		return g.now + g.soon.Milliseconds() + int64(g.r.IntN(4))
	}
	return g.now/100_000*100_000 + 1_000_000 + int64(g.r.IntN(5))*1000
}

// seconds is a relative time, later than all before it, so that two sides that count from instants
// a little apart agree about the order.
func (g *fieldGen) seconds() int64 {
	if g.r.IntN(15) == 0 {
		return 0
	}
	g.relative++
	return 100_000 + 10*int64(g.relative)
}

// until is an option with the time to expire.
func (g *fieldGen) until() []string {
	switch g.r.IntN(5) {
	case 0:
		return []string{"EX", fmt.Sprint(g.seconds())}
	case 1:
		return []string{"PX", fmt.Sprint(g.seconds() * 1000)}
	case 2:
		return []string{"EXAT", fmt.Sprint(g.at()/1000 + 1000)}
	}
	return []string{"PXAT", fmt.Sprint(g.at())}
}

// fields is FIELDS numfields field ..., now and then wrong; with values where wanted.
func (g *fieldGen) fields(values bool) []string {
	n := 1 + g.r.IntN(3)
	count := strconv.Itoa(n)
	if g.r.IntN(60) == 0 {
		count = g.of("0", "-1", "2", "x", "9223372036854775807", "2147483648")
	}
	out := []string{g.of("FIELDS", "fields"), count}
	if g.r.IntN(100) == 0 {
		out[0] = g.of("FIELD", "NX", "EX")
	}
	for range n {
		out = append(out, g.field())
		if values {
			out = append(out, g.value())
		}
	}
	return out
}

func (g *fieldGen) maybe(words ...string) []string {
	if g.r.IntN(2) == 0 {
		return nil
	}
	return []string{g.of(words...)}
}

// next makes one command.
func (g *fieldGen) next() ([]string, Relax) {
	line := func(words ...any) []string {
		var out []string
		for _, w := range words {
			switch w := w.(type) {
			case string:
				out = append(out, w)
			case int64:
				out = append(out, strconv.FormatInt(w, 10))
			case []string:
				out = append(out, w...)
			}
		}
		return out
	}
	k, f := g.key(), g.field()
	condition := func() []string { return g.maybe("NX", "XX", "GT", "LT", "NX", "QX") }
	switch g.r.IntN(34) {
	case 0, 1:
		return line("HPEXPIREAT", k, g.at(), condition(), g.fields(false)), Relax{}
	case 2:
		return line("HEXPIREAT", k, g.at()/1000+1000, condition(), g.fields(false)), Relax{}
	case 3:
		return line("HEXPIRE", k, g.seconds(), condition(), g.fields(false)), Relax{}
	case 4:
		return line("HPEXPIRE", k, g.seconds()*1000, condition(), g.fields(false)), Relax{}
	case 5:
		return line("HPEXPIRE", k, g.of("-1", "x", "9223372036854775807", "70368744177664", ""), g.fields(false)), Relax{}
	case 6:
		return line("HPERSIST", k, g.fields(false)), Relax{}
	case 7:
		return line("HTTL", k, g.fields(false)), Relax{Approx: 2}
	case 8:
		return line("HPTTL", k, g.fields(false)), Relax{Approx: 2000}
	case 9:
		return line("HEXPIRETIME", k, g.fields(false)), Relax{Approx: 1}
	case 10:
		return line("HPEXPIRETIME", k, g.fields(false)), Relax{Approx: 1000}
	case 11:
		return line("HGET", k, f), Relax{}
	case 12:
		return line("HMGET", k, f, g.field(), g.field()), Relax{}
	case 13:
		return line(g.of("HEXISTS", "HSTRLEN"), k, f), Relax{}
	case 14:
		return line(g.of("HGETALL", "HKEYS", "HVALS"), k), Relax{Unordered: true}
	case 15:
		return line("HLEN", k), Relax{}
	case 16:
		return line("HSCAN", k, "0", "COUNT", "1000", g.maybe("NOVALUES")), Relax{Scan: true}
	case 17:
		return line("HRANDFIELD", k, "1000", g.maybe("WITHVALUES")), Relax{Unordered: true}
	case 18, 19:
		return line("HSET", k, f, g.value(), g.field(), g.value()), Relax{}
	case 20:
		return line("HSETNX", k, f, g.value()), Relax{}
	case 21:
		return line("HINCRBY", k, f, g.of("1", "-5")), Relax{}
	case 22:
		return line("HINCRBYFLOAT", k, f, "0.5"), Relax{}
	case 23:
		return line("HDEL", k, f, g.maybe("f1", "f2")), Relax{}
	case 24:
		return line("HGETDEL", k, g.fields(false)), Relax{}
	case 25, 26:
		until := g.until()
		if g.r.IntN(3) == 0 {
			until = g.maybe("PERSIST", "KEEPTTL")
		}
		return line("HGETEX", k, until, g.fields(false)), Relax{}
	case 27, 28, 29:
		until := g.until()
		if g.r.IntN(3) == 0 {
			until = g.maybe("KEEPTTL", "PERSIST", "NX")
		}
		return line("HSETEX", k, g.maybe("FNX", "FXX"), until, g.fields(true)), Relax{}
	case 30:
		return line("COPY", k, g.key(), g.maybe("REPLACE")), Relax{}
	case 31:
		return line(g.of("RENAME", "RENAMENX"), k, g.key()), Relax{}
	case 32:
		return line(g.of("OBJECT ENCODING", "OBJECT ENCODING", "TYPE", "EXISTS"), k), Relax{}
	}
	return line("SORT", "none", "BY", "none", "GET", k+"->"+f), Relax{}
}

// fieldPlayer plays phases on both sides.
type fieldPlayer struct {
	t        *testing.T
	oracle   *netPipe
	events   *NetConn // of the oracle
	rm       *Redmoon
	ours     pipe
	ourEvent []string
	played   int
	dropped  int
	soon     time.Duration
}

func (p *fieldPlayer) start(limits, active string) {
	rm, err := newRedmoonOf("8.0", Present())
	require.NoError(p.t, err)
	s, err := rm.Engine.NewSession()
	require.NoError(p.t, err)
	p.rm, p.ours, p.ourEvent = rm, &goPipe{s: s}, nil
	require.NoError(p.t, enginedoor.Of(rm.Engine).Store(context.Background(), func(s *datastore.Store) error {
		s.Listen(func(ch *datastore.Change) {
			if ch.Event != "" && ch.Class != datastore.ClassNew {
				p.ourEvent = append(p.ourEvent, ch.Event+" "+ch.Key)
			}
		})
		return nil
	}))
	setup := [][]string{{"FLUSHALL"}, {"CONFIG", "SET", "hash-max-listpack-entries", limits}, {"DEBUG", "SET-ACTIVE-EXPIRE", active},
		{"SET", "text", "x"}}
	_, err = p.oracle.Run(setup)
	require.NoError(p.t, err)
	_, err = p.ours.Run(setup)
	require.NoError(p.t, err)
	p.theirEvents()
	p.ourEvent = nil
}

// theirEvents are the events of the oracle since the last call.
func (p *fieldPlayer) theirEvents() (out []string) {
	_, err := p.oracle.Run([][]string{{"PUBLISH", "__keyevent@0__:end", "end"}})
	require.NoError(p.t, err)
	require.NoError(p.t, p.events.c.SetDeadline(patience.Deadline()))
	for {
		raw, err := p.events.Read()
		require.NoError(p.t, err)
		n, _, err := parseFrame(raw)
		require.NoError(p.t, err)
		_, event, _ := strings.Cut(n.kids[2].text, ":")
		if event == "end" {
			return out
		}
		out = append(out, event+" "+n.kids[3].text)
	}
}

// pass lets time pass on both sides and sets our clock to the present.
func (p *fieldPlayer) pass(d time.Duration) int64 {
	theRunner.Later.Pass(d)
	now := Present().Truncate(time.Millisecond)
	if d := now.Sub(p.rm.Clock.Now()); d > 0 { // it may have started within this ms
		p.rm.Clock.Advance(d)
	}
	return now.UnixMilli()
}

// phase plays commands; false when the oracle was too slow for them to mean anything.
func (p *fieldPlayer) phase(g *fieldGen) bool {
	g.soon = p.soon
	g.now = p.pass(0)
	p.theirEvents()
	p.ourEvent = nil
	cmds, relax := make([][]string, fieldPhase), make([]Relax, fieldPhase)
	for i := range cmds {
		cmds[i], relax[i] = g.next()
		if words := strings.Fields(cmds[i][0]); len(words) > 1 {
			cmds[i] = append(words, cmds[i][1:]...)
		}
	}
	want, err := p.oracle.Run(cmds)
	require.NoError(p.t, err)
	if Present().Sub(time.UnixMilli(g.now)) > p.soon-fieldMargin {
		p.dropped++
		p.soon *= 2
		return false
	}
	want = slices.Clone(want)
	for i := range want {
		want[i] = bytes.Clone(want[i])
	}
	got, err := p.ours.Run(cmds)
	require.NoError(p.t, err)
	p.played += len(cmds)
	for i := range cmds {
		if !relax[i].Equal(want[i], got[i]) {
			require.Fail(p.t, "another reply", "%q\n\toracle  %q\n\tredmoon %q\nbefore it:\n%s", cmds[i], want[i], got[i],
				about(cmds[:i], cmds[i][1]))
		}
	}
	if !g.active { // else the oracle may be ahead: they are compared when time has passed on both sides
		want, got := p.theirEvents(), p.ourEvent
		p.ourEvent = nil
		require.Equal(p.t, strings.Join(want, "\n"), strings.Join(got, "\n"), "events")
	}
	return true
}

// about are the last commands that name key.
func about(cmds [][]string, key string) string {
	var b strings.Builder
	for _, c := range cmds {
		if slices.Contains(c, key) {
			fmt.Fprintln(&b, strings.Join(c, " "))
		}
	}
	return b.String()
}

// sameEventsInTime compares the events since the phase began, where each side removes expired
// fields in steps of its own: which they are must become the same.
func (p *fieldPlayer) sameEventsInTime() {
	set := func(events []string) string {
		events = slices.Clone(events)
		slices.Sort(events)
		return strings.Join(slices.Compact(events), "\n")
	}
	var want []string
	if err := patience.Try(func() error {
		want = append(want, p.theirEvents()...)
		if set(want) != set(p.ourEvent) {
			return errors.New("other events")
		}
		return nil
	}); err != nil {
		require.Equal(p.t, set(want), set(p.ourEvent), "events")
	}
	p.ourEvent = nil
}

// values compares the values of all keys, and exchanges them as dumps, compressed or not.
func (p *fieldPlayer) values(compress string) {
	for _, side := range []pipe{p.oracle, p.ours} {
		replies, err := side.Run([][]string{{"CONFIG", "SET", "rdbcompression", compress}})
		require.NoError(p.t, err)
		require.Equal(p.t, "+OK\r\n", string(replies[0]))
	}
	for i := range 5 {
		k := "k" + strconv.Itoa(i)
		cmds := [][]string{{"EXISTS", k}, {"HLEN", k}, {"OBJECT", "ENCODING", k}, {"HPEXPIRETIME", k, "FIELDS", "8", "f0", "f1", "f2", "f3", "f4",
			"f5", "f6", "f7"}, {"HGETALL", k}, {"DUMP", k}}
		want, err := p.oracle.Run(cmds)
		require.NoError(p.t, err)
		got, err := p.ours.Run(cmds)
		require.NoError(p.t, err)
		large := bytes.Contains(want[2], []byte("hashtable"))
		for j, r := range []Relax{{}, {}, {}, {Approx: 1000}, {Unordered: large, Pairs: large}} {
			require.True(p.t, r.Equal(want[j], got[j]), "%q\n\toracle  %q\n\tredmoon %q", cmds[j], want[j], got[j])
		}
		if want[0][1] != '1' {
			continue
		}
		if compress == "no" { // how well a dump compresses depends on the digits of its times
			theirs, ours := len(want[5]), len(got[5])
			if large {
				theirs, ours = theirs-timesInDump(want[3]), ours-timesInDump(got[3])
			}
			require.Equal(p.t, theirs, ours, "the length of the dump of %s, but for what times take: %q and %q", k, want[3], got[3])
		}
		p.exchange(k, want[5], got[5], large)
	}
}

// timesInDump is how many bytes the dump of a large hash takes for the times that HPEXPIRETIME has
// answered. Each is written as its distance from the earliest, in 1, 2 or 5 bytes, and those of the
// two sides differ by a few ms.
func timesInDump(times []byte) (n int) {
	var list []int
	for _, line := range strings.Split(string(times), "\r\n") {
		if ms, err := strconv.Atoi(strings.TrimPrefix(line, ":")); err == nil && ms > 0 {
			list = append(list, ms)
		}
	}
	for _, ms := range list {
		switch d := ms - slices.Min(list) + 1; {
		case d < 1<<6:
			n++
		case d < 1<<14:
			n += 2
		default:
			n += 5
		}
	}
	return n
}

// exchange restores on each side what the other has dumped of key, large saying that its fields
// were in no order.
func (p *fieldPlayer) exchange(k string, theirs, ours []byte, large bool) {
	w, _, err := parseFrame(theirs)
	require.NoError(p.t, err)
	g, _, err := parseFrame(ours)
	require.NoError(p.t, err)
	require.Equal(p.t, w.text[0], g.text[0], "the kind in the dump of %s", k)
	read := [][]string{{"OBJECT", "ENCODING", "copy"}, {"HPEXPIRETIME", "copy", "FIELDS", "4", "f0", "f1", "f2", "f3"}, {"HGETALL", "copy"},
		{"DEL", "copy"}}
	want, err := p.oracle.Run(append([][]string{{"RESTORE", "copy", "0", g.text}}, read...))
	require.NoError(p.t, err)
	got, err := p.ours.Run(append([][]string{{"RESTORE", "copy", "0", w.text}}, read...))
	require.NoError(p.t, err)
	large = large || bytes.Contains(want[1], []byte("hashtable"))
	for j, r := range []Relax{{}, {}, {Approx: 1000}, {Unordered: large, Pairs: large}, {}} {
		require.True(p.t, r.Equal(want[j], got[j]), "restored from the other side: %q\n\toracle  %q\n\tredmoon %q", k, want[j], got[j])
	}
}

// TestRandomFieldTimes plays random commands about fields that expire on the later oracle and on an
// engine that follows it, with time passing: replies, events and what is left must be the same.
// REDMOON_SEED and REDMOON_COMMANDS set which and how many.
func TestRandomFieldTimes(t *testing.T) {
	needsLater(t)
	require.NoError(t, theRunner.Later.Reset())
	t.Cleanup(func() { require.NoError(t, theRunner.Later.Reset()) })
	p := &fieldPlayer{t: t, soon: fieldSoon}
	var err error
	p.oracle, err = newNetPipe(theRunner.Later.Addr)
	require.NoError(t, err)
	defer p.oracle.Close()
	_, err = p.oracle.Run([][]string{{"CONFIG", "SET", "notify-keyspace-events", "KEA"}})
	require.NoError(t, err)
	c, err := theRunner.Later.Open()
	require.NoError(t, err)
	defer c.Close()
	p.events = c.(*NetConn)
	_, err = p.events.Do([]string{"PSUBSCRIBE", "__keyevent@*"})
	require.NoError(t, err)
	seed, count := tier.Seed(), tier.Number("REDMOON_COMMANDS", 2000, 8000)
	for n := uint64(0); p.played < count; n++ {
		g := &fieldGen{r: rand.New(rand.NewPCG(seed, n)), active: n%3 == 2}
		p.start([]string{"512", "0", "4", "7"}[n%4], []string{"0", "0", "1"}[n%3])
		for i := range fieldPhases {
			if !p.phase(g) {
				break
			}
			p.pass(2 * p.soon)
			if g.active {
				p.sameEventsInTime()
			}
			p.values([]string{"no", "yes"}[i%2])
		}
		p.ours.Close()
		require.NoError(t, p.rm.Stop())
	}
	t.Logf("%d commands, %d phases thrown away", p.played, p.dropped)
}
