package difftest

import (
	"errors"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// word is one argument of a command line.
type word struct {
	text string
	bare bool // no part of it was quoted
}

var errUnbalanced = errors.New("unbalanced quotes")

// splitWords splits a line as redis-cli does.
func splitWords(line string) ([]word, error) {
	var words []word
	for rest := []byte(line); ; {
		text, quoted, after, ok := quoting.Next(rest)
		if !ok {
			return nil, errUnbalanced
		}
		if after == nil {
			return words, nil
		}
		words, rest = append(words, word{text: text, bare: !quoted}), after
	}
}

// texts returns the words of a line without how they were quoted.
func texts(line string) ([]string, error) {
	words, err := splitWords(line)
	var list []string
	for _, w := range words {
		list = append(list, w.text)
	}
	return list, err
}
