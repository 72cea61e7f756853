package embedded

import "strings"

// heredoc is a string whose body begins in the line after its mark.
type heredoc struct {
	token int // in tokens, or -1 within an interpolation
	lit   *literal
	id    string
	free  bool // the closing mark may be indented
}

// rubyLiteral reads strings, heredocs, lists, symbols, characters and regular expressions.
func rubyLiteral(s *programScanner) bool {
	rest := s.text[s.at:]
	switch c := rest[0]; {
	case c == '\'':
		s.quoted(s.at, s.at+1, quote{close: "'", multi: true, escapes: rubySingle})
		return true
	case c == '"' || c == '`' && s.lastID != "def":
		s.quoted(s.at, s.at+1, quote{close: string(c), multi: true, escapes: rubyEscapes, holes: rubyHoles})
		return true
	case c == '%':
		return rubyPercent(s)
	case c == '<' && strings.HasPrefix(rest, "<<"):
		return rubyHeredoc(s)
	case c == '?' && !s.endsValue() && len(rest) > 2 && strings.IndexByte("'\"`#/", rest[1]) >= 0 && !isName(rest[2]):
		from := s.at
		s.at += 2
		s.emit(other, from, s.at, nil)
		return true
	}
	return rest[0] == '/' && s.rubyRegexp()
}

func (s *programScanner) rubyRegexp() bool {
	if s.looksLikeArgument() {
		s.lastID, s.last = "", 0
	}
	return s.regexp(2000, false)
}

// looksLikeArgument reports whether what begins here is an argument without parentheses: a blank
// stands before it, none behind its first character, and a name before the blank.
func (s *programScanner) looksLikeArgument() bool {
	return s.lastID != "" && s.at > 0 && s.text[s.at-1] == ' ' && s.at+1 < len(s.text) && strings.IndexByte(" =\n", s.text[s.at+1]) < 0
}

// rubyPercent reads %q(…) and its like.
func rubyPercent(s *programScanner) bool {
	rest := s.text[s.at:]
	if s.endsValue() && !s.looksLikeArgument() || len(rest) < 3 {
		return false
	}
	n, form := 1, byte('Q')
	if strings.IndexByte("qQwWiIrxs", rest[1]) >= 0 {
		n, form = 2, rest[1]
	}
	open := rest[n]
	if isName(open) || open <= ' ' || open >= 0x80 || n == 1 && strings.IndexByte("([{<|!", open) < 0 {
		return false
	}
	q := quote{close: string(open), multi: true, escapes: rubyQuoted}
	if i := strings.IndexByte("([{<", open); i >= 0 {
		q.close, q.nest = string(")]}>"[i]), open
	}
	if form == 'Q' || form == 'W' || form == 'r' || form == 'x' {
		q.escapes, q.holes = rubyEscapes, rubyHoles
	}
	if s.quoted(s.at, s.at+n+1, q) != nil && s.quiet == 0 && form != 'q' && form != 'Q' {
		t := &s.tokens[len(s.tokens)-1]
		t.kind, t.lit = other, nil
	}
	return true
}

// rubyHeredoc reads the mark of a heredoc: <<~ID, <<-ID or <<ID, with ID in quotes or not.
func rubyHeredoc(s *programScanner) bool {
	from := s.at
	at := from + 2
	lit := &literal{from: from}
	free := at < len(s.text) && (s.text[at] == '~' || s.text[at] == '-')
	if free {
		lit.margin.common = s.text[at] == '~'
		at++
	}
	lit.quote = quote{multi: true, escapes: rubyEscapes, holes: rubyHoles}
	quoted := at < len(s.text) && strings.IndexByte("'\"`", s.text[at]) >= 0
	if quoted {
		if s.text[at] == '\'' {
			lit.quote = quote{multi: true}
		}
		at++
	}
	n := nameLength(s.text[at:])
	end := at + n
	switch {
	case n == 0 || quoted && (end >= len(s.text) || s.text[end] != s.text[at-1]):
		return false
	case !free && !quoted && (s.text[at] < 'A' || s.text[at] > 'Z' || s.last == 0 || s.endsValue() && !s.looksLikeArgument()):
		return false
	case quoted:
		end++
	}
	s.at, lit.to = end, end
	s.addHeredoc(lit, s.text[at:at+n], free)
	return true
}

func (s *programScanner) addHeredoc(lit *literal, id string, free bool) {
	lit.tag = id
	s.emit(str, lit.from, lit.to, lit)
	h := &heredoc{token: len(s.tokens) - 1, lit: lit, id: id, free: free}
	if s.quiet > 0 {
		h.token = -1
	}
	s.here = append(s.here, h)
}

// readHeredocs reads the bodies that begin at this line.
func (s *programScanner) readHeredocs() {
	list := s.here
	s.here = nil
	for n, h := range list {
		if n > 0 && s.at < len(s.text) {
			s.at++ // the line break behind the mark that ends the one before
		}
		h.lit.bodyFrom = s.at
		end, next := heredocEnd(s.text, s.at, h.id, h.free)
		if next < 0 { // it is not closed: the rest of the file
			s.at = len(s.text)
			if h.token >= 0 {
				s.tokens[h.token].kind, s.tokens[h.token].lit = other, nil
			}
			return
		}
		s.within(h.lit, end)
		s.at, h.lit.bodyTo = next, end
	}
}

// within collects the holes of a body that ends at end, whatever stands in it.
func (s *programScanner) within(lit *literal, end int) {
	whole := s.text
	s.text = whole[:end]
	s.body(lit, end)
	s.text = whole
}

// heredocEnd returns where a body that begins at a line ends, and where the next line begins.
func heredocEnd(text string, at int, id string, free bool) (end, next int) {
	for at < len(text) {
		n := lineLength(text[at:])
		line := strings.TrimSuffix(text[at:at+n], "\r")
		if free {
			line = strings.TrimLeft(line, " \t")
		}
		if line == id {
			return at, at + n
		}
		at += n + 1
	}
	return -1, -1
}

// phpLiteral reads strings and heredocs, and the text between programs.
func phpLiteral(s *programScanner) bool {
	rest := s.text[s.at:]
	switch c := rest[0]; {
	case c == '\'':
		s.quoted(s.at, s.at+1, quote{close: "'", multi: true, escapes: phpSingle})
	case c == '"' || c == '`':
		s.quoted(s.at, s.at+1, quote{close: string(c), multi: true, escapes: phpEscapes, holes: phpHoles})
	case c == '<' && strings.HasPrefix(rest, "<<<"):
		return phpHeredoc(s)
	case c == '?' && strings.HasPrefix(rest, "?>"):
		s.at += 2
		s.skipHTML()
	default:
		return false
	}
	return true
}

// phpHeredoc reads <<<ID, with its body. The closing mark may be indented, and the program goes on
// behind it.
func phpHeredoc(s *programScanner) bool {
	from := s.at
	at := from + 3
	for at < len(s.text) && (s.text[at] == ' ' || s.text[at] == '\t') && at < from+20 {
		at++
	}
	lit := &literal{from: from, quote: quote{multi: true, escapes: phpHere, holes: phpHoles}}
	quoted := byte(0)
	if at < len(s.text) && (s.text[at] == '\'' || s.text[at] == '"') {
		quoted = s.text[at]
		at++
	}
	if quoted == '\'' {
		lit.quote = quote{multi: true}
	}
	lit.tag = s.text[at : at+nameLength(s.text[at:])]
	at += len(lit.tag)
	if lit.tag == "" {
		return false
	}
	lit.bodyFrom = at + lineLength(s.text[at:]) + 1
	end, indent := phpHeredocEnd(s.text, lit.bodyFrom, lit.tag)
	if end < 0 {
		s.at = len(s.text)
		s.emit(other, from, s.at, nil)
		return true
	}
	s.at = lit.bodyFrom
	s.within(lit, end)
	lit.bodyTo = end
	lit.to = end + indent + len(lit.tag)
	lit.margin = margin{lastLine: true, given: true, lastBreak: true, width: indent}
	s.at = lit.to
	s.emit(str, from, s.at, lit)
	return true
}

// phpHeredocEnd returns where the line of the closing mark begins, and its indentation.
func phpHeredocEnd(text string, at int, id string) (end, indent int) {
	for at < len(text) {
		n := lineLength(text[at:])
		line := strings.TrimLeft(text[at:at+n], " \t")
		if strings.HasPrefix(line, id) && nameLength(line) == len(id) {
			return at, n - len(line)
		}
		at += n + 1
	}
	return -1, 0
}
