package difftest

import (
	"errors"
	"strconv"
	"strings"
)

// word is one argument of a command line. Bare tells that nothing in it was quoted.
type word struct {
	text string
	bare bool
}

var errUnbalanced = errors.New("unbalanced quotes")

// splitWords splits a line as redis-cli does: "..." with \n \r \t \b \a \xHH and \c for any
// other c, '...' with \' alone, and words between blanks. A closing quote must end its word.
func splitWords(line string) ([]word, error) {
	var words []word
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			return words, nil
		}
		var b strings.Builder
		w := word{bare: true}
		for line != "" && line[0] != ' ' && line[0] != '\t' {
			if q := line[0]; q == '"' || q == '\'' {
				rest, err := unquote(&b, line[1:], q)
				if err != nil {
					return nil, err
				}
				line, w.bare = rest, false
				break
			}
			b.WriteByte(line[0])
			line = line[1:]
		}
		w.text = b.String()
		words = append(words, w)
	}
}

// unquote writes the quoted text at the start of s to b and returns what follows the closing quote.
func unquote(b *strings.Builder, s string, quote byte) (string, error) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote:
			if rest := s[i+1:]; rest == "" || rest[0] == ' ' || rest[0] == '\t' {
				return rest, nil
			}
			return "", errUnbalanced
		case c == '\\' && quote == '"' && i+1 < len(s):
			i++
			if s[i] == 'x' && i+2 < len(s) {
				if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
					b.WriteByte(byte(n))
					i += 2
					continue
				}
			}
			b.WriteByte(escape(s[i]))
		case c == '\\' && quote == '\'' && i+1 < len(s) && s[i+1] == '\'':
			i++
			b.WriteByte('\'')
		default:
			b.WriteByte(c)
		}
	}
	return "", errUnbalanced
}

func escape(c byte) byte {
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
