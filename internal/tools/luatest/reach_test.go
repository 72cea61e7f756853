package luatest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATestReadsFilesOfItsFoldersOnly(t *testing.T) {
	root := t.TempDir()
	write := func(name string) string {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte("return 1"), 0o666))
		return path
	}
	own, beside, allowed, other := write("tests/a.lua"), write("tests2/a.lua"), write("scripts/deep/a.lua"), write("secret")
	f := File{Path: filepath.Join(root, "tests", "a_test.lua"), opt: &Options{Folders: []string{filepath.Join(root, "scripts")}}}
	for path, may := range map[string]bool{
		own: true, allowed: true, other: false, beside: false, filepath.Join(root, "tests", "..", "secret"): false,
		filepath.Join(root, "scripts", "..", "tests", "a.lua"): true,
	} {
		text, err := f.readFile(path)
		if may {
			require.NoError(t, err, path)
			require.Equal(t, "return 1", string(text))
			continue
		}
		require.ErrorContains(t, err, "a test may read files below its folder and "+filepath.Join(root, "scripts"), path)
		require.Empty(t, text)
	}
	_, err := f.readFile(filepath.Join(root, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	if runtime.GOOS != "windows" { // links need a permission there
		link := filepath.Join(root, "tests", "link.lua")
		require.NoError(t, os.Symlink(other, link))
		_, err = f.readFile(link)
		require.ErrorContains(t, err, "--allow-read")
	}
	f.opt = &Options{}
	_, err = f.readFile(other)
	require.NoError(t, err, "no restriction")
}

func TestATestReadsVariablesThatItMay(t *testing.T) {
	t.Setenv("A_SECRET", "x")
	o := &Options{Env: []string{}}
	_, err := o.getenv("A_SECRET")
	require.EqualError(t, err, "a test may not read the variable A_SECRET; --allow-env A_SECRET allows it")
	v, err := o.getenv("NO_SUCH_VARIABLE")
	require.NoError(t, err)
	require.Nil(t, v)
	for _, o := range []*Options{{}, {Env: []string{"A_SECRET"}}} {
		v, err = o.getenv("A_SECRET")
		require.NoError(t, err)
		require.Equal(t, "x", *v)
	}
}
