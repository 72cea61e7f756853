package difftest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/persist"
)

// incrementName is the file that commands are appended to after the first start, on both sides.
const incrementName = "appendonlydir/appendonly.aof.1.incr.aof"

// startAppending starts an oracle that writes an append-only file and never rewrites it. With
// everysec it would put off writes while a flush runs.
func startAppending(t *testing.T) *Oracle {
	bin, err := redistest.Find()
	require.NoError(t, err)
	o, err := startOracle(bin, "--appendonly", "yes", "--appendfsync", "no", "--auto-aof-rewrite-percentage", "0")
	require.NoError(t, err)
	t.Cleanup(o.Stop)
	return o
}

// appendOnlyPlay plays sequences and keeps what both sides append to their files.
type appendOnlyPlay struct {
	*fuzzer
	theirs string // the file of the oracle
	dir    string // of the last engine
}

// playAppending plays a sequence and compares what was appended.
func (p *appendOnlyPlay) playAppending(t *testing.T, seq *sequence) (*seqFault, error) {
	before, err := os.Stat(p.theirs)
	if err != nil {
		return nil, err
	}
	p.dir = t.TempDir()
	began := Present()
	p.options = engine.Options{Persistence: persist.New(persist.Options{Dir: p.dir, AppendOnly: true})}
	fault, err := p.play(seq)
	if err != nil || fault != nil {
		return fault, err
	}
	want, err := os.ReadFile(p.theirs)
	if err != nil {
		return nil, err
	}
	got, err := os.ReadFile(filepath.Join(p.dir, incrementName))
	if err != nil {
		return nil, err
	}
	if text := appendedDiffers(want[before.Size():], got, nearMillis+Present().Sub(began).Milliseconds()); text != "" {
		return &seqFault{len(seq.items), text}, nil
	}
	return nil, nil
}

// appendedDiffers compares what was appended for a sequence, except what depends on the clock and
// on chance. The first SELECT depends on what was selected before the sequence. The clock of an
// engine stands at the start of the sequence: limit is how far apart times may be, in ms.
func appendedDiffers(want, got []byte, limit int64) string {
	if bytes.Equal(want, got) {
		return ""
	}
	a, err := sentCommands(want)
	b, err2 := sentCommands(got)
	if err != nil || err2 != nil {
		return fmt.Sprintf("the files cannot be read: oracle %v, redmoon %v", err, err2)
	}
	a, b = sortDeletions(withoutSelect(a)), sortDeletions(withoutSelect(b))
	for i := range max(len(a), len(b)) {
		if i < len(a) && i < len(b) && sameEffect(a[i], b[i], limit) {
			continue
		}
		part := func(list [][]string) [][]string { return list[max(0, min(i-3, len(list))):min(i+2, len(list))] }
		return fmt.Sprintf("appended, around command %d\n\toracle  %q\n\tredmoon %q", i, part(a), part(b))
	}
	return ""
}

func withoutSelect(cmds [][]string) [][]string {
	if len(cmds) > 0 && strings.EqualFold(cmds[0][0], "select") {
		return cmds[1:]
	}
	return cmds
}

// sortDeletions sorts the names in each run of deletions: SORT finds expired keys in the order of a
// hash table.
func sortDeletions(cmds [][]string) [][]string {
	deletes := func(c []string) bool { return c[0] == "DEL" || c[0] == "UNLINK" }
	for i := 0; i < len(cmds); i++ {
		from := i
		for i < len(cmds) && deletes(cmds[i]) {
			i++
		}
		slices.SortFunc(cmds[from:i], slices.Compare)
	}
	return cmds
}

func sameEffect(a, b []string, limit int64) bool {
	if len(a) != len(b) {
		return false
	}
	for j := range a {
		chance := a[0] == "SREM" && j > 1 // SPOP
		if a[j] != b[j] && !timesWithin(a[j], b[j], limit) && !chance {
			return false
		}
	}
	return true
}

// TestRandomAppendOnlyFile compares what random commands, scripts and transactions append to the
// append-only files of both sides, byte for byte. Now and then both sides load the files of both,
// and must have the same data. REDMOON_SEED=n plays other commands,
// REDMOON_COMMANDS=n sets how many there are.
func TestRandomAppendOnlyFile(t *testing.T) {
	needsOracle(t)
	seed := tier.Seed()
	count := tier.Number("REDMOON_COMMANDS", 5000, 15_000)
	o := startAppending(t)
	f, visible, dumps := startFuzzerOn(t, o)
	f.draws = effectDraw{libraries: libraryDump(t, f.oracle), target: newFakeTarget(t).l.Addr().String()}
	p := &appendOnlyPlay{fuzzer: f, theirs: filepath.Join(o.server.Dir, incrementName)}
	shown, late, crossed := findings{}, 0, 0
	for i := 0; f.played < count; i++ {
		fam := fuzzFamilies[i%len(fuzzFamilies)]
		st := style{groups: fam.groups, lex: fam.lex, effects: true, unheard: true, dead: true, length: 300}
		seq := makeSequence(f, seed*1_000_000+700_000+uint64(i), i, st, effectRows(rowsOf(visible, fam.groups)), dumps)
		fault, err := p.playAppending(t, seq)
		for n := 0; n < 3 && err == nil && fault != nil; n++ { // the oracle may be too slow to set times of 5 ms
			late++
			fault, err = p.playAppending(t, seq)
		}
		require.NoError(t, err, "seed %d, sequence %d", seed, i)
		if fault != nil && !shown.has(fault) {
			shown[shown.key(fault)] = true
			t.Errorf("seed %d, sequence %d: %s", seed, i, fault.text)
		}
		if i%20 == 0 && fault == nil {
			requireCrossLoad(t, o, p.dir)
			crossed++
		}
	}
	require.Positive(t, crossed)
	t.Logf("%d commands from seed %d, %d files loaded by the other side, %d retries", f.played, seed, crossed, late)
}

// requireCrossLoad lets an engine and a redis-server load the file of each side. dir is the folder
// of an engine that has ended. A reload is compared with a reload: what the oracle has in memory is
// not always what it reads back. Keys that expire soon may be on one side only for a while.
func requireCrossLoad(t *testing.T, o *Oracle, dir string) {
	t.Helper()
	server, err := redistest.Start("--appendonly", "yes")
	require.NoError(t, err)
	defer server.Stop()
	server.Kill()
	copyAppendOnly(t, dir, server.Dir)
	require.NoError(t, server.Restart())
	reloaded := func() (string, error) {
		v, err := server.Do("DEBUG", "DIGEST")
		return v.Text(), err
	}
	requireSameData(t, "the file of redmoon", dir, reloaded)
	theirs := t.TempDir()
	copyAppendOnly(t, o.server.Dir, theirs)
	server.Kill()
	copyAppendOnly(t, theirs, server.Dir)
	require.NoError(t, server.Restart())
	requireSameData(t, "the file of the oracle", theirs, reloaded)
}

// copyAppendOnly replaces the append-only file in a directory by that in another.
func copyAppendOnly(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.RemoveAll(filepath.Join(to, "appendonlydir")))
	require.NoError(t, os.CopyFS(filepath.Join(to, "appendonlydir"), os.DirFS(filepath.Join(from, "appendonlydir"))))
}

// requireSameData starts an engine from a directory and waits until its digest is that of the
// oracle.
func requireSameData(t *testing.T, what, dir string, oracle func() (string, error)) {
	t.Helper()
	e, err := engine.New(engine.Options{Persistence: persist.New(persist.Options{Dir: dir, AppendOnly: true})})
	require.NoError(t, err)
	defer e.Close()
	var ours engine.Value
	var theirs string
	same := func() error {
		if ours, err = e.DoStrings(t.Context(), "DEBUG", "DIGEST"); err != nil {
			return err
		}
		if theirs, err = oracle(); err != nil {
			return err
		}
		if ours.Text() != theirs {
			return fmt.Errorf("%s: digest %s, oracle %s", what, ours.Text(), theirs)
		}
		return nil
	}
	require.NoError(t, patience.Try(same))
}
