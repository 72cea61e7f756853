package display

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// Writes describes what a failed script has left behind, in lines.
func Writes(e *engine.ScriptError) string {
	var b strings.Builder
	b.WriteString("Written before the error, and kept:\n")
	for _, w := range e.Writes {
		b.WriteString("  ")
		if w.DB != 0 {
			fmt.Fprintf(&b, "[%d] ", w.DB)
		}
		b.WriteString(w.String() + "\n")
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "  … and %d more\n", e.More)
	}
	return b.String()
}
