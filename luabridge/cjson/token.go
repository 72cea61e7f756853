package cjson

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
)

type tokenKind uint8

const (
	tokenError tokenKind = iota // text is the error
	tokenEnd
	tokenObject
	tokenObjectEnd
	tokenArray
	tokenArrayEnd
	tokenString // text
	tokenNumber // number
	tokenTrue
	tokenFalse
	tokenNull
	tokenColon
	tokenComma
)

// tokenNames are the names of tokens in error texts.
var tokenNames = [...]string{"", "T_END", "T_OBJ_BEGIN", "T_OBJ_END", "T_ARR_BEGIN", "T_ARR_END", "T_STRING", "T_NUMBER",
	"T_BOOLEAN", "T_BOOLEAN", "T_NULL", "T_COLON", "T_COMMA"}

type token struct {
	kind   tokenKind
	at     int // its beginning; of an error, the place where it was noticed
	text   string
	number float64
}

// peek returns the byte n places ahead, or 0 past the end. A NUL byte ends the text too.
func (c *Codec) peek(n int) byte {
	if i := c.pos + n; i < len(c.src) {
		return c.src[i]
	}
	return 0
}

func (c *Codec) next() token {
	for c.pos < len(c.src) {
		if b := c.src[c.pos]; b != ' ' && b != '\t' && b != '\n' && b != '\r' {
			break
		}
		c.pos++
	}
	t := token{at: c.pos}
	b := c.peek(0)
	switch b {
	case 0:
		t.kind = tokenEnd
		return t
	case '{':
		t.kind = tokenObject
	case '}':
		t.kind = tokenObjectEnd
	case '[':
		t.kind = tokenArray
	case ']':
		t.kind = tokenArrayEnd
	case ':':
		t.kind = tokenColon
	case ',':
		t.kind = tokenComma
	case '"':
		c.pos++
		c.stringToken(&t)
		return t
	default:
		c.wordToken(&t, b)
		return t
	}
	c.pos++
	return t
}

func (c *Codec) wordToken(t *token, b byte) {
	rest := c.src[c.pos:]
	switch {
	case b == '-' || b >= '0' && b <= '9':
		if !c.decodeInvalid && invalidNumber(rest) {
			c.bad(t, "invalid number")
			return
		}
		c.numberToken(t, rest)
	case strings.HasPrefix(rest, "true"):
		t.kind = tokenTrue
		c.pos += 4
	case strings.HasPrefix(rest, "false"):
		t.kind = tokenFalse
		c.pos += 5
	case strings.HasPrefix(rest, "null"):
		t.kind = tokenNull
		c.pos += 4
	case b == '+' && c.decodeInvalid, strings.IndexByte("+iInN", b) >= 0 && c.decodeInvalid && invalidNumber(rest):
		c.numberToken(t, rest)
	default:
		c.bad(t, "invalid token")
	}
}

func (c *Codec) bad(t *token, problem string) {
	*t = token{kind: tokenError, at: c.pos, text: problem}
}

// delimiters are the bytes that may follow a number that plainNumber reads.
var delimiters = [256]bool{',': true, '}': true, ']': true, ' ': true, '\n': true, '\r': true, '\t': true}

// powers are the powers of ten up to the number of digits that plainNumber reads.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// plainNumber reads a number of at most 15 digits, with or without a fraction. It reads nothing if
// the number is another one. The digits and the power of ten are exact as floats, so their quotient
// is rounded once, as strtod's result is.
func (c *Codec) plainNumber() (f float64, ok bool) {
	src, i := c.src, c.pos
	negative := src[i] == '-'
	if negative {
		i++
	}
	n, digits, fraction := int64(0), 0, 0
	first := i
	for i < len(src) && src[i]-'0' <= 9 {
		n = n*10 + int64(src[i]-'0')
		i++
		if digits++; digits >= len(powers) {
			return 0, false
		}
	}
	if digits == 0 || src[first] == '0' && digits > 1 {
		return 0, false
	}
	if i < len(src) && src[i] == '.' {
		i++
		for i < len(src) && src[i]-'0' <= 9 {
			n = n*10 + int64(src[i]-'0')
			i++
			fraction++
			if digits++; digits >= len(powers) {
				return 0, false
			}
		}
		if fraction == 0 {
			return 0, false
		}
	}
	if i >= len(src) || !delimiters[src[i]] {
		return 0, false
	}
	c.pos = i
	f = float64(n)
	if fraction > 0 {
		f /= powers[fraction]
	}
	if negative {
		f = -f
	}
	return f, true
}

func (c *Codec) numberToken(t *token, rest string) {
	f, size := numbers.Prefix(rest)
	if size == 0 {
		c.bad(t, "invalid number")
		return
	}
	t.kind, t.number = tokenNumber, f
	c.pos += size
}

// invalidNumber recognizes numbers that strtod reads but JSON does not have: hexadecimal ones,
// leading zeros, infinities, nan.
func invalidNumber(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	if s == "" {
		return false
	}
	if s[0] == '0' {
		return len(s) > 1 && (s[1]|0x20 == 'x' || s[1] >= '0' && s[1] <= '9')
	}
	if s[0] <= '9' || len(s) < 3 {
		return false
	}
	return strings.EqualFold(s[:3], "inf") || strings.EqualFold(s[:3], "nan")
}

// plainString reads a string without escapes whose opening quote comes next. It reads nothing if
// there is another string.
func (c *Codec) plainString() (s string, ok bool) {
	src, start := c.src, c.pos+1
	for i := start; i < len(src); i++ {
		switch src[i] {
		case '"':
			c.pos = i + 1
			return src[start:i], true
		case '\\', 0:
			return "", false
		}
	}
	return "", false
}

// own returns s, a part of the source. It copies s if the source is long.
func (c *Codec) own(s string) string {
	if len(c.src) <= chunk {
		return s
	}
	return c.keep(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// keep returns a copy of b as a string.
func (c *Codec) keep(b []byte) string {
	if len(b) > heldValue {
		c.Host.Budget.Work(c.state, len(b)>>8)
		c.Host.Budget.Hold(c.state, len(b))
	}
	return c.strings.text(b)
}

// stringToken reads a string after its opening quote.
func (c *Codec) stringToken(t *token) {
	b, src := c.buf[:0], c.src
	from := c.pos // the bytes from here to i are not in b yet
	problem := "unexpected end of string"
	i := from
	for i < len(src) && src[i] != 0 {
		if src[i] != '"' && src[i] != '\\' {
			i++
			continue
		}
		if !c.room(len(b) + i - from) {
			return
		}
		b = append(b, src[from:i]...)
		if src[i] == '"' {
			t.kind, t.text = tokenString, c.keep(b)
			c.pos, c.buf = i+1, b
			return
		}
		c.pos = i
		if c.peek(1) == 'u' {
			r, size := c.unicode()
			if size == 0 {
				problem = "invalid unicode escape code"
				break
			}
			b = utf8.AppendRune(b, r)
			i += size
		} else {
			ch := unescape(c.peek(1))
			if ch == 0 {
				problem = "invalid escape code"
				break
			}
			b = append(b, ch)
			i += 2
		}
		from = i
	}
	c.pos, c.buf = i, b
	c.bad(t, problem)
}

func unescape(b byte) byte {
	switch b {
	case '"', '\\', '/':
		return b
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return 0
}

// unicode reads a \u escape at the current position, of two halves if it is a surrogate.
func (c *Codec) unicode() (r rune, size int) {
	r, ok := c.hex4(2)
	if !ok {
		return 0, 0
	}
	if r&0xf800 != 0xd800 {
		return r, 6
	}
	if r&0x400 != 0 || c.peek(6) != '\\' || c.peek(7) != 'u' {
		return 0, 0
	}
	low, ok := c.hex4(8)
	if !ok || low&0xfc00 != 0xdc00 {
		return 0, 0
	}
	return (r&0x3ff)<<10 + low&0x3ff + 0x10000, 12
}

func (c *Codec) hex4(at int) (r rune, ok bool) {
	for i := range 4 {
		b := c.peek(at + i)
		switch {
		case b >= '0' && b <= '9':
			b -= '0'
		case b >= 'a' && b <= 'f':
			b -= 'a' - 10
		case b >= 'A' && b <= 'F':
			b -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(b)
	}
	return r, true
}
