package difftest

import (
	"context"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

const (
	waitSteps       = 4000 // drawn in a run, unless REDMOON_STEPS says otherwise
	waitSequenceLen = 60
)

// TestRandomWaiters lets several sessions block at random while others make their keys ready, on
// the oracle and on Redmoon at the same time. After each step it compares which sessions wait, all
// replies so far and the keyspace events; after each sequence the keyspaces. REDMOON_SEED=n plays
// others, REDMOON_STEPS=n sets how many there are. A difference is cut down and printed as a case
// file.
func TestRandomWaiters(t *testing.T) {
	needsOracle(t)
	seed := tier.Seed()
	count := tier.Number("REDMOON_STEPS", 1000, waitSteps)
	p := newWaitPlayer(t)
	dumps := waitDumps(t, p)
	found := 0
	for i := 0; p.steps < count; i++ {
		g, seq := newWaitGenerator(seed*1_000_000+uint64(i), waitSequenceLen, dumps)
		fault, err := p.play(seq, g.draw)
		require.NoError(t, err, "seed %d, sequence %d:\n%s", seed, i, waitText(seq, p.trace))
		if fault == nil {
			continue
		}
		steps := p.steps
		small, shown, err := p.shrink(seq)
		p.steps = steps
		require.NoError(t, err, "while shrinking; seed %d, sequence %d:\n%s", seed, i, waitText(seq, fault.trace))
		if shown == nil {
			t.Logf("seed %d, sequence %d: did not show again: %s", seed, i, fault.text)
			continue
		}
		t.Errorf("seed %d, sequence %d: %s\n\nas a case file:\n%s", seed, i, shown.text, waitText(small, shown.trace))
		if found++; found == maxFuzzFinds {
			t.Fatal("too many differences")
		}
	}
	t.Logf("%d steps from seed %d; answered after a wait: %v", p.steps, seed, p.served)
	if count >= waitSteps {
		for _, name := range []string{"blpop", "brpop", "blmove", "brpoplpush", "blmpop", "bzpopmin", "bzpopmax", "bzmpop", "xread",
			"xreadgroup"} {
			require.NotZero(t, p.served[name], "%s never waited", name)
		}
	}
}

func newWaitPlayer(t *testing.T) *waitPlayer {
	f, err := newFuzzer()
	require.NoError(t, err)
	f.dumps = true
	r, err := newRedmoonServer("", Present())
	require.NoError(t, err)
	p := &waitPlayer{f: f, patience: patience.Limit, served: map[string]int{}}
	p.begin = func() { r.Clock.Advance(Present().Sub(r.Clock.Now())) }
	p.check = func() error { return r.Engine.Check(context.Background()) }
	p.oracle, err = newWaitSide(theRunner.Oracle.Addr)
	require.NoError(t, err)
	p.ours, err = newWaitSide(r.addr)
	require.NoError(t, err)
	p.pipe, err = newNetPipe(r.addr)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, p.oracle.reset(0))
		require.NoError(t, p.ours.reset(0))
		p.oracle.probe.Close()
		p.ours.probe.Close()
		p.oracle.events.conn.Close()
		p.ours.events.conn.Close()
		p.pipe.Close()
		f.oracle.Close()
		require.NoError(t, r.stop())
		require.NoError(t, theRunner.Oracle.Reset())
	})
	return p
}

// waitDumps are payloads of the types that clients wait for, and of another.
func waitDumps(t *testing.T, p *waitPlayer) (dumps []string) {
	for _, cmds := range [][][]string{
		{{"RPUSH", "k", "1", "2", "3"}},
		{{"ZADD", "k", "1", "p", "2", "q"}},
		{{"XADD", "k", "2-0", "f", "v"}, {"XADD", "k", "2-1", "f", "v"}, {"XGROUP", "CREATE", "k", "g", "0"}},
		{{"XGROUP", "CREATE", "k", "g", "0", "MKSTREAM"}},
		{{"SET", "k", "text"}},
	} {
		raw, err := p.f.oracle.Run(append([][]string{{"SELECT", "0"}, {"DEL", "k"}}, append(cmds, []string{"DUMP", "k"})...))
		require.NoError(t, err)
		n, _, err := parseFrame(raw[len(raw)-1])
		require.NoError(t, err)
		dumps = append(dumps, n.text)
	}
	return dumps
}
