package snapshot_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest/snapshot"
)

func open(t *testing.T, test string) *snapshot.File {
	f, err := snapshot.Open(test)
	require.NoError(t, err)
	return f
}

func TestFile(t *testing.T) {
	test := filepath.Join(t.TempDir(), "a_test.lua")
	f := open(t, test)
	_, known := f.Match("one", "1", false)
	require.False(t, known)
	written, removed, err := f.Save(true)
	require.NoError(t, err)
	require.Zero(t, written+removed)
	require.NoFileExists(t, f.Path())

	values := map[string]string{"one": "1", "two \"x\"\nline": "{\n  a = 1,\n}", "three": "=== \"one\"\n === x\n\n", "four": ""}
	f = open(t, test)
	for name, value := range values {
		f.Match(name, value, true)
	}
	written, _, err = f.Save(false)
	require.NoError(t, err)
	require.Equal(t, 4, written)

	f = open(t, test)
	for name, value := range values {
		saved, known := f.Match(name, value, false)
		require.True(t, known, name)
		require.Equal(t, value, saved, name)
	}
	require.Empty(t, f.Obsolete())

	f = open(t, test)
	saved, _ := f.Match("one", "2", false)
	require.Equal(t, "1", saved)
	require.Equal(t, []string{"four", "three", "two \"x\"\nline"}, f.Obsolete())
	f.Match("one", "2", true)
	written, removed, err = f.Save(true)
	require.NoError(t, err)
	require.Equal(t, []int{1, 3}, []int{written, removed})

	f = open(t, test)
	_, removed, err = f.Save(true)
	require.NoError(t, err)
	require.Equal(t, 1, removed)
	require.NoDirExists(t, filepath.Dir(f.Path()))
}

func TestADamagedFileIsAnError(t *testing.T) {
	test := filepath.Join(t.TempDir(), "a_test.lua")
	require.NoError(t, os.Mkdir(filepath.Join(filepath.Dir(test), snapshot.Folder), 0o777))
	require.NoError(t, os.WriteFile(snapshot.Path(test), []byte("\n=== one\n1\n"), 0o666))
	_, err := snapshot.Open(test)
	require.ErrorContains(t, err, "a_test.snap: line 2: a name in quotes expected")
}
