package embedded

import (
	"errors"
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/textdiff"
)

var errHoles = errors.New("what the program inserts would be lost, moved or repeated")

// edit replaces a range of the file.
type edit struct {
	from, to int
	text     string
}

// Replace returns the text of the file with another text of the script. Only the insides of the
// literals change, and of these only the lines that differ. Escapes and indentations are written as
// the literal needs them. newText has the texts that stand for the holes, in their order.
//
// Replace reads the result again. It returns an error, and no text, if that does not give exactly
// newText, with the same holes, or if another script of the file would change too.
func (s *Script) Replace(newText string) (string, error) {
	if newText == s.Text {
		return s.file, nil
	}
	if s.Changed {
		return "", fmt.Errorf("%s: the program changes the text of the script", s.Name)
	}
	for _, h := range s.Holes {
		mark := s.Text[h.Offset : h.Offset+h.Size]
		if strings.Count(s.Text, mark) != strings.Count(newText, mark) {
			return "", fmt.Errorf("%s: %w", s.Name, errHoles)
		}
	}
	edits, err := s.edits(newText)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Name, err)
	}
	var out strings.Builder
	done := 0
	for _, e := range edits {
		if e.from < done {
			return "", fmt.Errorf("%s: parts of the script stand in the file in another order", s.Name)
		}
		out.WriteString(s.file[done:e.from])
		out.WriteString(e.text)
		done = e.to
	}
	out.WriteString(s.file[done:])
	if err := s.verify(out.String(), newText); err != nil {
		return "", fmt.Errorf("%s: %w", s.Name, err)
	}
	return out.String(), nil
}

// verify reads a file again and compares its scripts.
func (s *Script) verify(file, newText string) error {
	before, err := Find(s.Path, s.file, s.rules)
	if err != nil {
		return err
	}
	after, err := Find(s.Path, file, s.rules)
	if err != nil {
		return err
	}
	if len(before) != len(after) {
		return errors.New("the file would have another number of scripts")
	}
	for i := range after {
		a, b := &before[i], &after[i]
		switch {
		case a.Name != s.Name && (a.Text != b.Text || a.Name != b.Name):
			return fmt.Errorf("%s would change too", a.Name)
		case a.Name != s.Name:
		case b.Name != s.Name || b.Text != newText:
			return errors.New("the new text cannot be written in this kind of string")
		case !sameHoles(a, b):
			return errHoles
		}
	}
	return nil
}

// sameHoles compares what the program inserts.
func sameHoles(a, b *Script) bool {
	if len(a.Holes) != len(b.Holes) {
		return false
	}
	for i, h := range a.Holes {
		g := b.Holes[i]
		if a.file[h.From:h.To] != b.file[g.From:g.To] {
			return false
		}
	}
	return true
}

// edits returns what must change in the file, in the order of the script.
func (s *Script) edits(newText string) ([]edit, error) {
	changes := lineChanges(s.Text, newText)
	edits, err := s.editsOf(changes)
	if errors.Is(err, errHoles) { // the lines with holes are not opposite one another
		first, last := changes[0], changes[len(changes)-1]
		tail := len(s.Text) - last.to
		if first.from+tail > len(newText) {
			return nil, err
		}
		edits, err = s.editsOf([]change{{from: first.from, to: last.to, text: newText[first.from : len(newText)-tail]}})
	}
	return edits, err
}

func (s *Script) editsOf(changes []change) ([]edit, error) {
	var edits []edit
	for _, whole := range changes {
		parts, err := s.apart(whole)
		if err != nil {
			return nil, err
		}
		for _, c := range parts {
			if s.Text[c.from:c.to] == c.text {
				continue
			}
			e, err := s.edit(c)
			if err != nil {
				return nil, err
			}
			edits = append(edits, e)
		}
	}
	return edits, nil
}

// lineChanges compares two texts. Lines that differ only in white space are changed one by one.
func lineChanges(oldText, newText string) []change {
	old, now := textdiff.Lines(oldText), textdiff.Lines(newText)
	starts := []int{0}
	for _, l := range old {
		starts = append(starts, starts[len(starts)-1]+len(l))
	}
	var list []change
	pair := func(i, j, n int) {
		for k := range n {
			if old[i+k] != now[j+k] {
				list = append(list, change{from: starts[i+k], to: starts[i+k+1], text: now[j+k]})
			}
		}
	}
	i, j := 0, 0
	for _, h := range textdiff.Hunks(dense(old), dense(now)) {
		pair(i, j, h.From-i)
		list = append(list, change{from: starts[h.From], to: starts[h.To], text: strings.Join(now[h.NewFrom:h.NewTo], "")})
		i, j = h.To, h.NewTo
	}
	pair(i, j, len(old)-i)
	return list
}

// dense returns lines without blanks and tabs.
func dense(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.NewReplacer(" ", "", "\t", "").Replace(l)
	}
	return out
}

// change replaces a range of the script.
type change struct {
	from, to int
	text     string
	lit      *literal // the one that gets the text; nil: that of the range
}

// apart cuts a change so that each part is in one literal and has no hole.
func (s *Script) apart(c change) ([]change, error) {
	var parts []change
	rest, from := c.text, c.from
	for _, h := range s.Holes {
		if h.Offset < c.from || h.Offset >= c.to {
			continue
		}
		mark := s.Text[h.Offset : h.Offset+h.Size]
		before, after, ok := strings.Cut(rest, mark)
		if !ok {
			return nil, errHoles
		}
		parts = append(parts, change{from: from, to: h.Offset, text: before})
		rest, from = after, h.Offset+h.Size
	}
	parts = append(parts, change{from: from, to: c.to, text: rest})
	var out []change
	for _, p := range parts {
		own, err := s.byLiteral(p)
		if err != nil {
			return nil, err
		}
		out = append(out, own...)
	}
	return out, nil
}

// byLiteral cuts a change at the ends of literals, and keeps what the program puts between these.
func (s *Script) byLiteral(c change) ([]change, error) {
	var ranges []change // of each literal in it
	separator := ""
	for _, p := range s.pieces {
		from, to := max(p.at, c.from), min(p.at+len(p.text), c.to)
		if from >= to || p.kind == holePiece {
			continue
		}
		if p.kind == fixedPiece {
			separator = p.text
			continue
		}
		if n := len(ranges); n > 0 && ranges[n-1].lit == p.lit {
			ranges[n-1].to = to
		} else {
			ranges = append(ranges, change{from: from, to: to, lit: p.lit})
		}
	}
	switch {
	case len(ranges) == 0:
		return []change{c}, nil
	case separator != "":
		return s.bySeparator(c, ranges, separator)
	case len(ranges) == 1:
		ranges[0].text = c.text
		return ranges, nil
	}
	lines := textdiff.Lines(c.text)
	if len(lines) != len(ranges) {
		ranges[0].text = c.text
		return ranges, nil
	}
	for i := range ranges {
		ranges[i].text = lines[i]
	}
	return ranges, nil
}

// bySeparator gives each element of a list its part of a text. The last one gets what is left.
func (s *Script) bySeparator(c change, ranges []change, separator string) ([]change, error) {
	text := strings.TrimSuffix(c.text, separator)
	elements := strings.SplitN(text, separator, len(ranges))
	if len(elements) != len(ranges) {
		return nil, errors.New("the new text has fewer lines than the list that is joined has elements")
	}
	for i := range ranges {
		ranges[i].text = elements[i]
	}
	return ranges, nil
}

// edit returns the change of the file that changes a range of the script, which is in one literal.
func (s *Script) edit(c change) (edit, error) {
	lit, from, to := c.lit, -1, -1
	lineStart := false // the place is before the margin of a line
	for i, p := range s.pieces {
		end := p.at + len(p.text)
		if p.kind == fixedPiece {
			if end == c.from && i+1 < len(s.pieces) && s.pieces[i+1].kind != holePiece {
				from, lineStart, lit = s.pieces[i+1].from, false, s.pieces[i+1].lit
			}
			continue
		}
		inside := p.kind == plainPiece
		if end <= c.from && p.kind != holePiece && (lit == nil || p.lit == lit) {
			from, lineStart = p.to, strings.HasSuffix(p.text, "\n")
			if c.from == c.to && lit == nil {
				lit = p.lit
			}
		}
		if end == c.from && p.kind == holePiece {
			from, lineStart = p.to, false
			if i+1 < len(s.pieces) && s.pieces[i+1].lit != nil {
				lit = s.pieces[i+1].lit
			}
			if lit == nil {
				lit = p.lit
			}
		}
		if p.kind != holePiece && p.at < c.from && c.from < end && inside {
			from, lineStart, lit = p.from+c.from-p.at, false, p.lit
		}
		if p.kind != holePiece && p.at < c.to && c.to <= end {
			to = p.to
			if inside {
				to = p.from + c.to - p.at
			}
			if lit == nil {
				lit = p.lit
			}
		}
	}
	if lit == nil && len(s.pieces) > 0 {
		lit = s.pieces[0].lit
	}
	if lit == nil {
		return edit{}, errHoles
	}
	if from < lit.bodyFrom {
		from, lineStart = lit.bodyFrom, true
		if first := s.firstOf(lit); lit.margin.isZero() && first >= 0 {
			from, lineStart = first, false
		}
	}
	if c.from == c.to {
		to = from
	}
	if to < from {
		return edit{}, errHoles
	}
	after := s.file[min(to, lit.bodyTo):min(to+1, lit.bodyTo)]
	text := lit.encode(c.text, after, s.marginOf(lit), lineStart && !strings.HasPrefix(s.file[from:to], "\n"))
	return edit{from, to, text}, nil
}

// firstOf returns where the first piece of a literal stands.
func (s *Script) firstOf(lit *literal) int {
	for _, p := range s.pieces {
		if p.lit == lit && p.kind != fixedPiece {
			return p.from
		}
	}
	return -1
}

// marginOf returns what stands before the lines of a literal, from the first line that has it.
func (s *Script) marginOf(lit *literal) string {
	fresh := true
	for i, p := range s.pieces {
		if p.lit != lit || p.kind == fixedPiece {
			continue
		}
		start := s.file[:p.from]
		gap := start[strings.LastIndexByte(start, '\n')+1:]
		if i > 0 {
			fresh = strings.HasSuffix(s.pieces[i-1].text, "\n")
		}
		if fresh && gap != "" && p.text != "\n" && strings.Trim(gap, " \t|") == "" && p.from > lit.bodyFrom && lit.quote.multi {
			return gap
		}
		fresh = false
	}
	return ""
}

// encode writes a text as it stands between the quotes, before a byte of the file.
func (l *literal) encode(text, after, margin string, lineStart bool) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if lineStart && c != '\n' {
			out.WriteString(margin)
		}
		lineStart = c == '\n'
		rest := text[i+1:]
		if rest == "" {
			rest = after
		}
		out.WriteString(l.encodeByte(c, rest))
	}
	return out.String()
}

// encodeByte writes a byte before the rest of the text.
func (l *literal) encodeByte(c byte, rest string) string {
	q := l.quote
	opensHole := rest != "" && (c == '$' && (q.holes == scriptHoles || q.holes == kotlinHoles || q.holes == phpHoles) ||
		c == '#' && q.holes == rubyHoles && rest[0] == '{' || c == '{' && q.holes == phpHoles && rest[0] == '$')
	switch {
	case c == '\n' && q.multi:
		return "\n"
	case q.doubled && string(c) == q.close:
		return q.close + q.close
	case (c == '{' || c == '}') && q.doublesBraces():
		return string([]byte{c, c})
	case l.format == printfFormat && c == '%', l.format == braceFormat && (c == '{' || c == '}'):
		return string([]byte{c, c})
	case q.escapes == nil:
		return string([]byte{c})
	case c == '\\' && q.escapes.keep && rest != "" && !q.escapes.special(rest[0]) && !strings.HasPrefix(q.close, rest[:1]):
		return `\`
	case c == '\\' && !(q.escapes == rawPython):
		return `\\`
	case opensHole || q.close != "" && c == q.close[0] && (len(q.close) == 1 || strings.HasPrefix(rest, q.close[:1]) || rest == ""):
		if q.escapes == rawPython {
			return string([]byte{c})
		}
		return `\` + string([]byte{c})
	case c == '\t' && q.multi || c >= ' ':
		return string([]byte{c})
	}
	if e := q.escapes.write(c); e != "" {
		return e
	}
	return string([]byte{c})
}

// special reports whether a backslash before a character means something.
func (e *escapes) special(c byte) bool {
	for i := 0; i < len(e.chars); i += 2 {
		if e.chars[i] == c {
			return true
		}
	}
	return e.octal && isOctal(c) || e.hex > 0 && c == 'x' || (e.four || e.braced) && c == 'u' || e.eight && c == 'U' || e.lineEnd && c == '\n'
}
