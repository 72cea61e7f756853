package luavalue

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/textdiff"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// Diff returns the lines in which two values differ, with some lines around them: a line for each
// element of tables, and for each line of texts of several lines.
func Diff(expected, found luabridge.Value) []textdiff.Line {
	if a, b := expected.Text(), found.Text(); expected.Kind() == luabridge.StringKind && found.Kind() == luabridge.StringKind &&
		(strings.Contains(a, "\n") || strings.Contains(b, "\n")) && printable(a) && printable(b) {
		return textdiff.Near(strings.Split(a, "\n"), strings.Split(b, "\n"))
	}
	return textdiff.Near(Lines(expected), Lines(found))
}

// printable reports whether a text can be shown without quotes.
func printable(text string) bool {
	return !strings.Contains(Quote(strings.NewReplacer("\n", "", `\`, "", `"`, "").Replace(text)), `\`)
}
