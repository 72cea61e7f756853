package report

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
)

// Names and messages of tests control no terminal.
func TestNamesControlNoTerminal(t *testing.T) {
	var b bytes.Buffer
	text := NewText(&b)
	text.Colour = true
	const evil = "\x1b]0;title\x07\x1b[2J\x1b[1;1H\x1b[31mred\r\x1b[Kgone\u009b31m\x7f"
	text.File(luatest.FileResult{Path: "a\x1b[2J_test.lua", Results: []luatest.Result{{
		File: "a_test.lua", Names: []string{evil}, Status: luatest.Errored, Output: evil, Reason: evil,
		Problems: []luatest.Problem{{Phase: "test", Message: evil}},
	}}})
	text.End(luatest.Summary{Files: 1})
	out := b.String()
	for _, sequence := range []string{"\x1b]", "\x07", "\x1b[2J", "\x1b[1;1H", "\u009b", "\x7f", "\r"} {
		require.NotContains(t, out, sequence)
	}
	require.Contains(t, out, "\x1b[31m", "our own colours stay")
	b.Reset()
	tap := NewTAP(&b)
	tap.File(luatest.FileResult{Path: evil, Results: []luatest.Result{{Names: []string{evil}, Status: luatest.Failed, Output: evil}}})
	require.NotRegexp(t, "[\x07\x7f\u0080-\u009f]|\x1b[^\\[]|\x1b\\[2J", b.String())
	require.Contains(t, Harmless("é\tü\n✓ 日本"), "é\tü\n✓ 日本")
}
