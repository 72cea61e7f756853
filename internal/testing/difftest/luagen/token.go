package luagen

import "strings"

// Tokens cuts a program into tokens, blanks and comments among them; together they are the program
// again. Text that is not Lua is cut in some way.
func Tokens(src string) []string {
	var tokens []string
	for src != "" {
		n := tokenLen(src)
		tokens = append(tokens, src[:n])
		src = src[n:]
	}
	return tokens
}

func tokenLen(s string) int {
	switch c := s[0]; {
	case c == '\n':
		return 1
	case isBlank(c):
		return span(s, isBlank)
	case isName(c) && !isDigit(c):
		return span(s, isName)
	case isDigit(c) || c == '.' && len(s) > 1 && isDigit(s[1]):
		return span(s, func(c byte) bool { return isName(c) || c == '.' })
	case c == '"' || c == '\'':
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case c:
				return i + 1
			}
		}
		return len(s)
	case strings.HasPrefix(s, "--"):
		if n := longBracket(s[2:]); n > 0 {
			return 2 + n
		}
		return max(strings.IndexByte(s, '\n'), 2)
	case c == '[':
		return max(longBracket(s), 1)
	}
	for _, op := range []string{"...", "..", "==", "~=", "<=", ">="} {
		if strings.HasPrefix(s, op) {
			return len(op)
		}
	}
	return 1
}

// longBracket is the length of the long string that s begins with, 0 when there is none.
func longBracket(s string) int {
	level := 0
	for level+1 < len(s) && s[0] == '[' && s[level+1] == '=' {
		level++
	}
	if level+1 >= len(s) || s[0] != '[' || s[level+1] != '[' {
		return 0
	}
	closing := "]" + strings.Repeat("=", level) + "]"
	if i := strings.Index(s, closing); i >= 0 {
		return i + len(closing)
	}
	return len(s)
}

func span(s string, in func(byte) bool) int {
	n := 1
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isName(c byte) bool  { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || isDigit(c) }
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// blank reports whether a token means nothing.
func blank(token string) bool {
	return strings.TrimSpace(token) == "" || strings.HasPrefix(token, "--")
}
