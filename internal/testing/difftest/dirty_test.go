package difftest

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDirtyOfCases plays case files and compares by how much rdb_changes_since_last_save grows on
// the oracle and on Redmoon with each step: TestDirtyOfCases/<family>/<file>.
func TestDirtyOfCases(t *testing.T) {
	needsOracle(t)
	o := oracleOfItsOwn(t)
	eachPlainCase(t, func(t *testing.T, f *File) {
		require.NoError(t, o.Reset())
		saved, err := o.admin.Do([]string{"SAVE"}) // the count begins at 0, as that of a fresh engine
		require.NoError(t, err)
		require.Equal(t, "+OK\r\n", string(saved))
		want, err := dirtySteps(o, o.admin, f)
		require.NoError(t, err)
		got, err := ourDirtySteps(f)
		require.NoError(t, err)
		for i := range f.Steps {
			s := &f.Steps[i]
			if s.Differs == "" && !s.Relax.Kind && !s.Relax.Count && want[i] != got[i] {
				t.Errorf("%s:%d: changes that %s counts: oracle %d, redmoon %d", filepath.ToSlash(f.Path), s.Line, s.text(), want[i], got[i])
			}
		}
	})
}

// ourDirtySteps is dirtySteps for a fresh engine.
func ourDirtySteps(f *File) (counts []int64, err error) {
	r, err := serveRedmoon(f.options(), Present())
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
	return dirtyIn(out)
}

// dirtyIn reads it from a reply to INFO.
func dirtyIn(info []byte) (int64, error) {
	m := dirtyLine.FindSubmatch(info)
	if m == nil {
		return 0, fmt.Errorf("INFO persistence: %q", info)
	}
	return strconv.ParseInt(string(m[1]), 10, 64)
}

// changeCounts are the counts of changes of the oracle and of Redmoon.
type changeCounts [2]int64

// grow reads the counts from replies to INFO and returns by how much they have grown.
func (c *changeCounts) grow(want, got []byte) (grown changeCounts, err error) {
	for i, raw := range [][]byte{want, got} {
		n, err := dirtyIn(raw)
		if err != nil {
			return grown, err
		}
		grown[i], c[i] = n-c[i], n
	}
	return grown, nil
}

// differ reads the counts behind an item and returns what differs, or "".
func (c *changeCounts) differ(it *item, want, got []byte) string {
	switch grown, err := c.grow(want, got); {
	case err != nil:
		return err.Error()
	case grown[0] != grown[1]:
		return fmt.Sprintf("%s\n\tthe oracle counts %d changes, redmoon %d", it.text(), grown[0], grown[1])
	}
	return ""
}
