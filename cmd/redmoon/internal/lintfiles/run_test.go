package lintfiles

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

// The project's own scripts have no findings.
func TestReadyScriptsAreClean(t *testing.T) {
	results, err := Run([]string{"../../../../scripts"}, Options{Level: lint.Info})
	require.NoError(t, err)
	require.Greater(t, len(results), 40)
	var b strings.Builder
	require.NoError(t, PrintText(&b, results, false))
	require.Contains(t, b.String(), "no findings", b.String())
}

func write1(t *testing.T, dir, name, text string) string {
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o640))
	return path
}

func TestRepairsKeepPermissionsAndLinks(t *testing.T) {
	dir := t.TempDir()
	path := write1(t, dir, "a.lua", "local a = redis.call('GET', KEYS[1])\nreturn a == nil or a > 5\n")
	link := filepath.Join(dir, "link.lua")
	require.NoError(t, os.Symlink(path, link))
	results, err := Run([]string{link}, Options{Level: lint.Info, Fix: true, Unsafe: true})
	require.NoError(t, err)
	require.Equal(t, 2, results[0].Fixed)
	require.Empty(t, results[0].Findings)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "local a = redis.call('GET', KEYS[1])\nreturn a == false or tonumber(a) > 5\n", string(text))
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
	info, err = os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
}

func TestWithoutFixFilesStay(t *testing.T) {
	path := write1(t, t.TempDir(), "a.lua", "local a = 1\nreturn 1\n")
	results, err := Run([]string{path, path}, Options{Level: lint.Info})
	require.NoError(t, err)
	require.Len(t, results, 1, "a file is read once")
	require.Len(t, results[0].Findings, 1)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "local a = 1\nreturn 1\n", string(text))
}

func TestScriptsOfAFolderAreCompared(t *testing.T) {
	dir := t.TempDir()
	rule := lint.Find("check-then-act")
	write1(t, dir, "take.lua", rule.Bad.Script)
	write1(t, dir, "check.lua", rule.Bad.Beside)
	write1(t, dir, "other/check.lua", rule.Bad.Beside)
	results, err := Run([]string{dir}, Options{Level: lint.Info})
	require.NoError(t, err)
	n := 0
	for _, r := range results {
		n += len(r.Findings)
	}
	require.Equal(t, 1, n)
}

func TestOutputControlsNoTerminal(t *testing.T) {
	path := write1(t, t.TempDir(), "a.lua", "x\t= '\x1b[31m\xff' -- \u0085\n")
	results, err := Run([]string{path}, Options{Level: lint.Info})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, PrintText(&b, results, false))
	require.NotContains(t, b.String(), "\x1b")
	require.NotContains(t, b.String(), "\u0085")
	b.Reset()
	require.NoError(t, PrintText(&b, results, true))
	require.Contains(t, b.String(), "\x1b[31merror\x1b[0m")
}

func TestMachineReadableForms(t *testing.T) {
	path := write1(t, t.TempDir(), "a,b.lua", "return redis.call('GET', 'ä'), redis.call('GET', ARGV[1])\n")
	results, err := Run([]string{path}, Options{Level: lint.Info})
	require.NoError(t, err)
	require.Len(t, results[0].Findings, 2)
	var b bytes.Buffer
	require.NoError(t, PrintSARIF(&b, results))
	var log sarifLog
	require.NoError(t, json.Unmarshal(b.Bytes(), &log))
	require.Equal(t, "2.1.0", log.Version)
	run := log.Runs[0]
	require.Len(t, run.Results, 2)
	for _, r := range run.Results {
		require.Equal(t, r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
	}
	require.Equal(t, sarifRegion{1, 50, 1, 57}, run.Results[1].Locations[0].Physical.Region, "columns are characters")

	b.Reset()
	require.NoError(t, PrintGitHub(&b, results))
	require.Contains(t, b.String(), "a%2Cb.lua,line=1,endLine=1,col=26,endColumn=30")

	b.Reset()
	require.NoError(t, PrintJSON(&b, results))
	var list []jsonFinding
	require.NoError(t, json.Unmarshal(b.Bytes(), &list))
	require.Equal(t, 51, list[1].Column)

	b.Reset()
	require.NoError(t, PrintJSON(&b, nil))
	require.Equal(t, "[]\n", b.String())
}

func TestLongLinesAreCut(t *testing.T) {
	path := write1(t, t.TempDir(), "a.lua", "local s = '"+strings.Repeat("x", 5000)+"' y = s\n")
	results, err := Run([]string{path}, Options{Level: lint.Info})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, PrintText(&b, results, false))
	for line := range strings.Lines(b.String()) {
		require.Less(t, len(line), 400)
	}
}
