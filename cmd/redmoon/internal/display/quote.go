package display

import (
	"errors"
	"strings"
)

// ErrQuotes is returned by [Split] for quotes that are not balanced, or are closed in the middle of a word.
//
//lint:ignore ST1005 these are redis-cli's words
var ErrQuotes = errors.New("Invalid argument(s)")

// Quote appends s in double quotes, with everything escaped that is not printable ASCII.
func Quote(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\', '"':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		case '\a':
			b = append(b, `\a`...)
		case '\b':
			b = append(b, `\b`...)
		default:
			if c >= ' ' && c < 0x7f {
				b = append(b, c)
			} else {
				b = append(b, '\\', 'x', hex[c>>4], hex[c&15])
			}
		}
	}
	return append(b, '"')
}

// Split cuts a command line into words, as redis-cli does. In double quotes, \xHH, \n, \r, \t, \b and \a stand for
// bytes and any other escaped byte for itself; in single quotes only \' is special. It returns
// [ErrQuotes] when the quotes do not fit.
func Split(line string) ([]string, error) {
	var words []string
	for {
		line = strings.TrimLeft(line, " \t\n\v\f\r")
		if line == "" {
			return words, nil
		}
		word, rest, err := splitWord(line)
		if err != nil {
			return nil, err
		}
		words, line = append(words, word), rest
	}
}

// splitWord reads the first word of line, which does not begin with a space.
func splitWord(line string) (word, rest string, err error) {
	var b []byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\n', '\r', '\t', 0:
			return string(b), line[i+1:], nil
		case '"', '\'':
			unquote := doubleQuoted
			if c == '\'' {
				unquote = singleQuoted
			}
			var n int
			if b, n = unquote(b, line[i+1:]); n < 0 {
				return "", "", ErrQuotes
			}
			rest = line[i+1+n:]
			if rest != "" && !isSpace(rest[0]) {
				return "", "", ErrQuotes
			}
			return string(b), rest, nil
		default:
			b = append(b, c)
		}
	}
	return string(b), "", nil
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// doubleQuoted appends the text up to the closing quote and tells how many bytes of s it took, the
// quote included; -1 when there is none.
func doubleQuoted(b []byte, s string) ([]byte, int) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b, i + 1
		case s[i] == '\\' && i+3 < len(s) && s[i+1] == 'x' && hexDigit(s[i+2]) >= 0 && hexDigit(s[i+3]) >= 0:
			b = append(b, byte(hexDigit(s[i+2])<<4|hexDigit(s[i+3])))
			i += 3
		case s[i] == '\\' && i+1 < len(s):
			i++
			b = append(b, escaped(s[i]))
		default:
			b = append(b, s[i])
		}
	}
	return b, -1
}

// singleQuoted is doubleQuoted for the other quotes.
func singleQuoted(b []byte, s string) ([]byte, int) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\'':
			return b, i + 1
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '\'':
			i++
			b = append(b, '\'')
		default:
			b = append(b, s[i])
		}
	}
	return b, -1
}

func escaped(c byte) byte {
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

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
