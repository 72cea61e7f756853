package disk_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/persist/internal/disk"
)

func write(t *testing.T, f disk.File, text string) {
	t.Helper()
	n, err := f.Write([]byte(text))
	require.NoError(t, err)
	require.Equal(t, len(text), n)
}

func requireText(t *testing.T, name, want string) {
	t.Helper()
	f, err := disk.OS().Open(name)
	require.NoError(t, err)
	got, err := io.ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
	require.NoError(t, f.Close())
}

func TestAppendingContinuesAtTheEndAlsoAfterTruncate(t *testing.T) {
	d, name := disk.OS(), filepath.Join(t.TempDir(), "a")
	for _, text := range []string{"one", "two"} {
		f, err := d.OpenAppend(name)
		require.NoError(t, err)
		write(t, f, text)
		require.NoError(t, f.Sync())
		require.NoError(t, f.Close())
	}
	f, err := d.OpenAppend(name)
	require.NoError(t, err)
	write(t, f, "three")
	require.NoError(t, f.Truncate(6))
	write(t, f, "4")
	size, err := f.Size()
	require.NoError(t, err)
	require.EqualValues(t, 7, size)
	require.NoError(t, f.Close())
	requireText(t, name, "onetwo4")
}

func TestCreateEmptiesAFile(t *testing.T) {
	d, name := disk.OS(), filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(name, []byte("old text"), 0o600))
	f, err := d.Create(name)
	require.NoError(t, err)
	write(t, f, "new")
	require.NoError(t, f.Close())
	requireText(t, name, "new")
}

func TestNamesAndDirectories(t *testing.T) {
	d, dir := disk.OS(), filepath.Join(t.TempDir(), "dir")
	_, err := d.Stat(dir)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, d.Mkdir(dir))
	require.NoError(t, d.Mkdir(dir))
	require.Error(t, d.Remove(dir), "Remove must not remove a directory")
	for _, name := range []string{"b", "a"} {
		f, err := d.Create(filepath.Join(dir, name))
		require.NoError(t, err)
		write(t, f, name)
		require.NoError(t, f.Close())
	}
	require.NoError(t, d.SyncDir(dir))
	names, err := d.ReadDir(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, names)
	require.NoError(t, d.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")))
	requireText(t, filepath.Join(dir, "b"), "a")
	info, err := d.Stat(filepath.Join(dir, "b"))
	require.NoError(t, err)
	require.Equal(t, disk.Info{Size: 1}, info)
	require.NoError(t, d.Remove(filepath.Join(dir, "b")))
	require.Error(t, d.Mkdir(filepath.Join(dir, "no", "parent")))
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Error(t, d.Mkdir(file), "a file has the name")
	_, err = d.Open(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
