package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// expiry returns an item after which some keys have expired but are still there, because active
// expiry is off.
func (g *generator) expiry(line int) *item {
	it := &item{door: wrapExec, after: [][]string{{"DEBUG", "SLEEP", "0.006"}}}
	if g.rng.IntN(20) == 0 {
		it.db = 1
	}
	for range 1 + g.rng.IntN(6) {
		g.row, g.keys, g.slot = pexpire, 0, -1
		key := g.key(cmdtable.Arg{})
		it.steps, it.rows = append(it.steps, Step{Line: line, Args: []string{"PEXPIRE", key, "5"}}), append(it.rows, pexpire)
	}
	return it
}

// pexpire is the row of PEXPIRE.
var pexpire = &row{Spec: cmdrows.TableOf(servers.Redis70).Lookup("pexpire"), name: "pexpire", visible: true}

// remains compares the contents of all databases, including expired keys. It returns the first
// difference, or "".
func (f *fuzzer) remains(ours pipe) (string, error) {
	var cmds [][]string
	for db := range 2 {
		cmds = append(cmds, []string{"SELECT", strconv.Itoa(db)}, []string{"DBSIZE"})
	}
	cmds = append(cmds, []string{"DEBUG", "DIGEST"})
	want, got, err := f.both(ours, cmds)
	for i := range want {
		if string(want[i]) != string(got[i]) {
			return fmt.Sprintf("at the end: %q\n\toracle  %q\n\tredmoon %q", cmds[i], want[i], got[i]), nil
		}
	}
	return "", err
}

// deadRows are the commands that meet the same expired keys on both sides. RANDOMKEY and SCAN are
// left out: they meet them by chance.
func deadRows(rows []*row) []*row {
	return slices.DeleteFunc(rows, func(r *row) bool { return r.name == "randomkey" || r.name == "scan" })
}

// TestRandomExpiry lets keys expire under random commands while active expiry is off, so that
// commands meet keys that have expired but are still there. It compares replies, and for every
// second sequence all keyspace events. At the end it compares counters, the keyspace and the
// expired keys that are left. REDMOON_SEED=n selects other commands, REDMOON_COMMANDS=n their
// number.
func TestRandomExpiry(t *testing.T) {
	needsOracle(t)
	f, visible, dumps := startFuzzer(t)
	randomExpiry(t, f, visible, dumps, tier.Number("REDMOON_COMMANDS", 20_000, 60_000))
}

// randomExpiry plays count commands, between which keys expire.
func randomExpiry(t *testing.T, f *fuzzer, visible commandSet, dumps []string, count int) {
	seed := tier.Seed()
	shown := findings{}
	for i := 0; f.played < count; i++ {
		fam := fuzzFamilies[i%len(fuzzFamilies)]
		st, rows := style{groups: fam.groups, lex: fam.lex, dead: true}, deadRows(rowsOf(visible, fam.groups))
		if i%2 == 1 {
			st.events, rows = eventLetters(rand.New(rand.NewPCG(seed, uint64(i))), i), eventRows(rows)
		}
		seq := makeSequence(f, seed*1_000_000+800_000+uint64(i), i, st, rows, dumps)
		fault, err := f.play(seq)
		require.NoError(t, err, "seed %d, sequence %d", seed, i)
		if fault == nil {
			continue
		}
		f.report(t, shown, fmt.Sprintf("seed %d, sequence %d, events %q", seed, i, st.events), seq, fault)
	}
	t.Logf("%d commands from seed %d", f.played, seed)
}
