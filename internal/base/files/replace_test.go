package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// entries returns the names in a directory.
func entries(t *testing.T, dir string) (names []string) {
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func requireText(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

func TestReplaceCreatesAndReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "users.acl")
	for _, text := range []string{"user default on\n", strings.Repeat("long\n", 100_000), "short", ""} {
		require.NoError(t, Replace(path, text))
		requireText(t, path, text)
		require.Equal(t, []string{"users.acl"}, entries(t, dir))
	}
}

func TestReplaceOfRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, Replace("redis.conf", "port 0\n"))
	requireText(t, "redis.conf", "port 0\n")
}

// A reader that has the old file open keeps reading it: the file is replaced, not written over.
func TestReplaceLeavesOldFileToItsReaders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not replace an open file")
	}
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, Replace(path, "old"))
	reader, err := os.Open(path)
	require.NoError(t, err)
	defer reader.Close()
	require.NoError(t, Replace(path, "new"))
	b := make([]byte, 8)
	n, err := reader.Read(b)
	require.NoError(t, err)
	require.Equal(t, "old", string(b[:n]))
	requireText(t, path, "new")
}

func TestReplaceSetsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, Replace(path, "x"))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o644), info.Mode())
}

func TestReplaceReplacesLinkItself(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(target, []byte("old"), 0o644))
	err := os.Symlink(target, link)
	if err != nil && runtime.GOOS == "windows" {
		t.Skip("Windows lets only some users make links: ", err)
	}
	require.NoError(t, err)
	require.NoError(t, Replace(link, "new"))
	requireText(t, target, "old")
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.True(t, info.Mode().IsRegular())
}

func TestReplaceWithoutDirectory(t *testing.T) {
	err := Replace(filepath.Join(t.TempDir(), "none", "f"), "x")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// The rename fails because path is a directory with something in it.
func TestReplaceThatFailsLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "inside"), 0o755))
	require.Error(t, Replace(path, "x"))
	require.Equal(t, []string{"f"}, entries(t, dir))
	require.DirExists(t, filepath.Join(path, "inside"))
}
