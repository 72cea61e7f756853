package syntax

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
)

// Kind is the kind of a token: its byte if it has one character, else one of the constants below.
type Kind int

// The kinds of tokens of more than one character.
const (
	And Kind = iota + 257
	Break
	Do
	Else
	Elseif
	End
	False
	For
	Function
	If
	In
	Local
	Nil
	Not
	Or
	Repeat
	Return
	Then
	True
	Until
	While
	Concat
	Dots
	Eq
	Ge
	Le
	Ne
	Number
	Name
	String
	EOS
)

var kindNames = [...]string{"and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in",
	"local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
	"..", "...", "==", ">=", "<=", "~=", "<number>", "<name>", "<string>", "<eof>"}

var reserved = func() map[string]Kind {
	m := map[string]Kind{}
	for i, name := range kindNames[:While-And+1] {
		m[name] = And + Kind(i)
	}
	return m
}()

func (k Kind) String() string {
	switch {
	case k >= And:
		return kindNames[k-And]
	case k < 32 || k == 127:
		return fmt.Sprintf("char(%d)", int(k))
	}
	return string([]byte{byte(k)})
}

// Token is a token of the source.
type Token struct {
	Kind   Kind
	Text   string // a name, or the value of a string. It may share memory with the source.
	Number float64
	From   int // index of its first byte in the source
	To     int // index of the byte behind its last
}

// Lexer cuts a source into tokens, one at a time. Its errors are panics; see [Lexer.Recover].
type Lexer struct {
	Token     // the current one
	Line  int // line of the byte after the last token read
	Last  int // line of the token before the current one
	Past  int // index of the byte behind the token before the current one

	// Comment is called with the range of each comment, in the order of the source. Optional.
	Comment func(from, to int)

	src   string
	pos   int
	name  string // chunk name, for errors
	start int    // beginning of the text that errors quote, unless it is in buf
	buf   []byte // that text, if it is not a part of the source
	ahead Token  // the token after the current one, when seen is set
	seen  bool
	poll  func() error // called every few thousand tokens; the lexer stops at its error. Optional
	count int          // tokens since the last call
}

// NewLexer returns a lexer that is before the first token of a chunk. poll is called every few
// thousand tokens, and the lexer stops at its error. poll may be nil.
func NewLexer(source, name string, poll func() error) Lexer {
	return Lexer{src: source, name: name, Line: 1, Last: 1, poll: poll}
}

// pollEvery is how many tokens are read between two calls of poll.
const pollEvery = 1 << 11

// eof is the result of cur at the end of the source.
const eof = -1

func (l *Lexer) cur() int {
	if l.pos < len(l.src) {
		return int(l.src[l.pos])
	}
	return eof
}

// Error is a syntax error. Its text begins with the chunk name and the line.
type Error struct {
	Text string
	More bool // the text ended at the mistake, so more text could change the error
}

// Error implements error.
func (e *Error) Error() string { return e.Text }

// stop is the panic value for an error that is not a syntax error.
type stop struct{ err error }

// Stop ends the parse. [Lexer.Recover] returns err.
func Stop(err error) { panic(stop{err}) }

// Recover must be deferred. It turns the panics of a lexer and of Stop into errors.
func (l *Lexer) Recover(err *error) {
	switch r := recover().(type) {
	case nil:
	case stop:
		*err = r.err
	case *Error:
		r.More = l.pos >= len(l.src)
		*err = r
	default:
		panic(r)
	}
}

// Fail ends the parse with a syntax error. near is the kind of the token that the message names; 0:
// none.
func (l *Lexer) Fail(message string, near Kind) {
	text := fmt.Sprintf("%s:%d: %s", l.name, l.Line, message)
	if near != 0 {
		text += fmt.Sprintf(" near '%s'", l.quote(near))
	}
	panic(&Error{Text: text})
}

func (l *Lexer) quote(k Kind) string {
	switch k {
	case Name, String, Number:
		s := l.src[l.start:l.pos]
		if k == String && s[0] == '[' {
			s = asRead(s)
		} else if len(l.buf) > 0 {
			s = string(l.buf)
		}
		s, _, _ = strings.Cut(s, "\x00")
		return s
	}
	return k.String()
}

// asRead returns a long string with its brackets as Lua has read it: without a line break at its
// beginning, and with '\n' for other ones.
func asRead(source string) string {
	opened := strings.IndexByte(source[1:], '[') + 2
	if opened == 1 { // no long string after all
		return source
	}
	text := []byte(source[:opened])
	for i := opened; i < len(source); i++ {
		c, first := source[i], i == opened
		if isNewline(int(c)) {
			if i+1 < len(source) && isNewline(int(source[i+1])) && source[i+1] != c {
				i++
			}
			if c = '\n'; first {
				continue
			}
		}
		text = append(text, c)
	}
	return string(text)
}

// SyntaxError is Fail at the current token.
func (l *Lexer) SyntaxError(message string) { l.Fail(message, l.Kind) }

func (l *Lexer) expected(k Kind) { l.SyntaxError(fmt.Sprintf("'%s' expected", k)) }

// Check fails unless the current token has the given kind.
func (l *Lexer) Check(k Kind) {
	if l.Kind != k {
		l.expected(k)
	}
}

// Expect skips the current token, which must be of a kind.
func (l *Lexer) Expect(k Kind) {
	l.Check(k)
	l.Next()
}

// Accept skips the current token if it has the given kind, and reports whether it did.
func (l *Lexer) Accept(k Kind) bool {
	if l.Kind != k {
		return false
	}
	l.Next()
	return true
}

// Match skips the token that closes a construct, which was opened at a line.
func (l *Lexer) Match(what, who Kind, line int) {
	if l.Accept(what) {
		return
	}
	if line == l.Line {
		l.expected(what)
	}
	l.SyntaxError(fmt.Sprintf("'%s' expected (to close '%s' at line %d)", what, who, line))
}

// Identifier skips a name and returns it.
func (l *Lexer) Identifier() string {
	l.Check(Name)
	name := l.Text
	l.Next()
	return name
}

// BlockEnds reports whether the current token ends a block.
func (l *Lexer) BlockEnds() bool {
	switch l.Kind {
	case Else, Elseif, End, Until, EOS:
		return true
	}
	return false
}

// Next reads the next token.
func (l *Lexer) Next() {
	l.Last, l.Past = l.Line, l.To
	if l.seen {
		l.Token, l.seen = l.ahead, false
		return
	}
	l.Token = l.scan()
}

// Lookahead returns the kind of the token after the current one.
func (l *Lexer) Lookahead() Kind {
	l.ahead, l.seen = l.scan(), true
	return l.ahead.Kind
}

func isNewline(c int) bool { return c == '\n' || c == '\r' }
func isDigit(c int) bool   { return c >= '0' && c <= '9' }
func isSpace(c int) bool   { return c == ' ' || c >= '\t' && c <= '\r' }
func isAlpha(c int) bool   { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// newline skips a line break of one or two bytes.
func (l *Lexer) newline() {
	first := l.cur()
	l.pos++
	if c := l.cur(); isNewline(c) && c != first {
		l.pos++
	}
	l.Line++
}

func (l *Lexer) scan() Token {
	if l.count++; l.count >= pollEvery {
		l.look()
	}
	l.buf = l.buf[:0]
	for {
		c := l.cur()
		switch {
		case c == eof:
			l.start = l.pos
			return Token{Kind: EOS, From: l.pos, To: l.pos}
		case isNewline(c):
			l.newline()
		case isSpace(c):
			l.pos++
		case c == '-':
			from := l.pos
			l.pos++
			if l.cur() != '-' {
				l.start = l.pos
				return Token{Kind: '-', From: from, To: l.pos}
			}
			l.pos++
			l.comment()
			if l.Comment != nil {
				l.Comment(from, l.pos)
			}
			if l.count++; l.count >= pollEvery {
				l.look()
			}
		default:
			from := l.pos
			l.start = from
			t := l.token(c)
			t.From, t.To = from, l.pos
			return t
		}
	}
}

func (l *Lexer) look() {
	l.count = 0
	if l.poll == nil {
		return
	}
	if err := l.poll(); err != nil {
		Stop(err)
	}
}

func (l *Lexer) comment() {
	if l.cur() == '[' {
		if level := l.brackets(); level >= 0 {
			l.longString(level, false)
			l.buf = l.buf[:0]
			return
		}
	}
	if n := strings.IndexAny(l.src[l.pos:], "\n\r"); n >= 0 {
		l.pos += n
	} else {
		l.pos = len(l.src)
	}
}

func (l *Lexer) token(c int) Token {
	if isAlpha(c) {
		end := l.pos + 1
		for end < len(l.src) && nameByte[l.src[end]] {
			end++
		}
		name := l.src[l.pos:end]
		l.pos = end
		if len(name) > 1 && len(name) <= len("function") && name[0] >= 'a' && name[0] <= 'w' {
			if k, ok := reserved[name]; ok {
				return Token{Kind: k}
			}
		}
		return Token{Kind: Name, Text: name}
	}
	switch c {
	case '[':
		level := l.brackets()
		if level >= 0 {
			return Token{Kind: String, Text: l.longString(level, true)}
		}
		if level != -1 {
			l.Fail("invalid long string delimiter", String)
		}
		return Token{Kind: '['}
	case '=':
		return l.pair('=', Eq)
	case '<':
		return l.pair('<', Le)
	case '>':
		return l.pair('>', Ge)
	case '~':
		return l.pair('~', Ne)
	case '"', '\'':
		return Token{Kind: String, Text: l.quoted(byte(c))}
	case '.':
		l.pos++
		if l.next1(".") {
			if l.next1(".") {
				return Token{Kind: Dots}
			}
			return Token{Kind: Concat}
		}
		if !isDigit(l.cur()) {
			return Token{Kind: '.'}
		}
		return l.numeral()
	}
	if isDigit(c) {
		return l.numeral()
	}
	l.pos++
	l.start = l.pos // Lua does not keep the text of these tokens
	return Token{Kind: Kind(c)}
}

// nameByte reports which bytes names consist of.
var nameByte = func() (set [256]bool) {
	for c := range set {
		set[c] = isAlpha(c) || isDigit(c)
	}
	return set
}()

// pair returns a token of one character, or of that and an equals sign.
func (l *Lexer) pair(one, two Kind) Token {
	l.pos++
	k := one
	if l.cur() == '=' {
		l.pos++
		k = two
	}
	l.start = l.pos
	return Token{Kind: k}
}

// next1 skips a byte that is in a set, or NUL: Lua uses strchr, which finds the NUL at the end of
// the set.
func (l *Lexer) next1(set string) bool {
	c := l.cur()
	if c != 0 && (c == eof || strings.IndexByte(set, byte(c)) < 0) {
		return false
	}
	l.pos++
	return true
}

func (l *Lexer) numeral() Token {
	for c := l.cur(); isDigit(c) || c == '.'; c = l.cur() {
		l.pos++
	}
	if l.next1("Ee") {
		l.next1("+-")
	}
	for l.pos < len(l.src) && nameByte[l.src[l.pos]] {
		l.pos++
	}
	text, _, _ := strings.Cut(l.src[l.start:l.pos], "\x00")
	f, ok := numbers.Parse(text)
	if !ok {
		l.Fail("malformed number", Number)
	}
	return Token{Kind: Number, Number: f}
}

// brackets reads what may open or close a long string. It returns the number of equals signs, or a
// negative number if it is something else (-1: a single bracket).
func (l *Lexer) brackets() int {
	bracket, n := l.cur(), 0
	l.pos++
	for l.cur() == '=' {
		l.pos++
		n++
	}
	if l.cur() == bracket {
		return n
	}
	return -n - 1
}

// longString reads to the end of a long string, or of a long comment if keep is not set. The result
// shares memory with the source unless it has line breaks other than '\n'.
func (l *Lexer) longString(level int, keep bool) string {
	l.pos++
	if isNewline(l.cur()) {
		l.newline()
	}
	from := l.pos // beginning of the text that is not in buf yet
	for {
		n := strings.IndexAny(l.src[l.pos:], "]\n\r")
		if n < 0 {
			l.pos = len(l.src)
			if keep {
				l.Fail("unfinished long string", EOS)
			}
			l.Fail("unfinished long comment", EOS)
		}
		l.pos += n
		at := l.pos
		if l.src[at] == ']' {
			if l.brackets() != level {
				continue
			}
			l.pos++
			if len(l.buf) == 0 || !keep {
				return l.src[from:at]
			}
			l.buf = append(l.buf, l.src[from:at]...)
			return string(l.buf)
		}
		l.newline()
		if keep && (l.src[at] == '\r' || l.pos > at+1) {
			l.buf = append(append(l.buf, l.src[from:at]...), '\n')
			from = l.pos
		}
		if l.count++; l.count >= pollEvery {
			l.look()
		}
	}
}

// quoted reads to the end of a quoted string. Errors show its text with the escapes so far
// replaced.
func (l *Lexer) quoted(quote byte) string {
	stops := "'\\\n\r"
	if quote == '"' {
		stops = "\"\\\n\r"
	}
	l.pos++
	from := l.start // beginning of the text that is not in buf yet
	for {
		n := strings.IndexAny(l.src[l.pos:], stops)
		if n < 0 {
			l.pos = len(l.src)
			l.Fail("unfinished string", EOS)
		}
		l.pos += n
		switch l.src[l.pos] {
		case quote:
			l.pos++
			if len(l.buf) == 0 {
				return l.src[l.start+1 : l.pos-1]
			}
			l.buf = append(l.buf, l.src[from:l.pos]...)
			return string(l.buf[1 : len(l.buf)-1])
		case '\\':
			l.buf = append(l.buf, l.src[from:l.pos]...)
			l.pos++
			l.escape()
			from = l.pos
		default:
			if len(l.buf) > 0 {
				l.buf = append(l.buf, l.src[from:l.pos]...)
			}
			l.Fail("unfinished string", String)
		}
	}
}

func (l *Lexer) escape() {
	c := l.cur()
	switch {
	case c == eof: // the string has no end; the next iteration fails
	case isNewline(c):
		l.buf = append(l.buf, '\n')
		l.newline()
	case isDigit(c):
		n := 0
		for i := 0; i < 3 && isDigit(l.cur()); i++ {
			n = n*10 + l.cur() - '0'
			l.pos++
		}
		if n > 255 {
			l.Fail("escape sequence too large", String)
		}
		l.buf = append(l.buf, byte(n))
	default:
		if i := strings.IndexByte("abfnrtv", byte(c)); i >= 0 {
			l.buf = append(l.buf, "\a\b\f\n\r\t\v"[i])
			l.pos++
			return
		}
		l.buf = append(l.buf, byte(c))
		l.pos++
	}
}
