package quoting

import (
	"bytes"
	"strings"
)

// Words splits a line into words, up to its first NUL byte. ok is false if quotes are unbalanced.
func Words(line string) (words []string, ok bool) { return WordsOf(line, false) }

// WordsOf is Words for a server that lets a word go on behind a closing quote, if joined is set.
func WordsOf(line string, joined bool) (words []string, ok bool) {
	line, _, _ = strings.Cut(line, "\x00")
	return AppendWords(nil, []byte(line), joined)
}

// AppendWords appends the words of a line to dst; see the package comment. It reports false if
// quotes are unbalanced; the words before them have been appended. line must not have a NUL byte:
// Redis reads a C string, so the caller must cut it there. With joined a word goes on behind a
// closing quote.
func AppendWords(dst []string, line []byte, joined bool) ([]string, bool) {
	for {
		for len(line) > 0 && isSpace(line[0]) {
			line = line[1:]
		}
		if len(line) == 0 {
			return dst, true
		}
		word, rest, ok := nextWord(line, joined)
		if !ok {
			return dst, false
		}
		dst = append(dst, word)
		line = rest
	}
}

// nextWord returns the first word of line and the rest.
func nextWord(line []byte, joined bool) (word string, rest []byte, ok bool) {
	end := bytes.IndexAny(line, " \n\r\t\"'")
	if end < 0 {
		return string(line), nil, true
	}
	if line[end] != '"' && line[end] != '\'' {
		return string(line[:end]), line[end:], true
	}
	w := append([]byte(nil), line[:end]...)
	for i := end; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\n', '\r', '\t':
			return string(w), line[i:], true
		case '"', '\'':
			var n int
			if c == '"' {
				w, n = doubleQuoted(w, line[i+1:])
			} else {
				w, n = singleQuoted(w, line[i+1:])
			}
			i += 1 + n // the closing quote
			if n < 0 || !joined && i+1 < len(line) && !isSpace(line[i+1]) {
				return "", nil, false
			}
			if !joined {
				return string(w), line[i+1:], true
			}
		default:
			w = append(w, c)
		}
	}
	return string(w), nil, true
}

// doubleQuoted appends the unescaped bytes of s before the closing quote to w, and returns the
// index of that quote, or -1.
func doubleQuoted(w, s []byte) ([]byte, int) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return w, i
		case s[i] == '\\' && i+3 < len(s) && s[i+1] == 'x' && isHex(s[i+2]) && isHex(s[i+3]):
			w = append(w, hexDigit(s[i+2])<<4|hexDigit(s[i+3]))
			i += 3
		case s[i] == '\\' && i+1 < len(s):
			i++
			w = append(w, unescape(s[i]))
		default:
			w = append(w, s[i])
		}
	}
	return w, -1
}

func singleQuoted(w, s []byte) ([]byte, int) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\'':
			return w, i
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '\'':
			i++
			w = append(w, '\'')
		default:
			w = append(w, s[i])
		}
	}
	return w, -1
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	case 'a':
		return '\a'
	}
	return c
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func hexDigit(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}
