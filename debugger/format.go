package debugger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/debugger/internal/luaname"
	"github.com/redmoon-lua/redmoon/engine"
)

// Format returns a Lua value as people read it, in Lua's notation: "text", {1, 2, x = {…}}. The
// result is cut to about limit bytes; 0 means no limit. A table inside itself, and a table nested
// more than 16 deep, is {…}.
func Format(v engine.LuaValue, limit int) string {
	p := printer{limit: limit}
	p.value(v)
	return p.String()
}

// FormatAll formats several values as [Format] does, with commas between them.
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

// JSON returns a Lua value as JSON: with a line for each element and indent before it for each
// level, or as one line if indent is "". It returns an error if the value has no JSON form; the
// method JSON of the value lists the reasons.
func JSON(v engine.LuaValue, indent string) (string, error) {
	text, err := v.JSON()
	if err != nil || indent == "" {
		return text, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, []byte(text), "", indent)
	return b.String(), err
}

// plain is like Format, except that a string is not quoted.
func plain(v engine.LuaValue, limit int) string {
	if v.Kind() == engine.LuaString {
		if text := v.Text(); limit == 0 || len(text) <= limit {
			return text
		}
		return v.Text()[:limit] + "…"
	}
	return Format(v, limit)
}

// maxTableDepth is the maximum nesting of tables in a formatted value.
const maxTableDepth = 16

type printer struct {
	strings.Builder
	limit int
	open  []uintptr // the tables that are being written
}

// full reports whether the limit has been reached.
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

// quoted writes a string as a Lua literal. Bytes that are not printable UTF-8 are written as \ddd.
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

// escape writes a byte as a decimal escape, with three digits if a digit follows.
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
	if len(p.open) == maxTableDepth {
		p.WriteString("{…}")
		return
	}
	p.open = append(p.open, v.ID())
	p.WriteByte('{')
	p.fields(v.Fields())
	p.WriteByte('}')
	p.open = p.open[:len(p.open)-1]
}

// fields writes the fields of a table. Those with the keys 1, 2, 3, … are written as a list.
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
		case key.Kind() == engine.LuaString && luaname.Is(key.Text()):
			p.WriteString(key.Text() + " = ")
		default:
			p.WriteByte('[')
			p.value(key)
			p.WriteString("] = ")
		}
		p.value(f.Value)
	}
}
