package display

import (
	"errors"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// ErrQuotes is returned by [Split] if quotes are not balanced, or are closed in the middle of a
// word.
//
//lint:ignore ST1005 these are redis-cli's words
var ErrQuotes = errors.New("Invalid argument(s)")

// Split splits a command line into words, as redis-cli does; see [quoting.Words].
func Split(line string) ([]string, error) {
	words, ok := quoting.Words(line)
	if !ok {
		return nil, ErrQuotes
	}
	return words, nil
}
