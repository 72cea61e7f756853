package debugger

import "github.com/redmoon-lua/redmoon/engine"

// ResolveBreakpoints returns what [Session.SetBreakpoints] returns, for a script that is not being
// debugged: each breakpoint with its actual line, or with its Problem.
func ResolveBreakpoints(source string, list []Breakpoint) []Breakpoint {
	lines, err := engine.ScriptLines(source)
	resolved := make([]Breakpoint, len(list))
	for i, b := range list {
		resolved[i] = newBreakpoint(b, lines, err).Breakpoint
	}
	return resolved
}
