package luafmt

import (
	"strings"
	"unicode/utf8"
)

// kind is the kind of an operation.
type kind uint8

const (
	text   kind = iota
	suffix      // a comment at the end of a line; it does not count as width
	line        // a space, or a line break if its group is broken
	soft        // nothing, or a line break if its group is broken
	comma       // nothing, or a comma if its group is broken
	hard        // a line break
	blank       // an empty line and a line break
	indent      // the lines that follow begin further right
	dedent      // the opposite
	nest        // indent, if the group is broken
	unnest      // the opposite
	open        // a group begins
	closed      // it ends
	opened      // a group begins that is broken in any case
)

// margin says whether a text is at the beginning of its line. It makes a comment an include.
type margin uint8

const (
	free margin = iota
	at          // always
	off         // never
)

// op is an operation of the layout.
type op struct {
	kind   kind
	text   string
	margin margin
	hug    int // of an open group: if it does not fit, but the operations before this one do, only its last element breaks
}

// mode is how the places of a group are printed.
type mode uint8

const (
	flat   mode = iota // as spaces, in the groups inside as well
	hugged             // as spaces; the groups inside decide themselves
	broken             // as line breaks
)

// layout prints operations.
type layout struct {
	ops    []op
	width  int
	indent string // of one level
	step   int    // columns of one level
	eol    string

	out    strings.Builder
	column int
	level  int
	modes  []mode
}

// inner returns the mode of the innermost group.
func (l *layout) inner() mode { return l.modes[len(l.modes)-1] }

func (l *layout) print() string {
	l.modes = []mode{broken}
	empty, before := true, 0 // the current line has no text; levels before it
	write := func(s string) {
		if empty && s != "" {
			l.out.WriteString(strings.Repeat(l.indent, before))
			empty = false
		}
		l.out.WriteString(s)
		l.column = columnAfter(l.column, s)
	}
	newline := func() {
		l.out.WriteString(l.eol)
		l.column, empty, before = l.level*l.step, true, l.level
	}
	for i, o := range l.ops {
		switch o.kind {
		case text, suffix:
			switch {
			case o.margin == at && empty:
				before = 0
			case o.margin == off && empty && before == 0:
				write(" ")
			}
			write(o.text)
		case line, soft:
			if l.inner() == broken {
				newline()
			} else if o.kind == line {
				write(" ")
			}
		case comma:
			if l.inner() == broken {
				write(",")
			}
		case hard:
			newline()
		case blank:
			newline()
			newline()
		case indent:
			l.level++
		case dedent:
			l.level--
		case nest:
			if l.inner() == broken {
				l.level++
			}
		case unnest:
			if l.inner() == broken {
				l.level--
			}
		case open, opened:
			l.modes = append(l.modes, l.decide(i))
		case closed:
			l.modes = l.modes[:len(l.modes)-1]
		}
	}
	return l.out.String()
}

// decide chooses the mode of the group that begins at an operation.
func (l *layout) decide(at int) mode {
	switch {
	case l.ops[at].kind == opened:
		return broken
	case l.inner() == flat:
		return flat
	case l.fits(at, len(l.ops)):
		return flat
	case l.ops[at].hug > 0 && l.fits(at, l.ops[at].hug):
		return hugged
	}
	return broken
}

// fits reports whether the line has room for the group that begins at an operation, printed flat,
// and for what follows it up to a place where a line may break. No operation from end on counts.
func (l *layout) fits(at, end int) bool {
	column, depth := l.column, 0
	for i := at; i < end; i++ {
		switch o := l.ops[i]; o.kind {
		case text:
			if n := strings.IndexAny(o.text, "\r\n"); n >= 0 {
				return column+utf8.RuneCountInString(o.text[:n]) <= l.width
			}
			column += utf8.RuneCountInString(o.text)
		case line, soft:
			if depth <= 0 && l.breaksBehind(depth) {
				return true
			}
			if o.kind == line {
				column++
			}
		case hard, blank:
			return true
		case open, opened:
			if depth <= 0 && i > at {
				return true // the next group may break
			}
			depth++
		case closed:
			depth--
		}
		if column > l.width {
			return false
		}
	}
	return true
}

// breaksBehind reports whether a place breaks that follows a group which is being decided. depth is
// 0 if the place belongs to the innermost group around that one, -1 for the next one, and so on.
func (l *layout) breaksBehind(depth int) bool {
	at := len(l.modes) - 1 + depth
	return at < 0 || l.modes[at] == broken
}

// columnAfter returns the column behind a text that begins at a column.
func columnAfter(column int, s string) int {
	if n := strings.LastIndexAny(s, "\r\n"); n >= 0 {
		return utf8.RuneCountInString(s[n+1:])
	}
	return column + utf8.RuneCountInString(s)
}
