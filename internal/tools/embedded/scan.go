package embedded

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// Limits of what Find reads.
const (
	MaxFile    = 4 << 20 // bytes of a file
	MaxScripts = 2000    // scripts of a file
	maxNesting = 100     // strings that stand in the interpolations of one another
)

var errNesting = errors.New("strings within strings are nested deeper than 100")

type kind uint8

const (
	word  kind = iota // a name, a keyword or a number
	mark              // an operator or a bracket
	str               // a string
	other             // a character, a regular expression, or a string that is not closed
)

// token is a part of a program. Its range does not hold the white space around it.
type token struct {
	kind     kind
	from, to int
	breaks   bool // a line break stands between it and the token before
	lit      *literal
}

// note is a comment without the marks around it.
type note struct {
	from, to int
	next     int // the token that follows it
}

// program is a file that was cut into tokens.
type program struct {
	text   string
	lang   *language
	tokens []token
	notes  []note
}

// literal is a string of a program. Its body is what stands between the quotes.
type literal struct {
	from, to         int
	bodyFrom, bodyTo int
	quote            quote
	holes            [][2]int // interpolations
	margin           margin   // what the language itself removes at the beginnings of lines
	tag              string   // of a heredoc, or the name in front of a template
	format           format   // what a function replaces in it later
	affix            string   // r, f, b in front of a string of Python or Rust
}

// quote says how a string is written.
type quote struct {
	close   string
	multi   bool // it may have line breaks
	escapes *escapes
	holes   interpolation
	doubled bool // close, written twice, stands for itself
	nest    byte // a bracket that must be closed too, or 0
	braces  int  // how many braces begin a hole, for csharpHoles
}

// interpolation says what is inserted into a string.
type interpolation uint8

const (
	noHoles     interpolation = iota
	scriptHoles               // ${code}
	kotlinHoles               // ${code} and $name
	rubyHoles                 // #{code}
	phpHoles                  // $name, $name[0], $name->field, {$code} and ${name}
	pythonHoles               // {code}, and {{ for a brace
	csharpHoles               // {code}, and {{ for a brace; with more $ before the string, more braces
)

type programScanner struct {
	text   string
	at     int
	lang   *language
	tokens []token
	notes  []note
	quiet  int  // how many interpolations are around s.at; tokens of these are not kept
	last   byte // the last byte of the last token, comments apart; 0: none
	lastID string
	breaks bool
	here   []*heredoc // those whose bodies begin in the next line
	noExpr int        // no regular expression begins before this place
	err    error
}

// scan cuts a program into tokens.
func scan(lang *language, text string) (*program, error) {
	if lang.name == "go" {
		return scanGo(lang, text), nil
	}
	s := &programScanner{text: text, lang: lang}
	if lang.name == "php" {
		s.skipHTML()
	}
	s.code(false)
	return &program{text: text, lang: lang, tokens: s.tokens, notes: s.notes}, s.err
}

// code reads tokens up to the end of the text or, in an interpolation, up to the brace at its end.
func (s *programScanner) code(inner bool) {
	depth := 0
	for s.at < len(s.text) && s.err == nil {
		c := s.text[s.at]
		switch {
		case c == '\n':
			s.at++
			s.breaks = true
			s.readHeredocs()
			s.lineStart()
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			s.at++
		case inner && c == '}' && depth == 0:
			return
		case s.comment() || s.lang.literal(s):
		case isNameStart(c):
			from := s.at
			for s.at++; s.at < len(s.text) && isName(s.text[s.at]); {
				s.at++
			}
			s.emit(word, from, s.at, nil)
		default:
			if c == '{' {
				depth++
			} else if c == '}' {
				depth--
			}
			s.mark()
		}
	}
}

// mark reads an operator or a bracket.
func (s *programScanner) mark() {
	from := s.at
	for _, long := range []string{"=>", "->", "::", ":=", "==", "!=", "<=", ">=", "&&", "||", "?.", "+=", ".=", "<<"} {
		if strings.HasPrefix(s.text[from:], long) {
			s.at += len(long)
			s.emit(mark, from, s.at, nil)
			return
		}
	}
	s.at++
	s.emit(mark, from, s.at, nil)
}

// lineStart skips what begins at the beginning of a line only.
func (s *programScanner) lineStart() {
	rest := s.text[s.at:]
	switch {
	case s.lang.name == "csharp" && strings.HasPrefix(strings.TrimLeft(rest[:min(len(rest), 200)], " \t"), "#"):
		s.at += lineLength(rest)
	case s.lang.name == "ruby" && strings.HasPrefix(rest, "=begin"):
		end := strings.Index(rest, "\n=end")
		if end < 0 {
			s.at = len(s.text)
			return
		}
		s.at += end + 1
		s.at += lineLength(s.text[s.at:])
	case s.lang.name == "ruby" && strings.HasPrefix(rest, "__END__\n"):
		s.at = len(s.text)
	}
}

// skipHTML goes behind the next mark that begins a program in PHP.
func (s *programScanner) skipHTML() {
	at := strings.Index(s.text[s.at:], "<?")
	if at < 0 {
		s.at = len(s.text)
		return
	}
	s.at += at + 2
	for _, name := range []string{"php", "="} {
		if strings.HasPrefix(s.text[s.at:], name) {
			s.at += len(name)
			return
		}
	}
}

// comment reads a comment.
func (s *programScanner) comment() bool {
	rest := s.text[s.at:]
	for _, open := range s.lang.line {
		if !strings.HasPrefix(rest, open) || s.lang.name == "php" && strings.HasPrefix(rest, "#[") {
			continue
		}
		from := s.at
		s.at += lineLength(rest)
		if s.lang.name == "php" {
			if end := strings.Index(s.text[from:s.at], "?>"); end >= 0 {
				s.at = from + end
			}
		}
		s.note(from+len(open), s.at)
		return true
	}
	if open := s.lang.block[0]; open == "" || !strings.HasPrefix(rest, open) {
		return false
	}
	from := s.at
	s.at += 2
	for depth := 1; depth > 0; {
		if s.at >= len(s.text) {
			s.emit(other, from, s.at, nil)
			return true
		}
		switch {
		case strings.HasPrefix(s.text[s.at:], "*/"):
			depth--
			s.at += 2
		case s.lang.nests && strings.HasPrefix(s.text[s.at:], "/*"):
			depth++
			s.at += 2
		default:
			s.at++
		}
	}
	s.note(from+2, s.at-2)
	return true
}

func (s *programScanner) note(from, to int) {
	if s.quiet == 0 {
		s.notes = append(s.notes, note{from: from, to: to, next: len(s.tokens)})
	}
}

// emit adds a token.
func (s *programScanner) emit(k kind, from, to int, lit *literal) {
	if to > from {
		s.last = s.text[to-1]
		s.lastID = ""
		if k == word {
			s.lastID = s.text[from:to]
		} else if k == str || k == other {
			s.last = '"'
		}
	}
	if s.quiet == 0 {
		s.tokens = append(s.tokens, token{kind: k, from: from, to: to, breaks: s.breaks, lit: lit})
	}
	s.breaks = false
}

// quoted reads a string whose opening quote ends at bodyFrom. It returns nil if the string is not
// closed, or not in its line although it may have only one.
func (s *programScanner) quoted(from, bodyFrom int, q quote) *literal {
	lit := &literal{from: from, bodyFrom: bodyFrom, quote: q}
	s.at = bodyFrom
	if !s.body(lit, len(s.text)) {
		s.emit(other, from, s.at, nil)
		return nil
	}
	lit.bodyTo = s.at
	s.at += len(q.close)
	lit.to = s.at
	s.emit(str, from, s.at, lit)
	return lit
}

// body goes to the end of the body of a string, which is before end, and collects its holes. It
// returns false if the string is not closed.
func (s *programScanner) body(lit *literal, end int) bool {
	q := lit.quote
	for depth := 0; s.at < end && s.err == nil; {
		rest := s.text[s.at:end]
		switch c := rest[0]; {
		case q.close != "" && depth == 0 && strings.HasPrefix(rest, q.close):
			if !q.doubled || !strings.HasPrefix(rest[len(q.close):], q.close) {
				return true
			}
			s.at += 2 * len(q.close)
		case c == '\n' && !q.multi:
			return false
		case c == '\\' && q.escapes != nil:
			if s.at += 2; strings.HasPrefix(rest[1:], "\r\n") {
				s.at++
			}
			s.at = min(s.at, end)
		case q.nest != 0 && c == q.nest:
			depth++
			s.at++
		case q.nest != 0 && depth > 0 && c == q.close[0]:
			depth--
			s.at++
		case q.holes != noHoles && (c == '$' || c == '#' || c == '{' || c == '}'):
			s.hole(lit, end)
		default:
			s.at++
		}
	}
	return q.close == ""
}

// hole reads an interpolation, or a character that is none.
func (s *programScanner) hole(lit *literal, end int) {
	from, q := s.at, lit.quote
	rest := s.text[from:end]
	skip := 0 // bytes before the code
	switch q.holes {
	case scriptHoles, kotlinHoles:
		if strings.HasPrefix(rest, "${") {
			skip = 2
		} else if q.holes == kotlinHoles && rest[0] == '$' && len(rest) > 1 && isNameStart(rest[1]) {
			lit.holes = append(lit.holes, [2]int{from, from + 1 + nameLength(rest[1:])})
		}
	case rubyHoles:
		if strings.HasPrefix(rest, "#{") {
			skip = 2
		}
	case phpHoles:
		if strings.HasPrefix(rest, "{$") || strings.HasPrefix(rest, "${") {
			skip = 1 + strings.IndexByte(rest, '{')
		} else if n := phpName(rest); n > 0 {
			lit.holes = append(lit.holes, [2]int{from, from + n})
		}
	case pythonHoles, csharpHoles:
		s.at += s.braces(rest, max(q.braces, 1), q.braces > 1, &skip)
		from = s.at
	}
	switch n := len(lit.holes); {
	case skip > 0:
		s.at = from + skip
		s.inner(lit, from)
	case n > 0 && lit.holes[n-1][0] == from:
		s.at = lit.holes[n-1][1]
	case s.at == from && q.holes != pythonHoles && q.holes != csharpHoles:
		s.at++
	}
}

// braces looks at the braces at the beginning of a text. It returns how many bytes of it are text,
// and sets skip if a hole follows these.
func (s *programScanner) braces(rest string, need int, raw bool, skip *int) int {
	c, n := rest[0], 0
	for n < len(rest) && rest[n] == c {
		n++
	}
	switch {
	case c != '{' && c != '}':
		return 1
	case raw && c == '{' && n >= need:
		*skip = need
		return n - need
	case raw || c == '}':
		return n
	case n%2 == 1:
		*skip = 1
		return n - 1
	}
	return n
}

// inner reads the code of an interpolation up to its last brace.
func (s *programScanner) inner(lit *literal, from int) {
	if s.quiet++; s.quiet > maxNesting {
		s.err = errNesting
		return
	}
	breaks, last, lastID := s.breaks, s.last, s.lastID
	s.last, s.lastID = 0, ""
	s.code(true)
	s.quiet--
	s.breaks, s.last, s.lastID = breaks, last, lastID
	for n := 0; n < max(lit.quote.braces, 1) && s.at < len(s.text) && s.text[s.at] == '}'; n++ {
		s.at++
	}
	lit.holes = append(lit.holes, [2]int{from, s.at})
}

func lineLength(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}

func isNameStart(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf || c >= '0' && c <= '9'
}

func isName(c byte) bool { return c != '$' && c != '@' && isNameStart(c) || c == '$' }

func nameLength(text string) int {
	n := 0
	for n < len(text) && isName(text[n]) && text[n] != '$' {
		n++
	}
	return n
}

// phpName returns the length of a variable in a string: with an index or a field.
func phpName(text string) int {
	if len(text) < 2 || text[0] != '$' || !isNameStart(text[1]) || text[1] >= '0' && text[1] <= '9' || text[1] == '$' {
		return 0
	}
	n := 1 + nameLength(text[1:])
	switch rest := text[n:]; {
	case strings.HasPrefix(rest, "["):
		if end := strings.IndexByte(rest[:min(len(rest), 200)], ']'); end > 0 {
			n += end + 1
		}
	case strings.HasPrefix(rest, "->") && len(rest) > 2 && isNameStart(rest[2]):
		n += 2 + nameLength(rest[2:])
	}
	return n
}
