package debugger

import "github.com/redmoon-lua/redmoon/engine"

// Place is what [Session.SetBreakpoints] returns for a script that is not in progress: breakpoints with the lines where they are, and what is wrong with them.
func Place(source string, list []Breakpoint) []Breakpoint {
	lines, err := engine.ScriptLines(source)
	placed := make([]Breakpoint, len(list))
	for i, b := range list {
		placed[i] = newBreakpoint(b, lines, err).Breakpoint
	}
	return placed
}
