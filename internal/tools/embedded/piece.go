package embedded

import "strings"

// pieceKind says how a piece of a script comes from the file.
type pieceKind uint8

const (
	plainPiece  pieceKind = iota // the same bytes stand in the file
	escapePiece                  // it is written as an escape
	breakPiece                   // a line break of Windows, which is one of Unix in the script
	holePiece                    // it stands for what the program inserts
	fixedPiece                   // the program puts it between two strings; it is nowhere in the file
)

// piece is a part of a script.
type piece struct {
	kind     pieceKind
	at       int    // where it begins in the script
	text     string // of the script
	from, to int    // in the file
	lit      *literal
}

// margin says what is removed at the beginnings and ends of the lines of a string.
type margin struct {
	common     bool   // the white space that all lines with text begin with
	given      bool   // width bytes, or those of the last line
	width      int    //
	lastLine   bool   // the last line counts too, although it has no text
	trailing   bool   // white space at the ends of lines
	firstBreak bool   // a first line without text
	lastBreak  bool   // the last line break, and what follows it
	blank      bool   // white space of lines without text
	trim       bool   // white space at both ends of the string
	bar        string // white space and this mark, where a line begins so
	values     bool   // also what escapes stand for counts as white space and line breaks
	source     bool   // lines are those of the file: a line break that is escaped ends one
	same       bool   // of the white space, only what is the same in all lines, blanks or tabs
}

// isZero reports whether nothing is removed.
func (m margin) isZero() bool { return m == margin{} }

// format says how a program inserts values into a string later.
type format uint8

const (
	noFormat     format = iota
	printfFormat        // %s, %d, %1$s, %[1]s, %(name)s, and %% for a percent sign
	braceFormat         // {}, {0}, {name}, and {{ for a brace
)

// decode cuts a string into pieces, which hold at most one line each.
func (p *program) decode(lit *literal, f format) []piece {
	if f != noFormat {
		own := *lit
		own.format = f
		lit = &own
	}
	d := decoder{p: p, lit: lit, format: f}
	hole := 0
	for at := lit.bodyFrom; at < lit.bodyTo; {
		if hole < len(lit.holes) && at >= lit.holes[hole][0] {
			end := min(lit.holes[hole][1], lit.bodyTo)
			hole++
			if end > at {
				d.add(holePiece, "", at, end)
				at = end
			}
			continue
		}
		end := lit.bodyTo
		if hole < len(lit.holes) {
			end = min(end, lit.holes[hole][0])
		}
		at = d.step(at, end)
	}
	d.flush()
	if !lit.margin.isZero() {
		return cut(d.pieces, lit.margin)
	}
	return d.pieces
}

type decoder struct {
	p        *program
	lit      *literal
	format   format
	pieces   []piece
	from, to int // of plain text that is not in pieces yet
}

func (d *decoder) flush() {
	if d.to > d.from {
		d.pieces = append(d.pieces, piece{kind: plainPiece, text: d.p.text[d.from:d.to], from: d.from, to: d.to, lit: d.lit})
	}
	d.from, d.to = 0, 0
}

func (d *decoder) add(k pieceKind, text string, from, to int) int {
	d.flush()
	d.pieces = append(d.pieces, piece{kind: k, text: text, from: from, to: to, lit: d.lit})
	return to
}

func (d *decoder) plain(from, to int) int {
	if d.to != from {
		d.flush()
		d.from = from
	}
	d.to = to
	return to
}

// step reads what stands at a place of the body, before end.
func (d *decoder) step(at, end int) int {
	rest, q := d.p.text[at:end], d.lit.quote
	switch c := rest[0]; {
	case c == '\n':
		d.plain(at, at+1)
		d.flush()
		return at + 1
	case c == '\r' && !d.p.lang.crlf && strings.HasPrefix(rest, "\r\n"):
		return d.add(breakPiece, "\n", at, at+2)
	case c == '\\' && q.escapes != nil:
		value, n := q.escapes.read(rest)
		if q.nest != 0 && len(rest) > 1 && (rest[1] == q.nest || rest[1] == q.close[0]) {
			value, n = rest[1:2], 2
		}
		if value == rest[:n] {
			return d.plain(at, at+n)
		}
		return d.add(escapePiece, value, at, at+n)
	case q.doubled && strings.HasPrefix(rest, q.close+q.close):
		return d.add(escapePiece, q.close, at, at+2*len(q.close))
	case q.doublesBraces() && (strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}")):
		return d.add(escapePiece, rest[:1], at, at+2)
	}
	if n, text := d.format.read(rest); n > 0 && text == "" {
		return d.add(holePiece, "", at, at+n)
	} else if n > 0 {
		return d.add(escapePiece, text, at, at+n)
	}
	return d.plain(at, at+1)
}

// doublesBraces reports whether a brace that is text is written twice.
func (q quote) doublesBraces() bool {
	return q.holes == pythonHoles || q.holes == csharpHoles && q.braces < 2
}

// read reads what a formatting function replaces at the beginning of a text. The length is 0 if
// there is nothing, and the text is "" if it is a value.
func (f format) read(rest string) (n int, text string) {
	switch {
	case f == printfFormat && rest[0] == '%':
		return readPrintf(rest)
	case f == braceFormat && (strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}")):
		return 2, rest[:1]
	case f == braceFormat && rest[0] == '{':
		for i := 1; i < len(rest) && i < 60 && rest[i] != '\n'; i++ {
			if rest[i] == '}' {
				return i + 1, ""
			}
		}
	}
	return 0, ""
}

func readPrintf(rest string) (n int, text string) {
	if strings.HasPrefix(rest, "%%") {
		return 2, "%"
	}
	n = 1
	for n < len(rest) && n < 60 && rest[n] != '\n' && strings.IndexByte("0123456789$+-.#*", rest[n]) >= 0 {
		n++
	}
	for _, pair := range []string{"()", "[]", "<>", "{}"} {
		if n >= len(rest) || rest[n] != pair[0] {
			continue
		}
		end := strings.IndexByte(rest[:min(len(rest), n+60)], pair[1])
		if end < 0 {
			return 0, ""
		}
		n = end + 1
		if pair == "{}" {
			return n, ""
		}
	}
	if n < len(rest) && strings.IndexByte("sdvqxXfgGeEtTcbopiurnU", rest[n]) >= 0 {
		return n + 1, ""
	}
	return 0, ""
}

// line is a line of pieces: those in [first, after).
type line struct {
	first, after int
	indent       int // bytes of white space at its beginning
	text         bool
	ends         bool // with a line break
}

// lines cuts pieces into lines.
func lines(pieces []piece, m margin) []line {
	list := []line{{}}
	values := m.values
	for i, p := range pieces {
		l := &list[len(list)-1]
		l.after = i + 1
		space := 0
		if m.source && p.kind == escapePiece && p.text == "" {
			l.text = true
			list = append(list, line{first: i + 1, after: i + 1})
			continue
		}
		real := p.kind == plainPiece || p.kind == breakPiece
		if real || p.kind == escapePiece && (values || p.text == "") {
			for space < len(p.text) && strings.IndexByte(" \t\r", p.text[space]) >= 0 {
				space++
			}
			if !l.text {
				l.indent += space
			}
			l.text = l.text || space < len(p.text) && p.text[space] != '\n'
			if strings.HasSuffix(p.text, "\n") && (real || values) {
				l.ends = true
				list = append(list, line{first: i + 1, after: i + 1})
			}
			continue
		}
		l.text = true
	}
	return list
}

// cut removes the margin of a string.
func cut(pieces []piece, m margin) []piece {
	list := lines(pieces, m)
	last := len(list) - 1
	width := m.width
	if m.common || m.given && width == 0 {
		width = -1
		for i, l := range list {
			counts := l.text || i == last && m.lastLine
			if m.given {
				counts = i == last
			}
			if counts && (width < 0 || l.indent < width) {
				width = l.indent
			}
		}
	}
	if m.same {
		width = sameWidth(pieces, list, width)
	}
	var out []piece
	for i, l := range list {
		own := pieces[l.first:l.after]
		switch {
		case m.firstBreak && i == 0 && !l.text && i < last, m.lastBreak && i == last && !l.text && i > 0:
			if i == last && len(out) > 0 {
				out = dropBreak(out)
			}
			continue
		case m.bar != "":
			own = cutBar(own, l.indent, m.bar)
		case m.blank && !l.text:
			own = trimStart(own, l.indent, m.values)
		default:
			own = trimStart(own, min(max(width, 0), l.indent), m.values)
		}
		if m.trailing {
			own = trimEnd(own, l.ends)
		}
		out = append(out, own...)
	}
	return trimmed(out, m.trim)
}

// dropBreak removes the line break at the end.
func dropBreak(pieces []piece) []piece {
	p := &pieces[len(pieces)-1]
	p.text = strings.TrimSuffix(p.text, "\n")
	if p.kind == plainPiece {
		p.to = p.from + len(p.text)
	}
	if p.text == "" {
		return pieces[:len(pieces)-1]
	}
	return pieces
}

// sameWidth returns how many of the first bytes, at most width, are the same in all lines that have
// text.
func sameWidth(pieces []piece, list []line, width int) int {
	first, known := "", false
	for _, l := range list {
		if !l.text {
			continue
		}
		var start strings.Builder
		for _, p := range pieces[l.first:l.after] {
			if start.Len() < width {
				start.WriteString(p.text)
			}
		}
		text := start.String()
		if !known {
			first, known = text, true
		}
		n := 0
		for n < width && n < len(text) && n < len(first) && text[n] == first[n] {
			n++
		}
		width = n
	}
	return width
}

// trimStart removes so many bytes of white space at the beginning of a line, escapes too if they
// count.
func trimStart(pieces []piece, n int, values bool) []piece {
	out := make([]piece, 0, len(pieces))
	for i, p := range pieces {
		if n == 0 {
			return append(out, pieces[i:]...)
		}
		if p.kind == plainPiece {
			k := min(n, len(p.text))
			p.text, p.from = p.text[k:], p.from+k
			n -= k
		} else if p.kind == escapePiece && values && len(p.text) <= n {
			n -= len(p.text)
			p.text = ""
		}
		if p.text != "" || p.kind == holePiece {
			out = append(out, p)
		}
	}
	return out
}

func cutBar(pieces []piece, indent int, bar string) []piece {
	if len(pieces) > 0 && pieces[0].kind == plainPiece && strings.HasPrefix(pieces[0].text[min(indent, len(pieces[0].text)):], bar) {
		p := pieces[0]
		p.text, p.from = p.text[indent+len(bar):], p.from+indent+len(bar)
		return append([]piece{p}, pieces[1:]...)
	}
	return pieces
}

// trimEnd removes white space at the end of a line, but not its line break.
func trimEnd(pieces []piece, ends bool) []piece {
	out := append([]piece(nil), pieces...)
	for i := len(out) - 1; i >= 0 && out[i].kind == plainPiece; i-- {
		p := out[i]
		body := strings.TrimSuffix(p.text, "\n")
		short := strings.TrimRight(body, " \t\r")
		if len(short) == len(body) {
			if body != "" {
				break
			}
			continue
		}
		// What is removed leaves a gap between the text and the line break.
		rest := []piece{{kind: plainPiece, text: short, from: p.from, to: p.from + len(short), lit: p.lit}}
		if ends && len(body) < len(p.text) {
			rest = append(rest, piece{kind: plainPiece, text: "\n", from: p.to - 1, to: p.to, lit: p.lit})
		}
		out = append(out[:i], append(rest, out[i+1:]...)...)
		if short != "" {
			break
		}
	}
	return out
}

// trimmed removes white space at both ends.
func trimmed(pieces []piece, trim bool) []piece {
	const space = " \t\r\n\v\f"
	for trim && len(pieces) > 0 && pieces[0].kind != holePiece {
		p := &pieces[0]
		short := strings.TrimLeft(p.text, space)
		if p.kind == plainPiece {
			p.from = p.to - len(short)
		}
		if p.text = short; short != "" {
			break
		}
		pieces = pieces[1:]
	}
	for trim && len(pieces) > 0 && pieces[len(pieces)-1].kind != holePiece {
		p := &pieces[len(pieces)-1]
		p.text = strings.TrimRight(p.text, space)
		if p.kind == plainPiece {
			p.to = p.from + len(p.text)
		}
		if p.text != "" {
			break
		}
		pieces = pieces[:len(pieces)-1]
	}
	return pieces
}
