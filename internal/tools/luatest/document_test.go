package luatest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
)

// TestDocument runs every block of Lua in docs/test.md. A block that begins with "-- file: NAME" is
// that file, one with describe is a test file, and any other is the function of a test.
func TestDocument(t *testing.T) {
	content, err := os.ReadFile("../../../docs/test.md")
	require.NoError(t, err)
	files := map[string]string{}
	blocks := strings.Split(string(content), "```lua\n")[1:]
	require.Greater(t, len(blocks), 8)
	for i, block := range blocks {
		code, _, ok := strings.Cut(block, "```")
		require.True(t, ok)
		first, _, _ := strings.Cut(code, "\n")
		name, isFile := strings.CutPrefix(first, "-- file: ")
		switch {
		case isFile:
			files[name] = code
		case strings.Contains(code, "describe("):
			files[fmt.Sprintf("block_%d_test.lua", i)] = code
		default:
			files[fmt.Sprintf("block_%d_test.lua", i)] = "it('block', function()\n" + code + "end)"
		}
	}
	c := runAll(t, write(t, files), &luatest.Options{})
	require.Greater(t, c.summary.Counts[luatest.Passed], 8)
	require.Zero(t, c.summary.Counts.Bad(), strings.Join(c.lines(), "\n"))
	require.Equal(t, 1, c.summary.Counts[luatest.Pending])
}
