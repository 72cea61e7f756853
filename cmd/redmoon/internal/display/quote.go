package display

import (
	"errors"

	"github.com/redmoon-lua/redmoon/resp"
)

// ErrQuotes is returned by [Split] for quotes that are not balanced, or are closed in the middle of a word.
//
//lint:ignore ST1005 these are redis-cli's words
var ErrQuotes = errors.New("Invalid argument(s)")

// Split cuts a command line into words, as redis-cli and inline requests do; see [resp.SplitWords]. It returns
// [ErrQuotes] when the quotes do not fit.
func Split(line string) ([]string, error) {
	words, ok := resp.SplitWords(line)
	if !ok {
		return nil, ErrQuotes
	}
	return words, nil
}
