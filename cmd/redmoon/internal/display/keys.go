package display

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// KeyName formats a key for people, with the number of the database if it is not 0.
func KeyName(db int, key string) string {
	if db != 0 {
		return fmt.Sprintf("[%d] %s", db, quoting.Word(key))
	}
	return quoting.Word(key)
}

// Style formats a part of a line, for example in a color.
type Style func(text string) string

// Change describes a key that has changed, in lines: its name, and its old and its new state behind
// - and +.
func Change(c engine.KeyChange, name, before, after Style) string {
	var b strings.Builder
	b.WriteString(name(KeyName(c.DB, c.Key)) + "\n")
	state := func(mark, text string, style Style) {
		for line := range strings.Lines(text) {
			b.WriteString(style(mark+strings.TrimSuffix(line, "\n")) + "\n")
		}
	}
	state("- ", c.Before, before)
	state("+ ", c.After, after)
	return b.String()
}

// Plain is the Style of text without color.
func Plain(text string) string { return text }
