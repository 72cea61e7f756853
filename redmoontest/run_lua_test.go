package redmoontest_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/redmoontest"
)

func TestRunLua(t *testing.T) { redmoontest.RunLua(t, "testdata/lua/*_test.lua") }

var failingLua = flag.String("failing-lua", "", "the Lua tests that TestRunLuaReports runs in a process of its own")

// TestRunLuaReports runs Lua tests that fail in another process, and reads what it says.
func TestRunLuaReports(t *testing.T) {
	if *failingLua != "" {
		redmoontest.RunLua(t, *failingLua)
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "x_test.lua")
	require.NoError(t, os.WriteFile(path, []byte(`describe('a block', function()
  it('passes', function() end)
  it('fails', function() assert.are.equal(1, 2) end)
  it('waits')
  describe('inside', function()
    setup(function() error('setup fails') end)
    it('is not run', function() end)
  end)
end)`), 0o666))
	run := func(path string) string {
		out, err := exec.Command(os.Args[0], "-test.run", "^TestRunLuaReports$", "-test.v", "-failing-lua", path).Output()
		require.Error(t, err)
		return string(out)
	}
	out := run(path)
	for _, want := range []string{
		"--- PASS: TestRunLuaReports/" + filepath.ToSlash(path) + "/a_block/passes ",
		"--- FAIL: TestRunLuaReports/" + filepath.ToSlash(path) + "/a_block/fails ",
		"--- SKIP: TestRunLuaReports/" + filepath.ToSlash(path) + "/a_block/waits ",
		"--- FAIL: TestRunLuaReports/" + filepath.ToSlash(path) + "/a_block/inside ",
		"expected to be equal:", "> 3 |   it('fails', function() assert.are.equal(1, 2) end)", "setup fails",
	} {
		require.Contains(t, out, want)
	}
	require.NotContains(t, out, "is_not_run (")
	require.Contains(t, run(filepath.Join(dir, "nosuch")), "no such file")
	require.Equal(t, 1, strings.Count(out, "expected to be equal:"), "reported once")
}
