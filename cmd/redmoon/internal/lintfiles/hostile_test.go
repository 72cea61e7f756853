package lintfiles

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

// Links that lead back are not followed, and a folder that the command line names may be a link.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	write1(t, dir, "real/a.lua", "x = 1\n")
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "real", "loop")))
	require.NoError(t, os.Symlink("nowhere.lua", filepath.Join(dir, "real", "dangling.lua")))
	require.NoError(t, os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("self.lua", filepath.Join(dir, "self.lua")))
	results, err := Run([]string{filepath.Join(dir, "link")}, Options{Level: lint.Info})
	require.NoError(t, err)
	require.Len(t, results, 1)
	require.Equal(t, filepath.Join(dir, "link", "a.lua"), results[0].Path)
	_, err = Run([]string{filepath.Join(dir, "self.lua")}, Options{})
	require.ErrorContains(t, err, "too many levels of symbolic links")
	_, err = Run([]string{filepath.Join(dir, "real", "dangling.lua")}, Options{})
	require.ErrorContains(t, err, "no such file")
}

// What cannot be read is reported, and the rest is linted.
func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	a := write1(t, dir, "a.lua", "x = 1\n")
	b := write1(t, dir, "b/b.lua", "x = 1\n")
	write1(t, dir, "broken/.redmoonlint", `{"redis": "x"}`)
	write1(t, dir, "broken/c.lua", "x = 1\n")
	write1(t, dir, "broken/d.lua", "x = 1\n")
	results, err := Run([]string{filepath.Join(dir, "missing.lua"), dir, filepath.Join(dir, "missing.lua")}, Options{Level: lint.Info})
	require.ErrorContains(t, err, "missing.lua: no such file")
	require.ErrorContains(t, err, `"x" is not a version of Redis`)
	require.Len(t, strings.Split(err.Error(), "\n"), 2, "each problem once: %v", err)
	require.Len(t, results, 2)
	require.Len(t, results[0].Findings, 1)
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		return // may read everything
	}
	require.NoError(t, os.Chmod(a, 0))
	require.NoError(t, os.Chmod(filepath.Dir(b), 0))
	defer func() { _ = os.Chmod(filepath.Dir(b), 0o755) }()
	results, err = Run([]string{dir}, Options{Level: lint.Info})
	require.ErrorContains(t, err, "a.lua: permission denied")
	require.ErrorContains(t, err, "b: permission denied")
	require.Empty(t, results)
}

// A file that cannot be written keeps its findings; others are repaired.
func TestUnwritableFiles(t *testing.T) {
	dir := t.TempDir()
	const source = "return redis.call('GET', KEYS[1]) == nil\n"
	write1(t, dir, "a.lua", source)
	b := write1(t, dir, "b.lua", source)
	results, err := Run([]string{dir, "-"}, Options{Level: lint.Info, Fix: true, Unsafe: true, Stdin: strings.NewReader(source)})
	require.NoError(t, err)
	require.Equal(t, []int{1, 1, 0}, []int{results[0].Fixed, results[1].Fixed, results[2].Fixed}, "standard input cannot be repaired")
	require.Len(t, results[2].Findings, 1)
	text, err := os.ReadFile(b)
	require.NoError(t, err)
	require.Equal(t, "return redis.call('GET', KEYS[1]) == false\n", string(text))
}

// Texts in front of a script that the configuration names are bounded.
func TestEndlessPartsAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no /dev/zero")
	}
	dir := t.TempDir()
	write1(t, dir, ".redmoonlint", `{"join": [{"files": ["*.lua"], "before": ["zero"]}]}`)
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "zero")))
	path := write1(t, dir, "a.lua", "return 1\n")
	results, err := Run([]string{path}, Options{Level: lint.Info})
	require.ErrorContains(t, err, ".redmoonlint: ")
	require.ErrorContains(t, err, "it is not a regular file")
	require.Empty(t, results[0].Findings)
}

// A thousand findings in a line of two megabytes are printed in all forms.
func TestManyFindingsInALongLine(t *testing.T) {
	path := write1(t, t.TempDir(), "a.lua", strings.Repeat("do local ä = 'ä' end ", lint.MaxText/24))
	results, err := Run([]string{path}, Options{Level: lint.Info})
	require.NoError(t, err)
	require.Len(t, results[0].Findings, 1, "ä is no name in Lua")

	path = write1(t, t.TempDir(), "b.lua", strings.Repeat("do local a = 'ä' end "+strings.Repeat(" ", 50), 28000))
	results, err = Run([]string{path}, Options{Level: lint.Info})
	require.NoError(t, err)
	require.Len(t, results[0].Findings, lint.MaxFindings)
	var text, sarif, github bytes.Buffer
	require.NoError(t, PrintText(&text, results, false))
	require.NoError(t, PrintSARIF(&sarif, results))
	require.NoError(t, PrintGitHub(&github, results))
	require.Less(t, text.Len(), 1<<20)
	require.Less(t, sarif.Len(), 2<<20)
	require.Less(t, github.Len(), 1<<20)
}

// A folder of many scripts that change and check the same key is compared in reasonable time, with
// a bounded number of findings.
func TestManyScriptsOfAFolder(t *testing.T) {
	dir := t.TempDir()
	write1(t, dir, "check.lua", "local stock = KEYS[1]\nif tonumber(redis.call('GET', stock) or 0) > 0 then return 1 end\n")
	write1(t, dir, "many.lua", "local stock = KEYS[1]\n"+strings.Repeat("redis.call('DECR', stock) ", 50000))
	for i := range 300 {
		write1(t, dir, fmt.Sprintf("take%d.lua", i), "local stock = KEYS[1]\nreturn redis.call('DECR', stock)\n")
	}
	results, err := Run([]string{dir, dir, filepath.Join(dir, "check.lua"), dir + "/./check.lua"}, Options{Level: lint.Info})
	require.NoError(t, err)
	require.Len(t, results, 302, "each file once")
	n := 0
	for _, r := range results {
		require.LessOrEqual(t, len(r.Findings), lint.MaxFindings)
		n += len(r.Findings)
	}
	require.Equal(t, 300+lint.MaxFindings, n)
}

// Names of files cannot forge output.
func TestNamesOfFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("such names are not possible")
	}
	path := write1(t, t.TempDir(), "a\n::error::forged \x1b[31m%0A,:b.lua", "x = 1\n")
	results, err := Run([]string{path}, Options{Level: lint.Info})
	require.NoError(t, err)
	var text, sarif, github bytes.Buffer
	require.NoError(t, PrintText(&text, results, false))
	require.NoError(t, PrintGitHub(&github, results))
	require.NoError(t, PrintSARIF(&sarif, results))
	require.NotContains(t, text.String(), "\n::error")
	require.NotContains(t, text.String(), "\x1b")
	require.Equal(t, 1, strings.Count(github.String(), "\n"))
	require.Contains(t, github.String(), "a%0A%3A%3Aerror%3A%3Aforged ")
	require.Contains(t, github.String(), "%250A%2C%3Ab.lua,line=1,")
	require.NotContains(t, github.String(), "\x1b")
	require.NotContains(t, sarif.String(), "\x1b")
}
