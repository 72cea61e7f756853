package difftest

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// dirtyNotYet are the steps whose count is still another one: blocked XREADGROUP and BLMPOP that
// are served, DEBUG RELOAD, FLUSHALL of an empty server.
var dirtyNotYet = []string{"blocking/groups.rdt:10", "blocking/groups.rdt:12", "blocking/groups.rdt:30", "blocking/groups.rdt:32",
	"blocking/groups.rdt:47", "blocking/groups.rdt:140", "blocking/groups.rdt:182", "blocking/groups.rdt:214", "blocking/groups.rdt:226",
	"blocking/lists.rdt:115", "dump/list_nodes.rdt:36", "streams/dump_unchecked.rdt:4"}

// TestDirtyOfCases plays case files and compares by how much rdb_changes_since_last_save grows on
// the oracle and on Redmoon with each step: TestDirtyOfCases/<family>/<file>.
func TestDirtyOfCases(t *testing.T) {
	needsOracle(t)
	o := oracleOfItsOwn(t)
	families := caseFiles(t)
	for _, family := range effectFamilies {
		t.Run(family, func(t *testing.T) {
			require.NotEmpty(t, families[family])
			for _, path := range families[family] {
				f, err := ParseFile(path)
				require.NoError(t, err)
				plain := slices.Contains(f.Doors, DoorRESP) || slices.Contains(f.Doors, DoorGo)
				if f.Cluster || f.Compat() != "" || !plain || slices.Contains(retryingCases, filepath.Base(path)) {
					continue
				}
				t.Run(strings.TrimSuffix(filepath.Base(path), ".rdt"), func(t *testing.T) {
					needSeeds(t, f)
					require.NoError(t, o.Reset())
					want, err := dirtySteps(o, o.admin, f)
					require.NoError(t, err)
					got, err := ourDirtySteps(f)
					require.NoError(t, err)
					for i := range f.Steps {
						s := &f.Steps[i]
						if slices.Contains(dirtyNotYet, fmt.Sprintf("%s/%s:%d", family, filepath.Base(path), s.Line)) {
							continue
						}
						if s.Differs == "" && !s.Relax.Kind && !s.Relax.Count && want[i] != got[i] {
							t.Errorf("%s:%d: changes that %s counts: oracle %d, redmoon %d", filepath.ToSlash(path), s.Line, s.text(), want[i], got[i])
						}
					}
				})
			}
		})
	}
}

// ourDirtySteps is dirtySteps for a fresh engine.
func ourDirtySteps(f *File) (counts []int64, err error) {
	r, err := serveRedmoon(f.options(), time.Now())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.stop()) }()
	admin, err := r.Open()
	if err != nil {
		return nil, err
	}
	defer admin.Close()
	return dirtySteps(r, admin, f)
}

// dirtySteps plays f and returns by how much the count of changes grows with each step.
func dirtySteps(p Peer, admin Conn, f *File) (counts []int64, err error) {
	if _, err := admin.Do(noActiveExpiry); err != nil {
		return nil, err
	}
	last, err := dirtyCount(admin)
	if err != nil {
		return nil, err
	}
	_, err = (&pass{peer: p, wrap: wrapNone, seeds: theRunner.Seeds, ids: f.ids, after: func(int) error {
		now, err := dirtyCount(admin)
		counts = append(counts, now-last)
		last = now
		return err
	}}).play(f)
	return counts, err
}

var dirtyLine = regexp.MustCompile(`rdb_changes_since_last_save:(\d+)`)

// dirtyCount reads rdb_changes_since_last_save.
func dirtyCount(admin Conn) (int64, error) {
	out, err := admin.Do([]string{"INFO", "persistence"})
	if err != nil {
		return 0, err
	}
	m := dirtyLine.FindStringSubmatch(string(out))
	if m == nil {
		return 0, fmt.Errorf("INFO persistence: %q", out)
	}
	return strconv.ParseInt(m[1], 10, 64)
}
