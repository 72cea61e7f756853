package command

// MatchGlob reports whether s matches a pattern as names match that of KEYS; fold ignores the case of ASCII letters.
func MatchGlob(pattern, s string, fold bool) bool { return globMatch(pattern, s, fold) }
