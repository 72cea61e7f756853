package repl

import (
	"slices"
	"strings"
)

// luaWords are the reserved words of Lua 5.1.
var luaWords = []string{
	"and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local", "nil", "not", "or", "repeat", "return",
	"then", "true", "until", "while",
}

// highlight colours the reserved words, strings, numbers and comments of a Lua text. The text may
// be invalid.
func (p palette) highlight(text string) string {
	if !p {
		return text
	}
	var b strings.Builder
	for text != "" {
		n, code := luaToken(text)
		if code == "" {
			b.WriteString(text[:n])
		} else {
			b.WriteString(p.lines(func(s string) string { return p.style(code, s) }, text[:n]))
		}
		text = text[n:]
	}
	return b.String()
}

// highlightLines colours a text and returns its lines.
func (p palette) highlightLines(text string) []string {
	return strings.Split(p.highlight(text), "\n")
}

// luaToken returns the length of the first token of text, and its colour.
func luaToken(text string) (n int, code string) {
	c := text[0]
	switch {
	case strings.HasPrefix(text, "--"):
		if n, ok := longBracket(text[2:]); ok {
			return 2 + n, "90"
		}
		return until(text, "\n"), "90"
	case c == '"' || c == '\'':
		return quoted(text), "32"
	case c == '[':
		if n, ok := longBracket(text); ok {
			return n, "32"
		}
		return 1, ""
	case isLetter(c):
		n = span(text, func(c byte) bool { return isLetter(c) || isDigit(c) })
		if slices.Contains(luaWords, text[:n]) {
			return n, "35"
		}
		return n, ""
	case isDigit(c):
		return span(text, func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' }), "36"
	}
	return 1, ""
}

// longBracket returns the length of the [[string]] at the beginning of text. An unclosed one
// extends to the end of text.
func longBracket(text string) (n int, ok bool) {
	if !strings.HasPrefix(text, "[") {
		return 0, false
	}
	level := span(text[1:], func(c byte) bool { return c == '=' })
	if !strings.HasPrefix(text[1+level:], "[") {
		return 0, false
	}
	end := "]" + text[1:1+level] + "]"
	if i := strings.Index(text, end); i >= 0 {
		return i + len(end), true
	}
	return len(text), true
}

// quoted returns the length of the "string" at the beginning of text. It ends with its line at the
// latest.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\n':
			return i
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}

// until returns the index of stop in text, or the length of text.
func until(text, stop string) int {
	if i := strings.Index(text, stop); i >= 0 {
		return i
	}
	return len(text)
}

// span returns the number of bytes at the beginning of text that are in a class.
func span(text string, class func(byte) bool) int {
	for i := 0; i < len(text); i++ {
		if !class(text[i]) {
			return i
		}
	}
	return len(text)
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
