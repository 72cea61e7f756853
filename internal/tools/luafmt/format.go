package luafmt

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatext"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Options say how to print. The zero value is the default.
type Options struct {
	Width  int    // columns that a line should have at most. 0: DefaultWidth.
	Quotes Quotes // the quotes of strings
	Indent Indent // of one level
}

// DefaultWidth is the default of Options.Width.
const DefaultWidth = 100

// Indent is how one level is indented. The zero value is two spaces.
type Indent struct {
	Tab bool // a tab for each level, not spaces
	// Width is the columns of a level, at most [MaxIndent]: so many spaces, or what a tab counts when
	// lines are measured. 0: 2 spaces, or 4 columns for a tab.
	Width int
}

// MaxIndent is the greatest [Indent].Width.
const MaxIndent = 16

// Defaults of [Indent].Width.
const (
	defaultSpaces = 2
	defaultTab    = 4
)

// level returns the text and the columns of one level.
func (i Indent) level() (text string, columns int) {
	if i.Tab {
		return "\t", cmp.Or(i.Width, defaultTab)
	}
	columns = cmp.Or(i.Width, defaultSpaces)
	return strings.Repeat(" ", columns), columns
}

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

// Format returns a script in the style of the project: at most 100 columns where possible, and two
// spaces for each level unless o says otherwise. Formatting the result again with the same options
// does not change it. It has the comments of the source and compiles to the same instructions.
//
// If the script does not compile, the error is a *reply.Error with Redis's text. A script that is
// too complex for a tree gives a *luatree.Error. ErrUnsafe means a mistake in this package.
func Format(source string, o Options) (string, error) {
	if err := luatext.Check(source); err != nil {
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
			if !luatext.SameCode(source, after) || !slices.Equal(comments(source), comments(after)) {
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
	l := &layout{ops: b.ops, width: o.Width, eol: lineBreak(source)}
	l.indent, l.step = o.Indent.level()
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
