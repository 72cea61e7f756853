package difftest

import (
	"bufio"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// The answers of the servers after Redis 7.0 are kept as far as they differ from the goldens of the
// case files, so that they are compared without these servers too. testdata/servers/<server>.golden
// has them:
//
//	file PATH HASH WRAPPING MS   the case file, and when the server was asked
//	STEP OUTCOME                 what it answered in that step, as in a golden

// serverGolden are the answers of a server, by the path of the case file.
type serverGolden map[string]*serverAnswers

// serverAnswers are the answers to one file that differ from its golden, by step.
type serverAnswers struct {
	hash  string
	wrap  wrapping
	start time.Time
	outs  map[int]string
}

func serverGoldenPath(s servers.Server) string { return "testdata/servers/" + s.String() + ".golden" }

// answersOf returns the answers of a server that differ from the golden of the file; nil if none
// do.
func answersOf(f *File, golden, of *Recording, w wrapping) *serverAnswers {
	base, p := golden.plays[w], of.plays[w]
	a := &serverAnswers{hash: f.Hash, wrap: w, start: p.start, outs: map[int]string{}}
	differ := false
	for i := range f.Steps {
		s := f.Steps[i]
		if !s.answers() {
			continue
		}
		timed := s.Relax.Approx > 0
		if timed {
			s.Relax.Approx = math.MaxInt64 // the two were asked at different times
		}
		same := base != nil && s.accepts(w, base.outs[i], p.outs[i])
		if !same || timed {
			a.outs[i] = s.shorten(w, p.outs[i]).line()
		}
		differ = differ || !same
	}
	if !differ {
		return nil
	}
	return a
}

// recording is the golden of the file with the answers of the server.
func (a *serverAnswers) recording(f *File, golden *Recording) (*Recording, error) {
	p := &playback{start: a.start, outs: make([]outcome, len(f.Steps))}
	if base := golden.plays[a.wrap]; base != nil {
		copy(p.outs, base.outs)
	}
	r := goldenReader{file: f, wrap: a.wrap, play: p}
	for i, line := range a.outs {
		if r.next = i; i >= len(f.Steps) {
			return nil, fmt.Errorf("step %d of %d", i, len(f.Steps))
		}
		if err := r.parse(line); err != nil {
			return nil, err
		}
	}
	return &Recording{Version: golden.Version, Hash: f.Hash, plays: map[wrapping]*playback{a.wrap: p}}, nil
}

func (g serverGolden) write(t *testing.T, path string) {
	t.Helper()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(g)) {
		a := g[name]
		fmt.Fprintf(&b, "file %s %s %s %d\n", name, a.hash, a.wrap, a.start.UnixMilli())
		for _, i := range slices.Sorted(maps.Keys(a.outs)) {
			fmt.Fprintf(&b, "%d %s\n", i, a.outs[i])
		}
	}
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
}

func readServerGolden(t *testing.T, path string) serverGolden {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	g := serverGolden{}
	var last *serverAnswers
	sc := bufio.NewScanner(file)
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		word, rest, _ := strings.Cut(sc.Text(), " ")
		if word != "file" {
			i, err := strconv.Atoi(word)
			require.NoError(t, err, sc.Text())
			last.outs[i] = rest
			continue
		}
		cells := strings.Fields(rest)
		require.Len(t, cells, 4, sc.Text())
		ms, err := strconv.ParseInt(cells[3], 10, 64)
		require.NoError(t, err)
		last = &serverAnswers{hash: cells[1], wrap: wrapping(cells[2]), start: time.UnixMilli(ms), outs: map[int]string{}}
		g[cells[0]] = last
	}
	require.NoError(t, sc.Err())
	return g
}

// TestServersAsRecorded plays the case files in which a server differs from Redis 7.0 on an engine
// that follows it, and compares with its recorded answers: all in .ci/run, and a part for
// each server in make test. TestServers asks the servers themselves.
func TestServersAsRecorded(t *testing.T) {
	for i, s := range slices.DeleteFunc(servers.All(), func(s servers.Server) bool { return oracles[s] == "" }) {
		t.Run(s.String(), func(t *testing.T) {
			known := openDifferences(t, "testdata/servers/"+s.String()+".txt")
			stale := 0
			for path, a := range readServerGolden(t, serverGoldenPath(s)) {
				f, err := ParseFile(filepath.FromSlash(path))
				require.NoError(t, err)
				switch {
				case !tier.IsLanding() && f.number()%len(oracles) != i:
					continue
				case f.Hash != a.hash:
					stale++
					continue
				}
				needSeeds(t, f)
				golden, err := theRunner.Recorded(f)
				require.NoError(t, err)
				rec, err := a.recording(f, golden)
				require.NoError(t, err, path)
				f.Server = s
				f.relaxScans()
				res, err := theRunner.Check(f, doorOf(f, a.wrap), rec)
				require.NoError(t, err, path)
				for _, fault := range res.Faults {
					if place := fmt.Sprintf("%s:%d", path, fault.Line); !known[place] && !known[place+sometimes] {
						t.Errorf("%s:%d: %s", path, fault.Line, fault.Text)
					}
				}
			}
			if stale > 0 {
				t.Logf("%d files have changed since %s was asked: make servers records them", stale, s)
			}
		})
	}
}

// doorOf returns the first door of a file whose commands are sent in a wrapping.
func doorOf(f *File, w wrapping) Door {
	i := slices.IndexFunc(f.Doors, func(d Door) bool { return d.wrapping() == w })
	return f.Doors[max(i, 0)]
}

// relaxScans lets the elements of a scan and the keys of a slot come in any order: where a server
// has a hash table and Redis 7.0 had none, that order differs in each process.
func (f *File) relaxScans() {
	for i := range f.Steps {
		s := &f.Steps[i]
		if len(s.Args) > 0 && strings.HasSuffix(strings.ToLower(s.Args[0]), "scan") ||
			len(s.Args) > 1 && strings.EqualFold(s.Args[1], "GETKEYSINSLOT") {
			s.Relax.Unordered = true
		}
	}
}
