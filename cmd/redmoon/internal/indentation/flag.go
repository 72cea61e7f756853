package indentation

import (
	"fmt"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/tools/luafmt"
)

// Flag is the value of a flag --indent: "tab", or the number of spaces. It implements
// encoding.TextUnmarshaler.
type Flag struct {
	Given  bool
	Indent luafmt.Indent
}

// UnmarshalText reads the value.
func (f *Flag) UnmarshalText(text []byte) error {
	if string(text) == "tab" {
		*f = Flag{Given: true, Indent: luafmt.Indent{Tab: true}}
		return nil
	}
	n, ok := width(string(text))
	if !ok {
		return fmt.Errorf("must be tab, or a number of spaces from 1 to %d", luafmt.MaxIndent)
	}
	*f = Flag{Given: true, Indent: luafmt.Indent{Width: n}}
	return nil
}

// width reads the columns of a level.
func width(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 1 && n <= luafmt.MaxIndent
}
