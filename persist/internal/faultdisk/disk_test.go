package faultdisk_test

import (
	"io"
	"io/fs"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/persist/internal/disk"
	"github.com/redmoon-lua/redmoon/persist/internal/faultdisk"
)

func lose(int) int { return 0 }

func create(t *testing.T, d disk.FS, name, text string) disk.File {
	t.Helper()
	f, err := d.Create(name)
	require.NoError(t, err)
	_, err = f.Write([]byte(text))
	require.NoError(t, err)
	return f
}

func read(t *testing.T, d disk.FS, name string) string {
	t.Helper()
	f, err := d.Open(name)
	require.NoError(t, err)
	text, err := io.ReadAll(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return string(text)
}

func absent(t *testing.T, d disk.FS, name string) {
	t.Helper()
	_, err := d.Stat(name)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestACrashLosesWhatWasNotSynced(t *testing.T) {
	d := faultdisk.New()
	f := create(t, d, "a", "safe")
	require.NoError(t, f.Sync())
	require.NoError(t, d.SyncDir("."))
	_, err := f.Write([]byte(" lost"))
	require.NoError(t, err)
	require.Equal(t, "safe lost", read(t, d, "a"))
	require.Equal(t, "safe", read(t, d.Crash(lose), "a"))
	_, err = f.Write([]byte("x"))
	require.ErrorIs(t, err, faultdisk.ErrCrashed)
	require.ErrorIs(t, f.Sync(), faultdisk.ErrCrashed)
	_, err = d.Open("a")
	require.ErrorIs(t, err, faultdisk.ErrCrashed)
}

// Every length of the unsynced bytes can come out, and zero sectors as well.
func TestACrashTearsAtAnyByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[string]bool{}
	for range 2000 {
		d := faultdisk.New()
		f := create(t, d, "a", "12")
		require.NoError(t, f.Sync())
		require.NoError(t, d.SyncDir("."))
		_, err := f.Write([]byte("345"))
		require.NoError(t, err)
		seen[read(t, d.Crash(rng.IntN), "a")] = true
	}
	require.Equal(t, map[string]bool{"12": true, "123": true, "1234": true, "12345": true,
		"12\x00": true, "12\x00\x00": true, "12\x00\x00\x00": true}, seen)
}

func TestNamesAreLostWithoutSyncDir(t *testing.T) {
	d := faultdisk.New()
	require.NoError(t, create(t, d, "a", "old").Sync())
	require.NoError(t, d.SyncDir("."))
	require.NoError(t, create(t, d, "b", "new").Sync())
	require.NoError(t, d.Rename("b", "a"))
	require.Equal(t, "new", read(t, d, "a"))
	after := d.Crash(lose)
	require.Equal(t, "old", read(t, after, "a"))
	absent(t, after, "b")

	require.NoError(t, after.Remove("a"))
	require.NoError(t, after.SyncDir("."))
	absent(t, after.Crash(lose), "a")
}

func TestARenameIsNeverHalfDone(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	outcomes := map[bool]int{}
	for range 100 {
		d := faultdisk.New()
		require.NoError(t, d.Mkdir("dir"))
		require.NoError(t, create(t, d, "a", "text").Sync())
		require.NoError(t, d.SyncDir("."))
		require.NoError(t, d.Rename("a", "dir/a"))
		after := d.Crash(rng.IntN)
		_, oldErr := after.Stat("a")
		_, newErr := after.Stat("dir/a")
		require.NotEqual(t, oldErr == nil, newErr == nil)
		outcomes[oldErr == nil]++
	}
	require.Len(t, outcomes, 2)
}

func TestADirectoryThatIsLostTakesItsFilesAlong(t *testing.T) {
	d := faultdisk.New()
	require.NoError(t, d.Mkdir("dir"))
	require.NoError(t, create(t, d, "dir/a", "text").Sync())
	require.NoError(t, d.SyncDir("dir"))
	absent(t, d.Crash(lose), "dir/a")
}

// The fsync-gate: the second Sync succeeds and the bytes are gone all the same.
func TestAfterAFailedSyncTheBytesAreGone(t *testing.T) {
	d := faultdisk.New()
	f := create(t, d, "a", "one")
	require.NoError(t, d.SyncDir("."))
	d.FailAt(d.Calls()+1, faultdisk.Fault{Err: syscall.EIO})
	require.ErrorIs(t, f.Sync(), syscall.EIO)
	require.NoError(t, f.Sync())
	_, err := f.Write([]byte("two"))
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.Equal(t, "onetwo", read(t, d, "a"))
	require.Equal(t, "\x00\x00\x00two", read(t, d.Crash(lose), "a"))
}

func TestFaultsOfEachCall(t *testing.T) {
	d := faultdisk.New()
	f := create(t, d, "a", "12345678")
	calls := map[faultdisk.Op]func() error{
		faultdisk.Open:     func() error { _, err := d.Open("a"); return err },
		faultdisk.Create:   func() error { _, err := d.Create("b"); return err },
		faultdisk.Append:   func() error { _, err := d.OpenAppend("a"); return err },
		faultdisk.Mkdir:    func() error { return d.Mkdir("dir") },
		faultdisk.Rename:   func() error { return d.Rename("a", "b") },
		faultdisk.Remove:   func() error { return d.Remove("a") },
		faultdisk.SyncDir:  func() error { return d.SyncDir(".") },
		faultdisk.Truncate: func() error { return f.Truncate(0) },
		faultdisk.Sync:     f.Sync,
		faultdisk.Write: func() error {
			n, err := f.Write([]byte("abcd"))
			require.Equal(t, 2, n)
			return err
		},
	}
	for op, call := range calls {
		d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
			require.Equal(t, op, c.Op)
			return &faultdisk.Fault{Err: syscall.ENOSPC, Keep: 2}
		})
		require.ErrorIs(t, call(), syscall.ENOSPC, op)
	}
	d.Inject(nil)
	require.Equal(t, "12345678ab", read(t, d, "a"))
	names, err := d.ReadDir(".")
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, names)
}

func TestACrashInsideAWrite(t *testing.T) {
	d := faultdisk.New()
	f := create(t, d, "a", "")
	require.NoError(t, d.SyncDir("."))
	d.FailAt(d.Calls()+1, faultdisk.Fault{Keep: 3})
	_, err := f.Write([]byte("abcdef"))
	require.ErrorIs(t, err, faultdisk.ErrCrashed)
	most := 0
	after := d.Crash(func(k int) int {
		if k == 4 {
			most++
			return 3
		}
		return 0
	})
	require.Equal(t, 1, most)
	require.Equal(t, "abc", read(t, after, "a"))
}

func TestStat(t *testing.T) {
	d := faultdisk.New()
	require.NoError(t, d.Mkdir("/dir"))
	info, err := d.Stat("/dir")
	require.NoError(t, err)
	require.Equal(t, disk.Info{Dir: true}, info)
	f, err := d.Create("/dir/a")
	require.NoError(t, err)
	_, err = f.Write([]byte("abc"))
	require.NoError(t, err)
	info, err = d.Stat("/dir/a")
	require.NoError(t, err)
	require.Equal(t, disk.Info{Size: 3}, info)
	_, err = d.Stat("/dir/b")
	require.ErrorIs(t, err, fs.ErrNotExist)
}
