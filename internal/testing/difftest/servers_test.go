package difftest

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// TestServers plays every case file, through one door in turn, on the oracle of each version and on
// an engine that follows it; REDMOON_FAMILIES names the folders. A line that differs must stand in
// testdata/servers/<server>.txt, and a line there must differ. REDMOON_RECORD_SERVERS=1 writes
// these files.
func TestServers(t *testing.T) {
	tier.Nightly(t)
	for _, s := range servers.All() {
		if oracles[s] == "" {
			continue
		}
		t.Run(s.String(), func(t *testing.T) { testServer(t, s) })
	}
}

func testServer(t *testing.T, s servers.Server) {
	o, err := StartOracleOf(s)
	if errors.Is(err, ErrNoOracle) && !inCI() {
		t.Skip(err)
	}
	require.NoError(t, err)
	p := &serverPlay{s: s, plain: o, open: map[string]string{}, answers: serverGolden{}}
	defer p.stop()
	families := os.Getenv("REDMOON_FAMILIES")
	for _, path := range casePaths(t) {
		f, err := ParseFile(path)
		require.NoError(t, err)
		if families != "" && !slices.Contains(strings.Split(families, ","), f.folder()) {
			continue
		}
		if f.folder() == "ldb" || f.folder() == "selftest" || f.folder() == laterFolder && !s.HasSince("8.0.0/9.0.0") {
			continue
		}
		p.play(t, f)
	}
	t.Logf("%s: %d of %d steps equal; %d files not played", s, p.steps-(len(p.open)-p.unplayed), p.steps, p.unplayed)
	checkOpen(t, "testdata/servers/"+s.String()+".txt", p.open)
	if os.Getenv("REDMOON_RECORD_SERVERS") != "" {
		p.answers.write(t, serverGoldenPath(s))
	}
}

// serverPlay plays case files on an oracle and on an engine that follows it.
type serverPlay struct {
	s               servers.Server
	plain, cluster  *Oracle           // cluster is started when a file first needs it
	open            map[string]string // what differs, by place
	answers         serverGolden      // what differs from the golden of the file
	steps, unplayed int
}

func (p *serverPlay) stop() {
	for _, o := range []*Oracle{p.plain, p.cluster} {
		if o != nil {
			o.Stop()
		}
	}
}

// oracle returns the server for a file.
func (p *serverPlay) oracle(t *testing.T, f *File) *Oracle {
	t.Helper()
	var err error
	if f.Cluster {
		if p.cluster == nil {
			p.cluster, err = startClusterOf(p.s)
		}
		require.NoError(t, err)
		return p.cluster
	}
	if p.plain == nil {
		p.plain, err = StartOracleOf(p.s)
	}
	require.NoError(t, err)
	return p.plain
}

// lost ends the server for a file after it has crashed or waits: the next file gets another one.
func (p *serverPlay) lost(f *File) {
	if f.Cluster {
		p.cluster.Stop()
		p.cluster = nil
		return
	}
	p.plain.Stop()
	p.plain = nil
}

func (p *serverPlay) play(t *testing.T, f *File) {
	t.Helper()
	path := filepath.ToSlash(f.Path)
	golden, err := theRunner.Recorded(f)
	require.NoError(t, err)
	f.Server = p.s
	f.Doors = []Door{f.turn()}
	f.relaxScans()
	rec, res, err := compareOn(p.oracle(t, f), f)
	if err != nil { // such as a server that has crashed
		p.open[path+": not played"] = err.Error()
		p.unplayed++
		p.lost(f)
		return
	}
	for i := range f.Steps {
		if f.Steps[i].answers() {
			p.steps++
		}
	}
	for _, fault := range res.Faults {
		p.open[fmt.Sprintf("%s:%d", path, fault.Line)] = fmt.Sprintf("(%s) %s", f.Doors[0], fault.Text)
	}
	if a := answersOf(f, golden, rec, f.Doors[0].wrapping()); a != nil {
		p.answers[path] = a
	}
}

// sometimes ends a line of a list about a place that differs in some runs only, such as the pages
// of a SCAN, whose order differs in each process.
const sometimes = " (by chance)"

// checkOpen compares what differs, with its texts, with the list in a file.
// REDMOON_RECORD_SERVERS=1 writes the file; places that differ by chance stay in it. With
// REDMOON_FAMILIES some of the list is not played.
func checkOpen(t *testing.T, path string, open map[string]string) {
	t.Helper()
	known := openDifferences(t, path)
	if os.Getenv("REDMOON_RECORD_SERVERS") != "" {
		var lines []string
		for place := range open {
			if !known[place+sometimes] {
				lines = append(lines, place)
			}
		}
		for place := range known {
			if strings.HasSuffix(place, sometimes) {
				lines = append(lines, place)
			}
		}
		slices.Sort(lines)
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
		return
	}
	for place, text := range open {
		if !known[place] && !known[place+sometimes] {
			t.Errorf("%s: %s", place, text)
		}
	}
	for place := range known {
		_, differs := open[place]
		if !differs && !strings.HasSuffix(place, sometimes) && os.Getenv("REDMOON_FAMILIES") == "" {
			t.Errorf("%s is listed in %s, but equal", place, path)
		}
	}
}

// longest is how long a file may take on both sides: a command that waits on one side only would
// wait for ever.
const longest = 30 * time.Second

// compareOn plays a file through its first door on an oracle and on an engine.
func compareOn(o *Oracle, f *File) (*Recording, Result, error) {
	type outcome struct {
		rec *Recording
		res Result
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		rec, err := theRunner.RecordOn(o, f)
		if err == nil {
			err = o.lives()
		}
		if err != nil {
			done <- outcome{err: err}
			return
		}
		res, err := theRunner.Check(f, f.Doors[0], rec)
		done <- outcome{rec, res, err}
	}()
	select {
	case out := <-done:
		return out.rec, out.res, out.err
	case <-time.After(longest):
		return nil, Result{}, errors.New("one side waits")
	}
}

// openDifferences reads what is known to differ.
func openDifferences(t *testing.T, path string) map[string]bool {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(t, err)
	defer file.Close()
	known := map[string]bool{}
	for sc := bufio.NewScanner(file); sc.Scan(); {
		if sc.Text() != "" {
			known[sc.Text()] = true
		}
	}
	return known
}

// casePaths are the paths of all case files, sorted.
func casePaths(t *testing.T) []string {
	paths, err := filepath.Glob("testdata/*/*.rdt")
	require.NoError(t, err)
	return paths
}

// eachServer calls compare for every version that has an oracle, with an engine that follows it.
func eachServer(t *testing.T, compare func(t *testing.T, s servers.Server, rm *Redmoon, o *Oracle)) {
	eachOracle(t, func(t *testing.T, s servers.Server, o *Oracle) {
		rm, err := newRedmoonOf(s.String(), Present())
		require.NoError(t, err)
		defer rm.Stop()
		compare(t, s, rm, o)
	})
}

// eachOracle calls compare for every version that has an oracle.
func eachOracle(t *testing.T, compare func(t *testing.T, s servers.Server, o *Oracle)) {
	for _, s := range servers.All() {
		if oracles[s] == "" {
			continue
		}
		t.Run(s.String(), func(t *testing.T) {
			o, err := StartOracleOf(s)
			if errors.Is(err, ErrNoOracle) && !inCI() {
				t.Skip(err)
			}
			require.NoError(t, err)
			t.Cleanup(o.Stop)
			compare(t, s, o)
		})
	}
}
