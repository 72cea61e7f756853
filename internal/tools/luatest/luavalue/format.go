package luavalue

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// Bounds of what is shown of a value.
const (
	shownDepth   = 24       // levels of tables
	shownText    = 4 << 10  // bytes of a string
	shownBytes   = 64 << 10 // bytes in all
	shortColumns = 72       // columns of a table on one line
)

// Format returns a value as Lua code: keys in sorted order, short tables on one line. What cannot
// be written as code, such as a function, is shown by its type, and what is long is cut.
func Format(v luabridge.Value) string {
	if line, ok := fitting(v, shortColumns); ok {
		return line
	}
	f := formatter{lines: true, most: shownBytes}
	f.value(v, 0)
	return f.b.String()
}

// FormatShort is Format on one line.
func FormatShort(v luabridge.Value) string {
	f := formatter{most: shownBytes}
	f.value(v, 0)
	return f.b.String()
}

// fitting returns a value on one line if that has at most so many bytes.
func fitting(v luabridge.Value, most int) (line string, ok bool) {
	f := formatter{most: most}
	f.value(v, 0)
	return f.b.String(), f.b.Len() <= most
}

// Lines returns a value as lines of Lua code, with a line for each element of each table, so that
// values can be compared by line.
func Lines(v luabridge.Value) []string {
	f := formatter{lines: true, all: true, most: shownBytes}
	f.value(v, 0)
	return strings.Split(f.b.String(), "\n")
}

type formatter struct {
	b     strings.Builder
	lines bool // a line for each element of a table
	all   bool // also of a short table
	most  int  // bytes after which elements are left out
	open  []uintptr
}

func (f *formatter) value(v luabridge.Value, depth int) {
	switch v.Kind() {
	case luabridge.NilKind:
		f.b.WriteString("nil")
	case luabridge.StringKind:
		f.b.WriteString(Quote(v.Text()))
	case luabridge.NumberKind:
		f.b.WriteString(v.Text())
	case luabridge.BooleanKind:
		fmt.Fprint(&f.b, v.Bool())
	case luabridge.TableKind:
		f.table(v, depth)
	default:
		f.b.WriteString("<" + v.Kind().String() + ">")
	}
}

func (f *formatter) table(v luabridge.Value, depth int) {
	fields := v.Fields()
	switch {
	case len(fields) == 0:
		f.b.WriteString("{}")
		return
	case slices.Contains(f.open, v.ID()):
		f.b.WriteString("<table in itself>")
		return
	case depth >= shownDepth:
		f.b.WriteString("{ … }")
		return
	}
	if f.lines && !f.all && depth > 0 {
		if line, ok := fitting(v, shortColumns-2*depth); ok {
			f.b.WriteString(line)
			return
		}
	}
	f.open = append(f.open, v.ID())
	n := v.Len()
	slices.SortStableFunc(fields, func(a, b luabridge.Field) int { return compareKeys(a.Key, b.Key) })
	f.b.WriteString("{")
	for i, field := range fields {
		if f.b.Len() > f.most {
			f.separate(depth+1, i)
			fmt.Fprintf(&f.b, "… %d more", len(fields)-i)
			break
		}
		f.separate(depth+1, i)
		if k := field.Key; k.Kind() != luabridge.NumberKind || k.Number() < 1 || k.Number() > float64(n) || k.Number() != float64(i+1) {
			f.key(k, depth+1)
			f.b.WriteString(" = ")
		}
		f.value(field.Value, depth+1)
		if f.lines {
			f.b.WriteString(",")
		}
	}
	if f.lines {
		f.b.WriteString("\n" + strings.Repeat("  ", depth) + "}")
	} else {
		f.b.WriteString(" }")
	}
	f.open = f.open[:len(f.open)-1]
}

// separate begins element i, from 0.
func (f *formatter) separate(depth, i int) {
	switch {
	case f.lines:
		f.b.WriteString("\n" + strings.Repeat("  ", depth))
	case i > 0:
		f.b.WriteString(", ")
	default:
		f.b.WriteString(" ")
	}
}

var name = regexp.MustCompile(`^[A-Za-z_][A-Za-z_0-9]*$`)

// reserved are the words that cannot be names.
var reserved = strings.Fields("and break do else elseif end false for function if in local nil not or repeat return then true until while")

func (f *formatter) key(k luabridge.Value, depth int) {
	if text := k.Text(); k.Kind() == luabridge.StringKind && name.MatchString(text) && !slices.Contains(reserved, text) {
		f.b.WriteString(text)
		return
	}
	f.b.WriteString("[")
	lines := f.lines
	f.lines = false
	f.value(k, depth)
	f.lines = lines
	f.b.WriteString("]")
}

// compareKeys orders keys: numbers, strings, booleans, the rest.
func compareKeys(a, b luabridge.Value) int {
	rank := func(k luabridge.Value) int {
		switch k.Kind() {
		case luabridge.NumberKind:
			return 0
		case luabridge.StringKind:
			return 1
		case luabridge.BooleanKind:
			return 2
		}
		return 3
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Number(), b.Number()), strings.Compare(textOf(a), textOf(b)))
}

// textOf returns the text by which keys that are not numbers are ordered.
func textOf(v luabridge.Value) string {
	switch v.Kind() {
	case luabridge.StringKind:
		return v.Text()
	case luabridge.BooleanKind:
		return fmt.Sprint(v.Bool())
	}
	return ""
}

// Quote returns a text in Lua's quotes. Characters that cannot be seen are escaped, and long texts
// are cut.
func Quote(text string) string {
	left := 0
	if len(text) > shownText {
		text, left = text[:shownText], len(text)-shownText
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && size == 1 || !unicode.IsPrint(r):
			for _, c := range []byte(text[i : i+size]) {
				fmt.Fprintf(&b, `\%03d`, c)
			}
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	b.WriteByte('"')
	if left > 0 {
		fmt.Fprintf(&b, " … %d more bytes", left)
	}
	return b.String()
}
