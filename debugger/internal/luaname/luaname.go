// Package luaname knows which strings are names in Lua 5.1.
package luaname

import "slices"

// Keywords returns the reserved words of Lua 5.1, sorted.
func Keywords() []string {
	return []string{
		"and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in",
		"local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
	}
}

// Is reports whether s is a name: ASCII letters, digits and underscores, without a digit at the
// beginning, and not a reserved word.
func Is(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && !slices.Contains(Keywords(), s)
}
