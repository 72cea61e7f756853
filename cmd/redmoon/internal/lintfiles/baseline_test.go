package lintfiles

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

func lintAll(t *testing.T, dir string) []Result {
	results, err := Run([]string{dir}, Options{Level: lint.Info})
	require.NoError(t, err)
	return results
}

func count1(results []Result) (n int) {
	for _, r := range results {
		n += len(r.Findings)
	}
	return n
}

func TestBaseline(t *testing.T) {
	dir := t.TempDir()
	const bad = "local v = redis.call('GET', KEYS[1])\nif v == nil then return 0 end\nreturn v\n"
	write1(t, dir, "a.lua", bad)
	write1(t, dir, "sub/b.lua", bad+"\n")
	path := filepath.Join(dir, "baseline.json")
	_, err := ReadBaseline(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, WriteBaseline(path, lintAll(t, dir)))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), `"file": "sub/b.lua"`)
	require.Contains(t, string(text), `"line": "if v == nil then return 0 end"`)

	apply := func() (left, known, gone int) {
		b, err := ReadBaseline(path)
		require.NoError(t, err)
		results := lintAll(t, dir)
		known, gone = b.Apply(results)
		return count1(results), known, gone
	}
	left, known, gone := apply()
	require.Equal(t, []int{0, 2, 0}, []int{left, known, gone})

	write1(t, dir, "a.lua", "-- moved\n\n"+bad) // the same finding on another line
	write1(t, dir, "sub/b.lua", "return redis.call('GET', KEYS[1]) == nil\n")
	left, known, gone = apply()
	require.Equal(t, []int{1, 1, 1}, []int{left, known, gone}, "a new one, a known one, one that is gone")

	write1(t, dir, "sub/b.lua", bad+bad[:0]+"\n-- again\n")
	write1(t, dir, "a.lua", "local v = redis.call('GET', KEYS[1])\nif v == nil then return 0 end\nif v == nil then return 0 end\nreturn v\n")
	left, known, _ = apply()
	require.Equal(t, []int{1, 2}, []int{left, known}, "the same line a second time is new")

	require.NoError(t, WriteBaseline(path, lintAll(t, dir)))
	left, known, gone = apply()
	require.Equal(t, []int{0, 3, 0}, []int{left, known, gone})
}

// Only a baseline is read or replaced.
func TestWhatIsNoBaseline(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.lua": "return 1\n", "list.json": "[]", "other.json": `{"findings": []}`, "empty": ""} {
		path := write1(t, dir, name, text)
		_, err := ReadBaseline(path)
		require.ErrorContains(t, err, "this is not a baseline", name)
		require.ErrorContains(t, WriteBaseline(path, nil), "it is not replaced", name)
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(kept), name)
	}
	require.Error(t, WriteBaseline(filepath.Join(dir, "no", "such", "folder"), nil))
}
