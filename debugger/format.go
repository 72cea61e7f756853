package debugger

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/engine"
)

// Format is a value of a script as people read it, in the manner of Lua: "text", {1, 2, x = {…}}. It is cut to about limit bytes; 0: no limit. Tables within themselves, and those that are
// more than 16 deep, are {…}.
func Format(v engine.LuaValue, limit int) string {
	p := printer{limit: limit}
	p.value(v)
	return p.String()
}

// FormatAll is [Format] for several values, with commas.
func FormatAll(values []engine.LuaValue, limit int) string {
	p := printer{limit: limit}
	for i, v := range values {
		if i > 0 {
			p.WriteString(", ")
		}
		p.value(v)
	}
	return p.String()
}

// plain is Format, but texts stand for themselves.
func plain(v engine.LuaValue, limit int) string {
	if v.Kind() == engine.LuaString {
		if text := v.Text(); limit == 0 || len(text) <= limit {
			return text
		}
		return v.Text()[:limit] + "…"
	}
	return Format(v, limit)
}

// deepest is how deep tables are shown in tables.
const deepest = 16

type printer struct {
	strings.Builder
	limit int
	open  []uintptr // the tables in the middle of which it is
}

// full reports whether the limit is reached.
func (p *printer) full() bool { return p.limit > 0 && p.Len() >= p.limit }

func (p *printer) value(v engine.LuaValue) {
	switch v.Kind() {
	case engine.LuaNil:
		p.WriteString("nil")
	case engine.LuaBoolean:
		p.WriteString(strconv.FormatBool(v.Bool()))
	case engine.LuaNumber:
		p.WriteString(v.Text())
	case engine.LuaString:
		p.quoted(v.Text())
	case engine.LuaTable:
		p.table(v)
	default:
		fmt.Fprintf(p, "%s: %#x", v.Kind(), v.ID())
	}
}

// quoted writes a text as it would stand in a script. Bytes that are not text are \ddd.
func (p *printer) quoted(s string) {
	p.WriteByte('"')
	for len(s) > 0 {
		if p.full() {
			p.WriteString("…")
			break
		}
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == '"' || r == '\\':
			p.WriteString(`\` + s[:1])
		case r == '\n':
			p.WriteString(`\n`)
		case r == '\r':
			p.WriteString(`\r`)
		case r == '\t':
			p.WriteString(`\t`)
		case r == utf8.RuneError && n == 1 || !unicode.IsPrint(r):
			for i := range n {
				p.escape(s[i], s[i+1:])
			}
		default:
			p.WriteString(s[:n])
		}
		s = s[n:]
	}
	p.WriteByte('"')
}

// escape writes a byte by its number, with three digits where another follows.
func (p *printer) escape(b byte, rest string) {
	if rest != "" && rest[0] >= '0' && rest[0] <= '9' {
		fmt.Fprintf(p, `\%03d`, b)
		return
	}
	fmt.Fprintf(p, `\%d`, b)
}

func (p *printer) table(v engine.LuaValue) {
	for _, id := range p.open {
		if id == v.ID() {
			p.WriteString("{…}")
			return
		}
	}
	if len(p.open) == deepest {
		p.WriteString("{…}")
		return
	}
	p.open = append(p.open, v.ID())
	p.WriteByte('{')
	p.fields(v.Fields())
	p.WriteByte('}')
	p.open = p.open[:len(p.open)-1]
}

// fields writes the entries of a table, those of 1, 2, 3 … as a list.
func (p *printer) fields(fields []engine.LuaField) {
	next := 1.0
	for i, f := range fields {
		if i > 0 {
			p.WriteString(", ")
		}
		if p.full() {
			p.WriteString("…")
			return
		}
		switch key := f.Key; {
		case key.Kind() == engine.LuaNumber && key.Number() == next:
			next++
		case key.Kind() == engine.LuaString && isName(key.Text()):
			p.WriteString(key.Text() + " = ")
		default:
			p.WriteByte('[')
			p.value(key)
			p.WriteString("] = ")
		}
		p.value(f.Value)
	}
}

var keywords = map[string]bool{"and": true, "break": true, "do": true, "else": true, "elseif": true, "end": true, "false": true, "for": true, "function": true, "if": true,
	"in": true, "local": true, "nil": true, "not": true, "or": true, "repeat": true, "return": true, "then": true, "true": true, "until": true, "while": true}

// isName reports whether s may stand as a name in a script.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && !keywords[s]
}
