package syntax

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/numbers"
)

// kind is a token's kind: a byte for those of one character, else one of these.
type kind int

const (
	tkAnd kind = iota + 257
	tkBreak
	tkDo
	tkElse
	tkElseif
	tkEnd
	tkFalse
	tkFor
	tkFunction
	tkIf
	tkIn
	tkLocal
	tkNil
	tkNot
	tkOr
	tkRepeat
	tkReturn
	tkThen
	tkTrue
	tkUntil
	tkWhile
	tkConcat
	tkDots
	tkEq
	tkGe
	tkLe
	tkNe
	tkNumber
	tkName
	tkString
	tkEOS
)

var kindNames = [...]string{"and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in",
	"local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
	"..", "...", "==", ">=", "<=", "~=", "<number>", "<name>", "<string>", "<eof>"}

var reserved = func() map[string]kind {
	m := map[string]kind{}
	for i, name := range kindNames[:tkWhile-tkAnd+1] {
		m[name] = tkAnd + kind(i)
	}
	return m
}()

func (k kind) String() string {
	switch {
	case k >= tkAnd:
		return kindNames[k-tkAnd]
	case k < 32 || k == 127:
		return fmt.Sprintf("char(%d)", int(k))
	}
	return string([]byte{byte(k)})
}

type token struct {
	kind   kind
	text   string // a name; the value of a string
	number float64
}

// lexer cuts the source into tokens.
type lexer struct {
	src  string
	pos  int
	name string // of the chunk, for errors
	line int    // of the byte at pos
	last int    // line of the token before the current one
	buf  []byte // the text of the token read last, as errors quote it

	tok   token // the current one
	ahead token // the one after, when seen is set
	seen  bool
}

// end is what cur gives past the source.
const end = -1

func (l *lexer) cur() int {
	if l.pos < len(l.src) {
		return int(l.src[l.pos])
	}
	return end
}

func (l *lexer) save() {
	l.buf = append(l.buf, l.src[l.pos])
	l.pos++
}

// Error is a syntax error; its text begins with chunk name and line.
type Error struct {
	Text string
	More bool // the text ended at the mistake: with more of it, it could be another, or none
}

// Error implements error.
func (e *Error) Error() string { return e.Text }

// fail ends the parse. near says which token the message names: 0 for none.
func (l *lexer) fail(message string, near kind) {
	text := fmt.Sprintf("%s:%d: %s", l.name, l.line, message)
	if near != 0 {
		text += fmt.Sprintf(" near '%s'", l.quote(near))
	}
	panic(&Error{Text: text})
}

func (l *lexer) quote(k kind) string {
	switch k {
	case tkName, tkString, tkNumber:
		s, _, _ := strings.Cut(string(l.buf), "\x00")
		return s
	}
	return k.String()
}

func (l *lexer) syntaxError(message string) { l.fail(message, l.tok.kind) }

func (l *lexer) next() {
	l.last = l.line
	if l.seen {
		l.tok, l.seen = l.ahead, false
		return
	}
	l.tok = l.scan()
}

func (l *lexer) lookahead() kind {
	l.ahead, l.seen = l.scan(), true
	return l.ahead.kind
}

func isNewline(c int) bool { return c == '\n' || c == '\r' }
func isDigit(c int) bool   { return c >= '0' && c <= '9' }
func isSpace(c int) bool   { return c == ' ' || c >= '\t' && c <= '\r' }
func isAlpha(c int) bool   { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// newline skips a line break of one or two bytes.
func (l *lexer) newline() {
	first := l.cur()
	l.pos++
	if c := l.cur(); isNewline(c) && c != first {
		l.pos++
	}
	l.line++
}

func (l *lexer) scan() token {
	l.buf = l.buf[:0]
	for {
		c := l.cur()
		switch {
		case c == end:
			return token{kind: tkEOS}
		case isNewline(c):
			l.newline()
		case isSpace(c):
			l.pos++
		case c == '-':
			l.pos++
			if l.cur() != '-' {
				return token{kind: '-'}
			}
			l.pos++
			l.comment()
		default:
			return l.scanToken(c)
		}
	}
}

func (l *lexer) comment() {
	if l.cur() == '[' {
		if level := l.brackets(); level >= 0 {
			l.longString(level, false)
			l.buf = l.buf[:0]
			return
		}
		l.buf = l.buf[:0]
	}
	for c := l.cur(); c != end && !isNewline(c); c = l.cur() {
		l.pos++
	}
}

func (l *lexer) scanToken(c int) token {
	switch c {
	case '[':
		level := l.brackets()
		if level >= 0 {
			return token{kind: tkString, text: l.longString(level, true)}
		}
		if level != -1 {
			l.fail("invalid long string delimiter", tkString)
		}
		return token{kind: '['}
	case '=':
		return l.pair('=', tkEq)
	case '<':
		return l.pair('<', tkLe)
	case '>':
		return l.pair('>', tkGe)
	case '~':
		return l.pair('~', tkNe)
	case '"', '\'':
		return token{kind: tkString, text: l.quoted(c)}
	case '.':
		l.save()
		if l.next1(".") {
			if l.next1(".") {
				return token{kind: tkDots}
			}
			return token{kind: tkConcat}
		}
		if !isDigit(l.cur()) {
			return token{kind: '.'}
		}
		return l.numeral()
	}
	if isDigit(c) {
		return l.numeral()
	}
	if !isAlpha(c) {
		l.pos++
		return token{kind: kind(c)}
	}
	for c := l.cur(); isAlpha(c) || isDigit(c); c = l.cur() {
		l.save()
	}
	name := string(l.buf)
	if k, ok := reserved[name]; ok {
		return token{kind: k}
	}
	return token{kind: tkName, text: name}
}

// pair is a token of one character, or of that and an equals sign.
func (l *lexer) pair(one, two kind) token {
	l.pos++
	if l.cur() == '=' {
		l.pos++
		return token{kind: two}
	}
	return token{kind: one}
}

// next1 skips a byte that is one of a set, or NUL: Lua looks it up with strchr, which finds the NUL at
// the end of the set.
func (l *lexer) next1(set string) bool {
	c := l.cur()
	if c != 0 && (c == end || strings.IndexByte(set, byte(c)) < 0) {
		return false
	}
	l.save()
	return true
}

func (l *lexer) numeral() token {
	for c := l.cur(); isDigit(c) || c == '.'; c = l.cur() {
		l.save()
	}
	if l.next1("Ee") {
		l.next1("+-")
	}
	for c := l.cur(); isAlpha(c) || isDigit(c); c = l.cur() {
		l.save()
	}
	text, _, _ := strings.Cut(string(l.buf), "\x00")
	f, ok := numbers.Parse(text)
	if !ok {
		l.fail("malformed number", tkNumber)
	}
	return token{kind: tkNumber, number: f}
}

// brackets reads what may open or close a long string and returns how many equals signs it has; below 0
// when it is none (-1: a lone bracket).
func (l *lexer) brackets() int {
	bracket, n := l.cur(), 0
	l.save()
	for l.cur() == '=' {
		l.save()
		n++
	}
	if l.cur() == bracket {
		return n
	}
	return -n - 1
}

func (l *lexer) longString(level int, keep bool) string {
	l.save()
	if isNewline(l.cur()) {
		l.newline()
	}
	from := len(l.buf)
	for {
		switch c := l.cur(); {
		case c == end && keep:
			l.fail("unfinished long string", tkEOS)
		case c == end:
			l.fail("unfinished long comment", tkEOS)
		case c == ']':
			if l.brackets() == level {
				l.save()
				return string(l.buf[from : len(l.buf)-level-2])
			}
		case isNewline(c):
			l.buf = append(l.buf, '\n')
			l.newline()
		default:
			l.save()
		}
		if !keep {
			l.buf, from = l.buf[:0], 0
		}
	}
}

func (l *lexer) quoted(quote int) string {
	l.save()
	for l.cur() != quote {
		switch c := l.cur(); {
		case c == end:
			l.fail("unfinished string", tkEOS)
		case isNewline(c):
			l.fail("unfinished string", tkString)
		case c == '\\':
			l.pos++
			l.escape()
		default:
			l.save()
		}
	}
	l.save()
	return string(l.buf[1 : len(l.buf)-1])
}

func (l *lexer) escape() {
	c := l.cur()
	switch {
	case c == end: // the string has no end: the next round says so
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
			l.fail("escape sequence too large", tkString)
		}
		l.buf = append(l.buf, byte(n))
	default:
		if i := strings.IndexByte("abfnrtv", byte(c)); i >= 0 {
			l.buf = append(l.buf, "\a\b\f\n\r\t\v"[i])
			l.pos++
			return
		}
		l.save()
	}
}
