package engine

import "github.com/redmoon-lua/redmoon/internal/command"

// ScriptLines are the lines of a script that have code, in order: those at which a [Debugger] may be told of a line. The error is Redis's, of a script that does not compile.
func ScriptLines(source string) ([]int, error) { panic(errUnbuilt) }

// MatchGlob reports whether s matches a pattern as Redis's KEYS matches names of keys.
func MatchGlob(pattern, s string) bool { return command.MatchGlob(pattern, s, false) }
