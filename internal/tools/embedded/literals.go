package embedded

import "strings"

// javaScriptLiteral reads strings, templates and regular expressions. An apostrophe in the text of
// JSX begins a string that ends with the line.
func javaScriptLiteral(s *programScanner) bool {
	switch c := s.text[s.at]; {
	case c == '\'' || c == '"':
		s.quoted(s.at, s.at+1, quote{close: string(c), escapes: scriptEscapes})
		return true
	case c == '`':
		q := quote{close: "`", multi: true, escapes: scriptEscapes, holes: scriptHoles}
		tag := s.lastID
		if tag == "raw" {
			q.escapes = nil
		}
		if lit := s.quoted(s.at, s.at+1, q); lit != nil {
			lit.tag = tag
			lit.margin = tagMargin(tag)
		}
		return true
	}
	return s.text[s.at] == '/' && s.regexp(0, true)
}

// regexp reads a regular expression if one can stand here: behind an operator, an opening bracket
// or a keyword. It may be as long as limit, or in one line if limit is 0.
func (s *programScanner) regexp(limit int, classes bool) bool {
	if s.endsValue() || s.at < s.noExpr {
		return false
	}
	class := false
	for i := s.at + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\n' && limit == 0 || limit > 0 && i-s.at > limit:
			s.noExpr = i
			return false
		case c == '\\':
			i++
		case c == '[' && classes:
			class = true
		case c == ']':
			class = false
		case c == '/' && !class && i > s.at+1:
			from := s.at
			s.at = i + 1 + nameLength(s.text[i+1:])
			s.emit(other, from, s.at, nil)
			return true
		case c == '/' && !class:
			return false
		}
	}
	s.noExpr = len(s.text)
	return false
}

// endsValue reports whether the last token can end a value, so that an operator follows.
func (s *programScanner) endsValue() bool {
	if s.lastID != "" {
		const words = " return typeof case in of do else yield await delete void new throw when if unless and or not while until then "
		return !strings.Contains(words, " "+s.lastID+" ")
	}
	return s.last == ')' || s.last == ']' || s.last == '}' || s.last == '"' || s.last == '\'' || s.last == '`'
}

// pythonLiteral reads strings with their prefixes.
func pythonLiteral(s *programScanner) bool {
	from := s.at
	n := 0
	for n < 2 && from+n < len(s.text) && strings.IndexByte("rRbBuUfFtT", s.text[from+n]) >= 0 {
		n++
	}
	affix := strings.ToLower(s.text[from : from+n])
	rest := s.text[from+n:]
	if rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return false
	}
	q := quote{close: rest[:1], escapes: pythonEscapes}
	if triple := strings.Repeat(q.close, 3); strings.HasPrefix(rest, triple) {
		q.close, q.multi = triple, true
	}
	if strings.ContainsAny(affix, "ft") {
		q.holes = pythonHoles
	}
	if strings.Contains(affix, "r") {
		q.escapes = rawPython
	}
	if lit := s.quoted(from, from+n+len(q.close), q); lit != nil {
		lit.affix = affix
	}
	return true
}

// rawPython keeps all backslashes; one before a quote keeps the quote from ending the string.
var rawPython = &escapes{keep: true}

// javaLiteral reads strings, text blocks and characters.
func javaLiteral(s *programScanner) bool {
	rest := s.text[s.at:]
	if !strings.HasPrefix(rest, `"""`) {
		return s.plain('"', quote{escapes: javaEscapes}) || s.character()
	}
	open := 3
	for open < len(rest) && strings.IndexByte(" \t\r", rest[open]) >= 0 {
		open++
	}
	if open == len(rest) || rest[open] != '\n' {
		return s.plain('"', quote{escapes: javaEscapes})
	}
	if lit := s.quoted(s.at, s.at+open+1, quote{close: `"""`, multi: true, escapes: javaEscapes}); lit != nil {
		lit.margin = margin{common: true, lastLine: true, trailing: true, source: true}
	}
	return true
}

// plain reads a string in one line between two equal characters.
func (s *programScanner) plain(c byte, q quote) bool {
	if s.text[s.at] != c {
		return false
	}
	q.close = string(c)
	s.quoted(s.at, s.at+1, q)
	return true
}

// character reads 'x', which is not a string.
func (s *programScanner) character() bool {
	rest := s.text[s.at:]
	if rest[0] != '\'' {
		return false
	}
	for n := 1; n < len(rest) && n < 14 && rest[n] != '\n'; n++ {
		switch {
		case rest[n] == '\\':
			n++
		case rest[n] == '\'' && n > 1:
			from := s.at
			s.at += n + 1
			s.emit(other, from, s.at, nil)
			return true
		}
	}
	return false
}

// kotlinLiteral reads strings, raw strings and characters.
func kotlinLiteral(s *programScanner) bool {
	if strings.HasPrefix(s.text[s.at:], `"""`) {
		s.quoted(s.at, s.at+3, quote{close: `"""`, multi: true, holes: kotlinHoles})
		return true
	}
	return s.plain('"', quote{escapes: kotlinEscapes, holes: kotlinHoles}) || s.character()
}

// cSharpLiteral reads strings: plain, verbatim, interpolated and raw ones; and characters.
func cSharpLiteral(s *programScanner) bool {
	from, n := s.at, s.at
	for n < len(s.text) && (s.text[n] == '$' || s.text[n] == '@') && n-from < 9 {
		n++
	}
	affix := s.text[from:n]
	quotes := 0
	for n+quotes < len(s.text) && s.text[n+quotes] == '"' {
		quotes++
	}
	dollars := strings.Count(affix, "$")
	q := quote{close: `"`, escapes: cSharpEscapes}
	if dollars > 0 {
		q.holes = csharpHoles
	}
	switch {
	case quotes == 0:
		return s.character()
	case strings.Contains(affix, "@"):
		q.escapes, q.multi, q.doubled = nil, true, true
		s.quoted(from, n+1, q)
	case quotes >= 3:
		s.rawCSharp(from, n, quotes, dollars)
	default:
		s.quoted(from, n+1, q)
	}
	return true
}

// rawCSharp reads a string between three quotes or more.
func (s *programScanner) rawCSharp(from, at, quotes, dollars int) {
	q := quote{close: strings.Repeat(`"`, quotes), multi: true}
	if dollars > 0 {
		q.holes, q.braces = csharpHoles, dollars
	}
	open := at + quotes
	lines := strings.TrimLeft(s.text[open:min(len(s.text), open+100)], " \t\r")
	if !strings.HasPrefix(lines, "\n") {
		q.multi = false
		s.quoted(from, open, q)
		return
	}
	open += strings.IndexByte(s.text[open:], '\n') + 1
	if lit := s.quoted(from, open, q); lit != nil {
		lit.margin = margin{lastLine: true, given: true, lastBreak: true}
	}
}

// rustLiteral reads strings, raw strings and characters. A lifetime is not a character.
func rustLiteral(s *programScanner) bool {
	rest := s.text[s.at:]
	n := 0
	for n < 2 && n < len(rest) && strings.IndexByte("brc", rest[n]) >= 0 {
		n++
	}
	affix := rest[:n]
	hashes := 0
	for strings.HasSuffix(affix, "r") && n+hashes < len(rest) && rest[n+hashes] == '#' {
		hashes++
	}
	if !strings.HasPrefix(rest[n+hashes:], `"`) {
		return n == 0 && rustCharacter(rest) && s.character()
	}
	q := quote{close: `"` + rest[n:n+hashes], multi: true}
	if !strings.Contains(affix, "r") {
		q.escapes = rustEscapes
	}
	if lit := s.quoted(s.at, s.at+n+hashes+1, q); lit != nil {
		lit.affix = affix
	}
	return true
}

// rustCharacter distinguishes 'x' from the lifetime 'x.
func rustCharacter(rest string) bool {
	if rest[0] != '\'' || len(rest) < 3 {
		return false
	}
	return rest[1] == '\\' || rest[2] == '\'' || rest[1] >= 0x80
}
