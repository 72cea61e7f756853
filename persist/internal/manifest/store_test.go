package manifest_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/persist/internal/faultdisk"
	"github.com/redmoon-lua/redmoon/persist/internal/manifest"
)

func place(d *faultdisk.Disk) manifest.Place {
	return manifest.Place{FS: d, Dir: "data/appendonlydir", Name: "appendonly.aof"}
}

// newDisk returns a disk with the directory data.
func newDisk(t *testing.T) *faultdisk.Disk {
	t.Helper()
	d := faultdisk.New()
	require.NoError(t, d.Mkdir("data"))
	require.NoError(t, d.SyncDir("."))
	return d
}

func load(t *testing.T, d *faultdisk.Disk) string {
	t.Helper()
	m, err := place(d).Load()
	require.NoError(t, err)
	return text(m)
}

func TestAMissingManifestIsEmpty(t *testing.T) {
	d := newDisk(t)
	require.Empty(t, load(t, d))
	require.NoError(t, place(d).MakeDir())
	require.Empty(t, load(t, d))
}

func TestErrorsOfAManifestNameItsFile(t *testing.T) {
	d := newDisk(t)
	require.NoError(t, place(d).MakeDir())
	f, err := d.Create("data/appendonlydir/appendonly.aof.manifest")
	require.NoError(t, err)
	_, err = f.Write([]byte("# c\nfile a seq 0 type i\n"))
	require.NoError(t, err)
	_, err = place(d).Load()
	require.ErrorContains(t, err, "appendonly.aof.manifest")
	require.ErrorContains(t, err, "line 2")
	require.ErrorContains(t, err, "Invalid AOF manifest file format")
	require.NoError(t, d.Mkdir("data/appendonlydir/b.manifest"))
	_, err = manifest.Place{FS: d, Dir: "data/appendonlydir", Name: "b"}.Load()
	require.ErrorIs(t, err, syscall.EISDIR)
}

// Each call fails in turn, or the machine crashes there: the manifest is the old or the new one,
// and the new one when Replace has returned nil.
func TestReplaceUnderFaults(t *testing.T) {
	oldText, newText := "file o seq 1 type b\n", "file n seq 2 type b\n"
	rng := rand.New(rand.NewPCG(5, 6))
	for _, fault := range []faultdisk.Fault{{Err: syscall.EIO}, {Err: syscall.ENOSPC, Keep: 7}, {Keep: 5}} {
		for n, done := 1, false; !done; n++ {
			for range 20 {
				d := newDisk(t)
				require.NoError(t, place(d).MakeDir())
				require.NoError(t, place(d).Replace(parse(t, oldText)))
				before := d.Calls()
				d.FailAt(before+n, fault)
				err := place(d).Replace(parse(t, newText))
				done = d.Calls() < before+n
				name := fmt.Sprintf("%+v at call %d", fault, n)
				var failed *manifest.ReplaceError
				if err != nil {
					require.ErrorAs(t, err, &failed, name)
				} else {
					require.True(t, done, name)
				}
				if fault.Err != nil && err != nil && !failed.Uncertain {
					require.Equal(t, oldText, load(t, d), name)
				}
				after := load(t, d.Crash(rng.IntN))
				switch {
				case err == nil:
					require.Equal(t, newText, after, name)
				case failed.Uncertain || fault.Err == nil:
					require.Contains(t, []string{oldText, newText}, after, name)
				default:
					require.Equal(t, oldText, after, name)
				}
			}
		}
	}
}

func oldStyle(t *testing.T) *faultdisk.Disk {
	t.Helper()
	d := newDisk(t)
	f, err := d.Create("data/appendonly.aof")
	require.NoError(t, err)
	_, err = f.Write([]byte("old data"))
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, d.SyncDir("data"))
	return d
}

func upgrade(d *faultdisk.Disk) (*manifest.Manifest, bool, error) {
	m, err := place(d).Load()
	if err != nil {
		return nil, false, err
	}
	done, err := place(d).Upgrade(m)
	return m, done, err
}

// Wherever an upgrade ends, the next one finishes it, and the data are in one place.
func TestUpgradeUnderFaults(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, fault := range []faultdisk.Fault{{Err: syscall.EIO}, {Err: syscall.ENOSPC, Keep: 3}, {Keep: 9}} {
		for n, done := 1, false; !done; n++ {
			for range 20 {
				d := oldStyle(t)
				before := d.Calls()
				d.FailAt(before+n, fault)
				_, _, err := upgrade(d)
				done = d.Calls() < before+n
				require.Equal(t, done, err == nil)
				if fault.Err == nil || rng.IntN(2) == 0 {
					d = d.Crash(rng.IntN)
				}
				d.Inject(nil)
				m, _, err := upgrade(d)
				require.NoError(t, err)
				require.Equal(t, "file appendonly.aof seq 1 type b\n", text(m))
				require.NoError(t, place(d).Replace(m), "as a start does, with its incremental file")
				d = d.Crash(func(int) int { return 0 })
				require.Equal(t, text(m), load(t, d))
				f, err := d.Open("data/appendonlydir/appendonly.aof")
				require.NoError(t, err)
				data, err := io.ReadAll(f)
				require.NoError(t, err)
				require.Equal(t, "old data", string(data))
				_, err = d.Stat("data/appendonly.aof")
				require.True(t, errors.Is(err, fs.ErrNotExist))
			}
		}
	}
}

func TestUpgradeLeavesOtherDataAlone(t *testing.T) {
	for _, other := range []string{"file x seq 1 type b\n", "file x seq 1 type i\n",
		"file appendonly.aof seq 1 type b\nfile x seq 1 type i\n"} {
		d := oldStyle(t)
		require.NoError(t, place(d).MakeDir())
		require.NoError(t, place(d).Replace(parse(t, other)))
		m, done, err := upgrade(d)
		require.NoError(t, err)
		require.False(t, done, other)
		require.Equal(t, other, text(m))
	}
	m, done, err := upgrade(newDisk(t))
	require.NoError(t, err)
	require.False(t, done)
	require.True(t, m.Empty())
}
