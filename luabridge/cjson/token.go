package cjson

import (
	"strings"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/luabridge/internal/numbers"
)

type tokenKind uint8

const (
	tokenError tokenKind = iota // text says what is wrong
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

// tokenNames are the words of the error texts.
var tokenNames = [...]string{"", "T_END", "T_OBJ_BEGIN", "T_OBJ_END", "T_ARR_BEGIN", "T_ARR_END", "T_STRING", "T_NUMBER",
	"T_BOOLEAN", "T_BOOLEAN", "T_NULL", "T_COLON", "T_COMMA"}

type token struct {
	kind   tokenKind
	at     int // where it begins; of an error, where it was noticed
	text   string
	number float64
}

// peek is the byte n places on, 0 past the end (a NUL byte ends the text too).
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

// numberToken reads most numbers itself: integers of up to 15 digits.
func (c *Codec) numberToken(t *token, rest string) {
	n, i := int64(0), 0
	for i < len(rest) && i < 15 && rest[i] >= '0' && rest[i] <= '9' {
		n = n*10 + int64(rest[i]-'0')
		i++
	}
	t.kind = tokenNumber
	if i > 0 && i < len(rest) && i < 15 && strings.IndexByte(",}] \n\r\t", rest[i]) >= 0 {
		t.number = float64(n)
		c.pos += i
		return
	}
	f, size := numbers.Prefix(rest)
	if size == 0 {
		c.bad(t, "invalid number")
		return
	}
	t.number = f
	c.pos += size
}

// invalidNumber recognizes what strtod reads but JSON does not know: hexadecimal, leading zeros, infinities, nan.
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

// stringToken reads a string whose quote is already behind. Without escapes it is a part of the source.
func (c *Codec) stringToken(t *token) {
	start := c.pos
	for i := start; i < len(c.src); i++ {
		switch c.src[i] {
		case '"':
			t.kind, t.text = tokenString, c.src[start:i]
			c.pos = i + 1
			return
		case '\\', 0:
			c.pos = i
			c.escapedString(t, start)
			return
		}
	}
	c.pos = len(c.src)
	c.bad(t, "unexpected end of string")
}

func (c *Codec) escapedString(t *token, start int) {
	b := []byte(c.src[start:c.pos])
	for {
		ch := c.peek(0)
		switch ch {
		case 0:
			c.bad(t, "unexpected end of string")
			return
		case '"':
			c.pos++
			t.kind, t.text = tokenString, string(b)
			return
		case '\\':
			if c.peek(1) == 'u' {
				r, size := c.unicode()
				if size == 0 {
					c.bad(t, "invalid unicode escape code")
					return
				}
				b = utf8.AppendRune(b, r)
				c.pos += size
				continue
			}
			if ch = unescape(c.peek(1)); ch == 0 {
				c.bad(t, "invalid escape code")
				return
			}
			c.pos++
		}
		b = append(b, ch)
		c.pos++
	}
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
