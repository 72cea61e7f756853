package aof_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/persist/internal/aof"
	"github.com/redmoon-lua/redmoon/persist/internal/disk"
	"github.com/redmoon-lua/redmoon/persist/internal/faultdisk"
	"github.com/redmoon-lua/redmoon/persist/internal/manifest"
)

// store is a small engine with an append-only file. Its state is a list of the numbers from 1 to n.
// Each step appends the next number twice, in a transaction.
type store struct {
	place   manifest.Place
	current *manifest.Manifest
	clock   *clock
	w       *aof.Writer
	n       int  // what memory has
	safe    int  // what was reported safe
	unsure  bool // which manifest the disk has: to replace it has failed, perhaps after the rename
}

func step(i int) []byte {
	number := strconv.Itoa(i)
	return []byte(command("MULTI") + command("RPUSH", "a", number) + command("RPUSH", "b", number) + command("EXEC"))
}

func newPlace(d disk.FS) manifest.Place { return manifest.Place{FS: d, Dir: "aofs", Name: "a"} }

// openStore starts with an empty state.
func openStore(d *faultdisk.Disk) (*store, error) {
	s := &store{place: newPlace(d), current: &manifest.Manifest{}, clock: newClock()}
	if err := s.place.MakeDir(); err != nil {
		return nil, err
	}
	next := &manifest.Manifest{}
	if err := s.base(next); err != nil {
		return nil, err
	}
	file, err := s.incr(next)
	if err != nil {
		return nil, err
	}
	if err := s.place.Replace(next); err != nil {
		return nil, err
	}
	s.current = next
	s.w = aof.NewWriter(file, 0, aof.Options{Policy: aof.Always, Clock: s.clock})
	return s, nil
}

// base writes a base file with the state.
func (s *store) base(m *manifest.Manifest) error {
	entry, err := m.AddBase(s.place.Name, false)
	if err != nil {
		return err
	}
	f, err := s.place.FS.Create(s.place.Path(entry.Name))
	if err != nil {
		return err
	}
	for i := 1; i <= s.n; i++ {
		if _, err := f.Write(step(i)); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(f.Sync(), f.Close())
}

func (s *store) incr(m *manifest.Manifest) (disk.File, error) {
	entry, err := m.AddIncr(s.place.Name)
	if err != nil {
		return nil, err
	}
	return s.place.FS.Create(s.place.Path(entry.Name))
}

// rewrite replaces all files by a new base and a new incremental file. While data are lost, the
// manifest lists the new file only together with the base.
func (s *store) rewrite() error {
	next, lost := s.current.Clone(), errors.Is(s.w.Err(), aof.ErrLost)
	file, err := s.incr(next)
	if err != nil {
		return err
	}
	if !lost {
		// Only the last file may end in half a command, so the older ones must be safe before a newer
		// one is listed.
		if err := await(s.w, s.w.Stats().End); err != nil {
			return err
		}
		if err := s.place.Replace(next); err != nil {
			s.unsure = true
			return err
		}
		s.current = next.Clone()
	}
	pos := s.w.Switch(file)
	if err := s.base(next); err != nil {
		return err
	}
	next.Supersede(1)
	if err := s.place.Replace(next); err != nil {
		return err
	}
	s.current = next
	return s.w.Covered(pos)
}

// write runs some steps and waits for the outcome.
func (s *store) write(steps int) {
	if s.w.Err() != nil || s.unsure {
		return // MISCONF
	}
	done := make(chan struct{}, steps)
	for range steps {
		s.n++
		n := s.n
		s.w.OnSafe(s.w.Append(step(n)), func(err error) {
			if err == nil {
				s.safe = max(s.safe, n)
			}
			done <- struct{}{}
		})
	}
	for range steps {
		<-done
	}
}

// recover waits until writing works again.
func (s *store) recover() {
	if s.unsure && s.place.Replace(s.current) == nil {
		s.unsure = false
	}
	for try := 0; s.w.Err() != nil && try < 5; try++ {
		if errors.Is(s.w.Err(), aof.ErrLost) {
			_ = s.rewrite()
			continue
		}
		s.clock.awaitTimer()
		s.clock.advance(time.Second)
		_ = await(s.w, s.w.Stats().End)
	}
}

// life is what happens to a store until the power fails.
func (s *store) life() {
	for round := range 4 {
		s.write(3)
		s.recover()
		if round%2 == 1 && s.w.Err() == nil {
			_ = s.rewrite()
			s.recover()
		}
	}
	s.write(1)
}

// load returns the state of a disk after a crash, up to the end of a truncated last file.
func load(t *testing.T, d *faultdisk.Disk) int {
	t.Helper()
	m, err := newPlace(d).Load()
	require.NoError(t, err)
	n, list := 0, m.Files()
	for i, entry := range list {
		f, err := d.Open(newPlace(d).Path(entry.Name))
		require.NoError(t, err)
		commands, err := readAll(aof.NewReader(f, entry.Name, 0))
		if err != nil {
			var e *aof.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, len(list)-1, i, "only the last file may be truncated: %v", err)
		}
		for len(commands) >= 4 {
			n++
			number := strconv.Itoa(n)
			require.Equal(t, [][]string{{"MULTI"}, {"RPUSH", "a", number}, {"RPUSH", "b", number}, {"EXEC"}}, commands[:4])
			commands = commands[4:]
		}
		require.True(t, err != nil || len(commands) == 0)
	}
	return n
}
