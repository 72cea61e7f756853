package display

import (
	"errors"

	"github.com/redmoon-lua/redmoon/resp"
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

// Split cuts a command line into words, as redis-cli and inline requests do; see [resp.SplitWords]. It returns
// [ErrQuotes] when the quotes do not fit.
func Split(line string) ([]string, error) {
	words, ok := resp.SplitWords(line)
	if !ok {
		return nil, ErrQuotes
	}
	return words, nil
}
