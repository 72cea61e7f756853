package strlib

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
)

const (
	maxFlags = 5   // flags of one directive
	rawText  = 100 // bytes; a %s without precision takes longer strings as they are

	longestItem = 512 // largest output of one directive that is not a string, bytes
)

// directive is a % of a format and what follows it.
type directive struct {
	minus, plus, space, alt, zero bool

	width int
	prec  int // -1: none
	verb  byte
}

func (m *Library) format(L *lua.LState) int {
	f := m.Text(L, 1)
	n, top := 1, L.GetTop()
	held := m.Budget.Held()
	text := m.Budget.Text()
	b := m.take()
	for i := 0; i < len(f); {
		next := strings.IndexByte(f[i:], '%')
		if next < 0 {
			m.bound(L, &text, len(b)+len(f)-i)
			b = append(b, f[i:]...)
			break
		}
		m.Budget.Work(L, 1+next>>bytesPerStep)
		m.bound(L, &text, len(b)+next+longestItem)
		b = append(b, f[i:i+next]...)
		i += next + 1
		if i < len(f) && f[i] == '%' {
			b = append(b, '%')
			i++
			continue
		}
		if n++; n > top {
			return m.Bad(L, n, "no value")
		}
		var d directive
		d, i = m.directive(L, f, i)
		b = m.put(L, b, &text, &d, n)
	}
	L.Push(m.give(b))
	m.Budget.Release(held)
	return 1
}

// directive reads the directive after the % before i and returns its end.
func (m *Library) directive(L *lua.LState, f string, i int) (directive, int) {
	d := directive{prec: -1}
	flags := i
	for ; i < len(f) && d.flag(f[i]); i++ {
	}
	if i-flags > maxFlags {
		m.Error(L, "invalid format (repeated flags)")
	}
	d.width, i = twoDigits(f, i)
	if i < len(f) && f[i] == '.' {
		d.prec, i = twoDigits(f, i+1)
	}
	if i < len(f) && f[i]-'0' < 10 {
		m.Error(L, "invalid format (width or precision too long)")
	}
	if i < len(f) {
		d.verb = f[i]
		i++
	}
	return d, i
}

func (d *directive) flag(c byte) bool {
	switch c {
	case '-':
		d.minus = true
	case '+':
		d.plus = true
	case ' ':
		d.space = true
	case '#':
		d.alt = true
	case '0':
		d.zero = true
	default:
		return false
	}
	return true
}

func twoDigits(f string, i int) (n, end int) {
	for end = i; end < len(f) && end < i+2 && f[end]-'0' < 10; end++ {
		n = n*10 + int(f[end]-'0')
	}
	return n, end
}

// put appends argument n to b as d specifies.
func (m *Library) put(L *lua.LState, b []byte, made *budget.Text, d *directive, n int) []byte {
	switch d.verb {
	case 'd', 'i':
		return d.signed(b, args.Int64(m.Number(L, n)))
	case 'u', 'o', 'x', 'X':
		return d.unsigned(b, args.Uint64(m.Number(L, n)))
	case 'e', 'E', 'f', 'g', 'G':
		return d.float(b, m.Number(L, n))
	case 'c':
		return d.char(b, byteOf(m.Number(L, n)))
	case 's':
		s := m.Text(L, n)
		m.bound(L, made, len(b)+len(s)+longestItem)
		return d.text(b, s)
	case 'q':
		s := m.Text(L, n)
		return m.quote(L, b, made, s)
	case 0: // ends the message's text
		m.Error(L, "invalid option '%%' to 'format'")
	default:
		m.Error(L, "invalid option '%%%s' to 'format'", string([]byte{d.verb}))
	}
	return b
}

// byteOf converts to int and then to a character as C does. A number that does not fit an int
// becomes the smallest one.
func byteOf(f float64) byte {
	if i := args.Int64(f); i == int64(int32(i)) {
		return byte(i)
	}
	return 0
}

// char is %c. As in C, a zero byte ends the text of the item.
func (d *directive) char(b []byte, c byte) []byte {
	switch {
	case c != 0:
		return d.pad(b, string([]byte{c}))
	case d.minus || d.width == 0:
		return b
	}
	return appendFill(b, ' ', d.width-1)
}

// text is %s.
func (d *directive) text(b []byte, s string) []byte {
	if d.prec < 0 && len(s) >= rawText {
		return append(b, s...)
	}
	s = cutZero(s)
	if d.prec >= 0 && len(s) > d.prec {
		s = s[:d.prec]
	}
	return d.pad(b, s)
}

// pad appends s with spaces up to the width.
func (d *directive) pad(b []byte, s string) []byte {
	if d.minus {
		return appendFill(append(b, s...), ' ', d.width-len(s))
	}
	return append(appendFill(b, ' ', d.width-len(s)), s...)
}

func appendFill(b []byte, c byte, n int) []byte {
	for ; n > 0; n-- {
		b = append(b, c)
	}
	return b
}

// quote is %q: a string that Lua's parser reads back.
func (m *Library) quote(L *lua.LState, b []byte, made *budget.Text, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		m.bound(L, made, len(b)+longestItem)
		switch c := s[i]; c {
		case '"', '\\', '\n':
			b = append(b, '\\', c)
		case '\r':
			b = append(b, `\r`...)
		case 0:
			b = append(b, `\000`...)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
