package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRewriteKeepsPermissionsAndFollowsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a.lua"), filepath.Join(dir, "b.lua")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.NoError(t, os.Chmod(path, 0o751))
	require.NoError(t, os.Symlink("a.lua", link))
	require.NoError(t, Rewrite(link, "old", "new"))
	requireText(t, path, "new")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o751), info.Mode())
	info, err = os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&fs.ModeSymlink)
	require.Equal(t, []string{"a.lua", "b.lua"}, entries(t, dir))
}

func TestRewriteRefusesWhatChanged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.lua")
	require.NoError(t, os.WriteFile(path, []byte("other text"), 0o644))
	for _, old := range []string{"", "other", "other text and more"} {
		require.ErrorContains(t, Rewrite(path, old, "new"), "has changed meanwhile")
	}
	requireText(t, path, "other text")
	require.Equal(t, []string{"a.lua"}, entries(t, dir))
}

func TestRewriteNeedsAFile(t *testing.T) {
	dir := t.TempDir()
	require.ErrorIs(t, Rewrite(filepath.Join(dir, "none"), "", "x"), fs.ErrNotExist)
	require.Error(t, Rewrite(dir, "", "x"))
	require.Empty(t, entries(t, dir))
}

func TestRewriteRefusesAReadOnlyFile(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("root may write every file")
	}
	path := filepath.Join(t.TempDir(), "a.lua")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o444))
	require.ErrorIs(t, Rewrite(path, "old", "new"), fs.ErrPermission)
	requireText(t, path, "old")
}
