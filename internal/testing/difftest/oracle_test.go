package difftest

import (
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/testing/seeds"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

const maxFaults = 40 // shown of one pass

// caseFiles are the case files by family.
func caseFiles(t *testing.T) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*/*.rdt")
	require.NoError(t, err)
	families := map[string][]string{}
	for _, p := range paths {
		family := filepath.Base(filepath.Dir(p))
		families[family] = append(families[family], p)
	}
	return families
}

// TestOracle plays every case file through doors: TestOracle/<family>/<file>/<door>. The nightly
// run plays it through all of its doors, the other runs through the one that [File.turn] gives.
func TestOracle(t *testing.T) {
	for family, paths := range caseFiles(t) {
		t.Run(family, func(t *testing.T) {
			for _, path := range paths {
				t.Run(strings.TrimSuffix(filepath.Base(path), ".rdt"), func(t *testing.T) { testFile(t, path) })
			}
		})
	}
}

func testFile(t *testing.T, path string) {
	f, err := ParseFile(path)
	require.NoError(t, err)
	needSeeds(t, f)
	if *record {
		recordFile(t, f)
		return
	}
	all := f.Doors
	f.Doors = doorsToPlay(f)
	var rec *Recording
	if theRunner.isLive(f) {
		rec = f.askOracle(t, func(rec *Recording) bool { return f.isAsRecorded(t, rec) })
		checkGolden(t, f, rec)
	} else {
		rec, err = theRunner.Recorded(f)
		require.NoError(t, err)
	}
	differing, passes := map[int]bool{}, 0
	for _, d := range all {
		t.Run(string(d), func(t *testing.T) {
			if !slices.Contains(f.Doors, d) {
				tier.Nightly(t)
			}
			res, err := theRunner.Check(f, d, rec)
			require.NoError(t, err)
			passes++
			for line, yes := range res.Differing {
				differing[line] = differing[line] || yes
			}
			for i, fault := range res.Faults {
				if i == maxFaults {
					t.Errorf("... and %d more", len(res.Faults)-i)
					break
				}
				t.Errorf("%s:%d: (%s) %s", filepath.ToSlash(path), fault.Line, d, fault.Text)
			}
		})
	}
	if passes < len(all) {
		return // this run or -run left doors out
	}
	for line, yes := range differing {
		if !yes {
			t.Errorf("%s:%d: marked !differs, but the same as the oracle's through every door", path, line)
		}
	}
}

// doorsToPlay are the doors through which this run plays f: one in turn. All in the nightly run,
// and for a file with differences: one that has gone through every door is an error.
func doorsToPlay(f *File) []Door {
	if tier.IsNightly() || slices.ContainsFunc(f.Steps, func(s Step) bool { return s.Differs != "" }) {
		return f.Doors
	}
	return []Door{f.turn()}
}

// turn is the door whose turn it is: the files take turns by their names, so that each door has a
// quarter of them. Make test and .ci/run have different doors for a file.
func (f *File) turn() Door {
	n := f.number()
	if tier.IsLanding() {
		n++
	}
	return f.Doors[n%len(f.Doors)]
}

// number is a number that follows from the name of the file: those of many files differ.
func (f *File) number() int {
	h := fnv.New32a()
	h.Write([]byte(filepath.ToSlash(f.Path)))
	return int(h.Sum32() >> 8)
}

// halfInTest skips every second file in make test, for a test that plays a file as others do.
func halfInTest(t *testing.T, f *File) {
	t.Helper()
	if f.number()%2 == 0 {
		tier.Landing(t)
	}
}

// needsLater skips a test that asks the oracle of later versions where there is none.
func needsLater(t *testing.T) {
	t.Helper()
	if theRunner.Later == nil {
		t.Skip("the folder of " + redistest.Oracles + " has no redis-server " + LaterVersion)
	}
}

// needSeeds skips a file whose scripts are not on this machine.
func needSeeds(t *testing.T, f *File) {
	t.Helper()
	for _, name := range f.Seeds {
		seeds.Need(t, name)
	}
}

// recordFile writes the golden of f, unless the existing one agrees.
func recordFile(t *testing.T, f *File) {
	if !theRunner.isLive(f) {
		t.Skip("its answers come from redis-server " + f.version() + ", which the folder of " + redistest.Oracles + " does not have")
	}
	rec, err := theRunner.Record(f)
	require.NoError(t, err)
	golden := GoldenPath(f.Path)
	if old, err := ReadRecording(golden, f); err == nil && old.Version == rec.Version {
		if _, same := rec.SameAs(old, f); same {
			return
		}
	}
	require.NoError(t, rec.Write(golden, f))
}

// askOracle plays f on the oracle. On a busy machine more time may pass there than f says, and the
// answers may be others, or never come. So a file in which time passes, or whose answers say how
// much, is played again, up to five times, until its answers are as expected and are Redmoon's.
func (f *File) askOracle(t *testing.T, expected func(*Recording) bool) *Recording {
	t.Helper()
	timePasses := slices.ContainsFunc(f.Steps, func(s Step) bool {
		return s.kind == stepWait || s.Relax.Approx > 0 || s.Blocks || s.Busy ||
			len(s.Args) > 1 && strings.EqualFold(s.Args[0]+" "+s.Args[1], "DEBUG SLEEP")
	})
	for tries := 5; ; tries-- {
		rec, err := theRunner.Record(f)
		switch {
		case tries == 0 || !timePasses || err != nil && !errors.Is(err, os.ErrDeadlineExceeded):
			require.NoError(t, err)
			return rec
		case err == nil && expected(rec) && f.isOurs(t, rec):
			return rec
		}
	}
}

// isOurs reports whether Redmoon gives the oracle's answers.
func (f *File) isOurs(t *testing.T, live *Recording) bool {
	return !slices.ContainsFunc(f.Doors, func(d Door) bool {
		res, err := theRunner.Check(f, d, live)
		require.NoError(t, err)
		return len(res.Faults) > 0
	})
}

// isAsRecorded reports whether the oracle gives the answers of the golden, if there is one.
func (f *File) isAsRecorded(t *testing.T, live *Recording) bool {
	old, err := ReadRecording(GoldenPath(f.Path), f)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrStale) {
		return true // TestGoldensAreFresh says so
	}
	require.NoError(t, err)
	_, same := live.SameAs(old, f)
	return same
}

// checkGolden compares a golden that is not stale with live answers: a case whose answers change
// from run to run must say so by a relaxation.
func checkGolden(t *testing.T, f *File, live *Recording) {
	old, err := ReadRecording(GoldenPath(f.Path), f)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrStale) {
		return // TestGoldensAreFresh says so
	}
	require.NoError(t, err)
	if line, same := live.SameAs(old, f); !same {
		t.Errorf("%s:%d: the oracle answers otherwise than recorded: the case needs a relaxation, or make record", f.Path, line)
	}
}

// TestGoldensAreFresh checks that the goldens belong to the case files of this tree.
func TestGoldensAreFresh(t *testing.T) {
	want := map[string]bool{}
	for _, paths := range caseFiles(t) {
		for _, path := range paths {
			f, err := ParseFile(path)
			require.NoError(t, err)
			golden := GoldenPath(path)
			want[golden] = true
			rec, err := ReadRecording(golden, f)
			if err != nil {
				t.Errorf("%s: %v: run make record", golden, err)
				continue
			}
			require.Equal(t, f.version(), rec.Version, golden)
		}
	}
	for _, pattern := range []string{"testdata/lines/*.lua", "testdata/ldb/*.txt"} { // what TestLines and TestLDB compare
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range paths {
			want[GoldenPath(path)] = true
		}
	}
	all, err := filepath.Glob("testdata/*/*.golden")
	require.NoError(t, err)
	for _, golden := range all {
		if !want[golden] && filepath.Base(filepath.Dir(golden)) != "servers" { // see TestServersAsRecorded
			t.Errorf("%s: its case file is gone", golden)
		}
	}
}

// TestOracleIsLive fails if the comparison is not live. CI runs it.
func TestOracleIsLive(t *testing.T) {
	if theRunner.Mode != Live {
		if inCI() || os.Getenv("REDMOON_ORACLE") == "require" {
			t.Fatal("goldens are being replayed")
		}
		t.Skip("no redis-server " + OracleVersion + " here: goldens are being replayed")
	}
	c, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer c.Close()
	raw, err := c.Do([]string{"INFO", "server"})
	require.NoError(t, err)
	require.Contains(t, string(raw), "redis_version:"+OracleVersion)
}

// TestDifferencesAreDeclaredAndUsed ties docs/differences.md to the cases that show its entries.
func TestDifferencesAreDeclaredAndUsed(t *testing.T) {
	list, err := ReadDifferences(filepath.Join(Root(), "docs", "differences.md"))
	require.NoError(t, err)
	used := map[string]bool{}
	for _, paths := range caseFiles(t) {
		for _, path := range paths {
			f, err := ParseFile(path)
			require.NoError(t, err)
			for _, s := range f.Steps {
				if s.Differs == "" {
					continue
				}
				used[s.Differs] = true
				if _, ok := list[s.Differs]; !ok {
					t.Errorf("%s:%d: %s is not in docs/differences.md", path, s.Line, s.Differs)
				}
			}
		}
	}
	for path, f := range ldbFiles(t) {
		for _, s := range f.sessions {
			if used[s.differs] = true; s.differs != "" {
				require.Contains(t, list, s.differs, path)
			}
		}
	}
	for id := range list {
		if !used[id] {
			t.Errorf("docs/differences.md: no case shows %s", id)
		}
	}
}
