package difftest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOracleInRESP3 plays the case files in which no step chooses a protocol as if each session
// began with HELLO 3: TestOracleInRESP3/<family>/<file>/<door>, with the doors of the run as
// TestOracle. There are no goldens for this test.
func TestOracleInRESP3(t *testing.T) {
	needsOracle(t)
	for family, paths := range caseFiles(t) {
		t.Run(family, func(t *testing.T) {
			for _, path := range paths {
				f, err := ParseFile(path)
				require.NoError(t, err)
				if f.choosesProtocol() {
					continue
				}
				live, err := theRunner.live(f)
				require.NoError(t, err)
				if live == nil {
					continue
				}
				t.Run(strings.TrimSuffix(filepath.Base(path), ".rdt"), func(t *testing.T) {
					needSeeds(t, f)
					f.resp3 = true
					f.Doors = slices.DeleteFunc(f.Doors, func(d Door) bool { return d == DoorGo || d == DoorExec }) // which pass on what RESP shows
					if len(f.Doors) == 0 {
						t.Skip("its doors pass on what RESP shows")
					}
					f.Doors = doorsToPlay(f)
					rec := f.askOracle(t, func(*Recording) bool { return true })
					for _, d := range f.Doors {
						t.Run(string(d), func(t *testing.T) {
							res, err := theRunner.Check(f, d, rec)
							require.NoError(t, err)
							for _, fault := range res.Faults[:min(len(res.Faults), maxFaults)] {
								t.Errorf("%s:%d: (%s) %s", filepath.ToSlash(path), fault.Line, d, fault.Text)
							}
						})
					}
				})
			}
		})
	}
}

// choosesProtocol reports whether the file says which protocol is spoken, counts replies that only
// one of them has, or needs a password to say so.
func (f *File) choosesProtocol() bool {
	return slices.ContainsFunc(f.Steps, func(s Step) bool {
		if s.kind == stepRaw || s.kind == stepResp {
			return true
		}
		line := strings.ToLower(strings.Join(s.Args, " ")) + " "
		return slices.ContainsFunc([]string{"hello ", "reset ", "subscribe ", "psubscribe ", "ssubscribe ", "debug protocol push ",
			"config set requirepass "},
			func(start string) bool { return strings.HasPrefix(line, start) })
	})
}
