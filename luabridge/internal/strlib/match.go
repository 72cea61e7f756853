package strlib

import (
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
)

const (
	maxCaptures = 32
	maxDepth    = 150000 // limit of nested attempts; the real server crashes somewhere above
	checkEvery  = 4096   // steps between two checks of the budget
	keptSets    = 4      // number of sets of a pattern that are kept; a power of 2
)

// capture is a part of the subject that a pair of parentheses has captured.
type capture struct {
	start int
	size  int // bytes, or one of the marks below
}

const (
	open     = -1 // the closing parenthesis has not been met
	location = -2 // (): the position itself
)

// matcher matches a pattern against a subject. It is reused: begin must come before each search,
// because a function that was called since may have used it.
type matcher struct {
	lib      *Library
	L        *lua.LState
	src, pat string // pat ends at its first zero byte
	plain    bool   // pat is plain text
	left     int    // steps until the next check
	depth    int
	captures [maxCaptures]capture
	level    int // captures in use

	lead    lead
	first   byte    // with leadByte
	firstOf byteSet // with leadSet

	sets  [keptSets]byteSet
	setAt [keptSets]int // where in pat the [ of each set is; 0 for none, else the index + 1
}

// begin starts with a subject and a pattern that ends at its first zero byte.
func (m *matcher) begin(L *lua.LState, src, pat string) {
	m.L, m.src = L, src
	if pat != m.pat {
		m.learn(pat)
	}
}

//go:noinline
func (m *matcher) learn(pat string) {
	m.pat, m.plain = pat, !hasSpecial(pat) && strings.IndexByte(pat, ')') < 0
	clear(m.setAt[:])
	m.lead = leadUnknown
}

// end drops the subject.
func (m *matcher) end() { m.L, m.src = nil, "" }

func hasSpecial(pat string) bool {
	for i := range len(pat) {
		if special.has(pat[i]) {
			return true
		}
	}
	return false
}

// cutZero returns s up to its first zero byte.
func cutZero(s string) string {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return s[:i]
	}
	return s
}

func (m *matcher) fail(message string) {
	L := m.L
	m.end()
	m.lib.Error(L, "%s", message)
}

// spend counts n steps.
func (m *matcher) spend(n int) {
	if m.left -= n; m.left < 0 {
		m.look()
	}
}

//go:noinline
func (m *matcher) look() {
	m.left = checkEvery
	m.lib.Budget.Work(m.L, checkEvery)
}

// at matches the whole pattern at s and returns where the match ends, or -1.
func (m *matcher) at(s int) int {
	m.level, m.depth = 0, 0
	return m.match(s, 0)
}

// nested is match for an attempt after which the caller continues.
func (m *matcher) nested(s, p int) int {
	if m.depth++; m.depth > maxDepth {
		m.fail("pattern too complex")
	}
	e := m.match(s, p)
	m.depth--
	return e
}

// match matches the pattern from p on with the subject at s. It returns the end of the match, or
// -1.
func (m *matcher) match(s, p int) int {
	m.spend(1)
	pat := m.pat
	for p < len(pat) {
		m.left-- // the next attempt checks it
		switch pat[p] {
		case '(':
			if p+1 < len(pat) && pat[p+1] == ')' {
				return m.capture(s, p+2, location)
			}
			return m.capture(s, p+1, open)
		case ')':
			return m.closeCapture(s, p+1)
		case '$':
			if p+1 == len(pat) {
				if s == len(m.src) {
					return s
				}
				return -1
			}
		case '%':
			if p+1 == len(pat) {
				break
			}
			switch c := pat[p+1]; {
			case c == 'b':
				if s = m.balanced(s, p+2); s < 0 {
					return -1
				}
				p += 4
				continue
			case c == 'f':
				if p = m.frontier(s, p+2); p < 0 {
					return -1
				}
				continue
			case c-'0' < 10:
				if s = m.again(s, c); s < 0 {
					return -1
				}
				p += 2
				continue
			}
		}
		next := m.itemEnd(p)
		suffix := byte(0)
		if next < len(pat) {
			suffix = pat[next]
		}
		switch suffix {
		case '*':
			return m.greedy(s, p, next, 0)
		case '+':
			return m.greedy(s, p, next, 1)
		case '-':
			return m.lazy(s, p, next)
		case '?':
			if s < len(m.src) && m.one(m.src[s], p, next) {
				if e := m.nested(s+1, next+1); e >= 0 {
					return e
				}
			}
			p = next + 1
		default:
			if s >= len(m.src) || !m.one(m.src[s], p, next) {
				return -1
			}
			s++
			p = next
		}
	}
	return s
}

// longSet is the length in bytes from which a set of a pattern costs steps wherever the pattern is
// tried, because its end is searched there.
const longSet = 64

// itemEnd returns the index after the single-byte item at p: a byte, an escape or a set.
func (m *matcher) itemEnd(p int) int {
	pat := m.pat
	switch pat[p] {
	case '%':
		if p+1 == len(pat) {
			m.fail("malformed pattern (ends with '%')")
		}
		return p + 2
	case '[':
		start := p
		p++
		if p < len(pat) && pat[p] == '^' {
			p++
		}
		for first := true; ; first = false {
			switch {
			case p >= len(pat):
				m.fail("malformed pattern (missing ']')")
			case pat[p] == ']' && !first:
				if n := p - start; n > longSet {
					m.spend(n >> 3)
				}
				return p + 1
			case pat[p] == '%' && p+1 < len(pat):
				p++
			}
			p++
		}
	}
	return p + 1
}

// one reports whether the item from p to next matches the byte c.
func (m *matcher) one(c byte, p, next int) bool {
	switch m.pat[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pat[p+1])
	case '[':
		return m.set(p, next).has(c)
	}
	return m.pat[p] == c
}

// set is the set from p to next.
func (m *matcher) set(p, next int) *byteSet {
	i := p & (keptSets - 1)
	if m.setAt[i] != p+1 {
		m.sets[i], m.setAt[i] = readSet(m.pat, p, next-1), p+1
	}
	return &m.sets[i]
}

// run counts the bytes from s on that the item from p to next matches.
func (m *matcher) run(s, p, next int) int {
	rest := m.src[s:]
	n := 0
	switch c := m.pat[p]; c {
	case '.':
		return len(rest)
	case '%':
		set := &classSets[m.pat[p+1]]
		for n < len(rest) && set.has(rest[n]) {
			n++
		}
	case '[':
		set := m.set(p, next)
		for n < len(rest) && set.has(rest[n]) {
			n++
		}
	default:
		for n < len(rest) && rest[n] == c {
			n++
		}
	}
	return n
}

// greedy matches the item from p to next as often as possible, at least least times, and then the
// rest of the pattern.
func (m *matcher) greedy(s, p, next, least int) int {
	n := m.run(s, p, next)
	m.spend(n >> 3)
	if next+1 == len(m.pat) { // nothing is left to match
		if n < least {
			return -1
		}
		return s + n
	}
	for ; n >= least; n-- {
		if e := m.nested(s+n, next+1); e >= 0 {
			return e
		}
	}
	return -1
}

// lazy is greedy with as few items as possible.
func (m *matcher) lazy(s, p, next int) int {
	for {
		if e := m.nested(s, next+1); e >= 0 {
			return e
		}
		if s >= len(m.src) || !m.one(m.src[s], p, next) {
			return -1
		}
		s++
	}
}

// capture opens a capture at s and matches the rest of the pattern.
func (m *matcher) capture(s, p, size int) int {
	if m.level == maxCaptures {
		m.fail("too many captures")
	}
	m.captures[m.level] = capture{s, size}
	m.level++
	e := m.nested(s, p)
	if e < 0 {
		m.level--
	}
	return e
}

// closeCapture closes the innermost open capture at s and matches the rest of the pattern.
func (m *matcher) closeCapture(s, p int) int {
	i := m.level - 1
	for i >= 0 && m.captures[i].size != open {
		i--
	}
	if i < 0 {
		m.fail("invalid pattern capture")
	}
	m.captures[i].size = s - m.captures[i].start
	e := m.nested(s, p)
	if e < 0 {
		m.captures[i].size = open
	}
	return e
}

// balanced matches %b. Its two bytes are at p.
func (m *matcher) balanced(s, p int) int {
	if p+1 >= len(m.pat) {
		m.fail("unbalanced pattern")
	}
	if s >= len(m.src) || m.src[s] != m.pat[p] {
		return -1
	}
	opening, closing, depth := m.pat[p], m.pat[p+1], 1
	for i := s + 1; i < len(m.src); i++ {
		switch m.src[i] { // if both are the same, it closes
		case closing:
			if depth--; depth == 0 {
				m.spend((i - s) >> 3)
				return i + 1
			}
		case opening:
			depth++
		}
	}
	m.spend((len(m.src) - s) >> 3)
	return -1
}

// frontier matches %f. Its set is at p. It returns the index after the set, or -1.
func (m *matcher) frontier(s, p int) int {
	if p >= len(m.pat) || m.pat[p] != '[' {
		m.fail("missing '[' after '%f' in pattern")
	}
	next := m.itemEnd(p)
	var before, after byte // beyond both ends there are zeros
	if s > 0 {
		before = m.src[s-1]
	}
	if s < len(m.src) {
		after = m.src[s]
	}
	if set := m.set(p, next); set.has(before) || !set.has(after) {
		return -1
	}
	return next
}

// again matches the text of a capture, which a digit names.
func (m *matcher) again(s int, digit byte) int {
	i := int(digit) - '1'
	if i < 0 || i >= m.level || m.captures[i].size == open {
		m.fail("invalid capture index")
	}
	c := m.captures[i]
	if c.size == location || !strings.HasPrefix(m.src[s:], m.src[c.start:c.start+c.size]) {
		return -1
	}
	m.spend(c.size >> 6)
	return s + c.size
}

// value returns capture i of a match from s to e. Without captures, capture 0 is the whole match.
func (m *matcher) value(i, s, e int) lua.LValue {
	if i >= m.level {
		if i != 0 {
			m.fail("invalid capture index")
		}
		return m.lib.piece(m.L, m.src, m.src[s:e])
	}
	switch c := m.captures[i]; c.size {
	case open:
		m.fail("unfinished capture")
		return lua.LNil
	case location:
		return boxes.Int(c.start + 1)
	default:
		return m.lib.piece(m.L, m.src, m.src[c.start:c.start+c.size])
	}
}

// push pushes the captures of a match from s to e. Without captures it pushes the whole match.
func (m *matcher) push(s, e int) int {
	if m.level == 0 {
		m.L.Push(m.lib.piece(m.L, m.src, m.src[s:e]))
		return 1
	}
	for i := range m.level {
		m.L.Push(m.value(i, s, e))
	}
	return m.level
}

// longest is the largest number of bytes that [matcher.appendValue] appends.
func (m *matcher) longest(i, s, e int) int {
	const number = 32
	if i < m.level {
		return max(m.captures[i].size, number)
	}
	return max(e-s, number)
}

// appendValue appends the text of a capture to b.
func (m *matcher) appendValue(b []byte, i, s, e int) []byte {
	if i < m.level && m.captures[i].size >= 0 {
		c := m.captures[i]
		return append(b, m.src[c.start:c.start+c.size]...)
	}
	switch v := m.value(i, s, e).(type) {
	case lua.LString:
		return append(b, v...)
	case lua.LNumber:
		return numbers.Append(b, float64(v), 14)
	}
	return b
}
