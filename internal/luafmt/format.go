package luafmt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Options say how to print. The zero value is the default.
type Options struct {
	Width  int    // columns that a line should have at most. 0: DefaultWidth.
	Quotes Quotes // the quotes of strings
}

// DefaultWidth is the default of Options.Width.
const DefaultWidth = 100

// indentation is the spaces of one level.
const indentation = "  "

// Quotes says which quotes strings get.
type Quotes uint8

// The quotes. A string that contains one of the two quotes stays as it is.
const (
	KeepQuotes   Quotes = iota
	SingleQuotes        // 'text'
	DoubleQuotes        // "text"
)

// apply returns a token with the wanted quotes, if it is a string whose quotes can be replaced.
func (q Quotes) apply(s string) string {
	quote := map[Quotes]string{SingleQuotes: "'", DoubleQuotes: `"`}[q]
	if len(s) < 2 || s[0] != '\'' && s[0] != '"' || strings.ContainsAny(s[1:len(s)-1], `'"`) {
		return s
	}
	return quote + s[1:len(s)-1] + quote
}

// ErrUnsafe is the error for a script that the formatter cannot print without changing what it
// does.
var ErrUnsafe = errors.New("the formatter would change the script: please report it")

// maxRounds is how often a text is printed until nothing changes.
const maxRounds = 8

// Format returns a script in the style of the project: two spaces for each level, at most 100
// columns where possible. Formatting the result again does not change it. It has the comments of
// the source and compiles to the same instructions.
//
// If the script does not compile, the error is a *reply.Error with Redis's text. A script that is
// too complex for a tree gives a *luatree.Error. ErrUnsafe means a mistake in this package.
func Format(source string, o Options) (string, error) {
	if err := luabridge.CheckText(source); err != nil {
		return "", err
	}
	if o.Width == 0 {
		o.Width = DefaultWidth
	}
	before := source
	for range maxRounds {
		after, err := once(before, o)
		if err != nil {
			return "", err
		}
		if after == before {
			if !luabridge.SameCode(source, after) || !slices.Equal(comments(source), comments(after)) {
				return "", ErrUnsafe
			}
			return after, nil
		}
		before = after
	}
	return "", ErrUnsafe
}

// once prints a text.
func once(source string, o Options) (result string, err error) {
	tree, err := luatree.Parse(source)
	if err != nil {
		return "", err
	}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			if !ok {
				e = fmt.Errorf("%v", r)
			}
			result, err = "", fmt.Errorf("%w: %w", ErrUnsafe, e)
		}
	}()
	b := newBuilder(tree, o.Quotes)
	b.chunk()
	l := &layout{ops: b.ops, width: o.Width, indent: indentation, eol: lineBreak(source)}
	return l.print(), nil
}

// lineBreak returns the line break that a text has at the end of its first line.
func lineBreak(source string) string {
	if n := strings.IndexByte(source, '\n'); n > 0 && source[n-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// comments returns the comments of a text.
func comments(source string) (list []string) {
	for _, t := range luatree.Tokens(source) {
		if s := source[t.From:t.To]; t.Kind == luatree.CommentToken {
			if !isLong(s) {
				s = strings.TrimRight(s, " \t\r\f\v")
			}
			list = append(list, s)
		}
	}
	return list
}
