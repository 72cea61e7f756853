package datastore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStringEncoding(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "embstr"}, {"0", "int"}, {"-1", "int"}, {"-0", "embstr"}, {"01", "embstr"}, {"+1", "embstr"},
		{"9223372036854775807", "int"}, {"9223372036854775808", "embstr"},
		{"-9223372036854775808", "int"}, {"-9223372036854775809", "embstr"}, {"1.0", "embstr"}, {" 1", "embstr"},
		{strings.Repeat("x", 44), "embstr"}, {strings.Repeat("x", 45), "raw"},
	} {
		s := NewString(c.text)
		assert.Equal(t, c.want, s.Encoding(), "%q", c.text)
		assert.Equal(t, c.text, s.Text())
		assert.Equal(t, len(c.text), s.Len())
		assert.NoError(t, s.check())
	}
}

func TestFormatIntIsParseInt(t *testing.T) {
	for n := int64(-20); n < 20000; n++ {
		require.Equal(t, fmt.Sprint(n), FormatInt(n))
		got, ok := ParseInt(FormatInt(n))
		require.True(t, ok)
		require.Equal(t, n, got)
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() { FormatInt(9999) }))
}

func TestParseIntRefuses(t *testing.T) {
	for _, s := range []string{"", "-", "+1", "-0", "00", "01", " 1", "1 ", "1.0", "1e3", "0x1", "1_0", "a", "1\x00",
		"9223372036854775808", "-9223372036854775809", "99999999999999999999", "123456789012345678901", "--1", "１"} {
		_, ok := ParseInt(s)
		assert.False(t, ok, "%q", s)
	}
}

// stringModel makes random changes to a String and to a plain string. It also keeps every text that
// the String has returned, none of which may ever change.
type stringModel struct {
	st    *Store
	s     *String
	text  string
	lent  []string
	plain []string
}

func (m *stringModel) step(r *rand.Rand) {
	word := strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(30))
	switch r.IntN(12) {
	case 0:
		if r.IntN(4) == 0 {
			m.s.Set(m.st, word)
			m.text = word
		}
	case 1, 2, 3:
		m.s.Append(m.st, word)
		m.text += word
	case 4, 5:
		offset, word := r.IntN(len(m.text)+10), word+"!"
		m.s.SetRange(m.st, offset, word)
		m.text = setRange(m.text, offset, word)
	case 6:
		if r.IntN(4) == 0 {
			n := r.Int64N(20000) - 5000
			m.s.SetInt(m.st, n)
			m.text = fmt.Sprint(n)
		}
	case 7:
		m.hand()
	case 9:
		m.setBits(r, 1)
	case 10:
		m.setBits(r, uint(1+r.IntN(64)))
	case 11:
		n := r.IntN(len(m.text) + 10)
		m.s.Grow(m.st, n)
		m.text += strings.Repeat("\x00", max(0, n-len(m.text)))
	case 8:
		c := m.s.clone().(*String)
		c.Append(m.st, "of the copy")
		c.SetRange(m.st, 0, "copy")
	}
}

// setBits writes width random bits.
func (m *stringModel) setBits(r *rand.Rand, width uint) {
	at, v := r.Int64N(int64(len(m.text))*8+100), r.Uint64()
	if width == 1 {
		m.s.SetBit(m.st, at, int(v&1))
	} else {
		m.s.SetField(m.st, at, width, v)
	}
	b := []byte(m.text)
	for ; width > 0; width-- {
		for int64(len(b)) <= at>>3 {
			b = append(b, 0)
		}
		mask := byte(0x80) >> (at & 7)
		b[at>>3] &^= mask
		if v>>(width-1)&1 == 1 {
			b[at>>3] |= mask
		}
		at++
	}
	m.text = string(b)
}

func setRange(text string, offset int, word string) string {
	b := []byte(text)
	for len(b) < offset+len(word) {
		b = append(b, 0)
	}
	copy(b[offset:], word)
	return string(b)
}

func (m *stringModel) hand() {
	m.lent = append(m.lent, m.s.Text())
	m.plain = append(m.plain, strings.Clone(m.text))
}

func (m *stringModel) verify(t *testing.T) {
	t.Helper()
	require.NoError(t, m.s.check())
	require.Equal(t, len(m.text), m.s.Len())
	if m.s.enc != encInt {
		require.Equal(t, m.text, m.s.text) // not Text, which would set lent
	} else {
		require.Equal(t, m.text, FormatInt(m.s.num))
	}
	require.Equal(t, m.plain, m.lent, "a text that was handed out has changed")
}

func TestStringAgreesWithModel(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		m := &stringModel{st: New(Options{}), s: NewString("start"), text: "start"}
		for range 100 {
			m.step(r)
			m.verify(t)
		}
	}
}

func TestStringRollback(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 6))
		m := &stringModel{st: New(Options{}), s: NewString("start"), text: "start"}
		for range r.IntN(20) {
			m.step(r)
		}
		for range 5 {
			text, encoding := m.text, m.s.Encoding()
			mark := m.st.Begin()
			for range r.IntN(25) {
				m.step(r)
				m.verify(t)
			}
			m.st.Rollback(mark)
			m.text = text
			m.verify(t)
			require.Equal(t, encoding, m.s.Encoding())
			for range r.IntN(10) {
				m.step(r)
				m.verify(t)
			}
		}
	}
}

func TestStringReadsDoNotCopy(t *testing.T) {
	st, s := New(Options{}), NewString("")
	s.Append(st, strings.Repeat("x", 1<<20))
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = s.Text() }))
}

func TestStringSetRangeInPlaceDoesNotAllocate(t *testing.T) {
	st, s := New(Options{}), NewString("")
	s.Append(st, strings.Repeat("x", 1<<16))
	assert.Zero(t, testing.AllocsPerRun(100, func() { s.SetRange(st, 100, "y") }))
}

func TestStringAppendIsAmortised(t *testing.T) {
	st, s := New(Options{}), NewString("")
	allocs := testing.AllocsPerRun(1, func() {
		for range 200_000 {
			s.Append(st, "0123456789")
		}
	})
	assert.Less(t, allocs, 60.0)
}

func TestStringIncrDoesNotAllocate(t *testing.T) {
	st, s := New(Options{}), NewString("1000000")
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		n, _ := s.Int()
		s.SetInt(st, n+1)
	}))
}
