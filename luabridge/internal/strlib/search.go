package strlib

import (
	"strings"
)

// lead is what is known about the first byte of every match of a pattern.
type lead uint8

const (
	leadUnknown lead = iota // not examined yet
	leadAny                 // nothing; there may be no first byte
	leadByte
	leadSet
)

// search finds the first match that begins at s or later.
func (m *matcher) search(s int) (start, end int, ok bool) {
	if m.plain {
		m.level = 0
		i := strings.Index(m.src[s:], m.pat)
		if i < 0 {
			return 0, 0, false
		}
		m.spend(i>>6 + 1)
		return s + i, s + i + len(m.pat), true
	}
	if m.lead == leadUnknown {
		m.lead = m.findLead()
	}
	for ; s <= len(m.src); s++ {
		switch m.lead {
		case leadByte:
			i := strings.IndexByte(m.src[s:], m.first)
			if i < 0 {
				return 0, 0, false
			}
			s += i
		case leadSet:
			from := s
			for s < len(m.src) && !m.firstOf.has(m.src[s]) {
				s++
			}
			if s == len(m.src) {
				return 0, 0, false
			}
			m.spend((s - from) >> 3)
		}
		if e := m.at(s); e >= 0 {
			return s, e, true
		}
	}
	return 0, 0, false
}

// findLead examines the first item of the pattern, also within captures. An error in this item does
// not depend on the start of the search, so findLead may raise it.
func (m *matcher) findLead() lead {
	p := 0
	for p < len(m.pat) && p < maxCaptures && m.pat[p] == '(' {
		p++
	}
	rest := m.pat[p:]
	if rest == "" || rest[0] == '(' || rest[0] == ')' || rest == "$" {
		return leadAny
	}
	if rest[0] == '%' && len(rest) > 1 && (rest[1] == 'b' || rest[1] == 'f' || rest[1]-'0' < 10) {
		return leadAny
	}
	next := m.itemEnd(p)
	if next < len(m.pat) {
		switch m.pat[next] {
		case '*', '-', '?':
			return leadAny
		}
	}
	switch rest[0] {
	case '.':
		return leadAny
	case '%':
		m.firstOf = classSets[rest[1]]
	case '[':
		m.firstOf = *m.set(p, next)
	default:
		m.first = rest[0]
		return leadByte
	}
	return leadSet
}
