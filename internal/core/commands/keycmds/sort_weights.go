package keycmds

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// sortElement is one element being sorted, with what it is sorted by.
type sortElement struct {
	text   string
	weight float64
	by     string // with ALPHA
	none   bool   // with ALPHA and BY: there is nothing to sort by
}

// sortLookup is a parsed pattern of BY or GET. The star stands for the element; the result names a
// key or, with an arrow, a field of a hash.
type sortLookup struct {
	self           bool // GET #: the element itself
	star           bool
	prefix, suffix string
	hash           bool
	field          string
}

// newSortLookup parses a pattern. As with C strings, a NUL byte ends the search for star and arrow.
func newSortLookup(pattern string) (l sortLookup) {
	head, _, _ := strings.Cut(pattern, "\x00")
	l.self = head == "#"
	star := strings.IndexByte(head, '*')
	if star < 0 {
		return l
	}
	l.star, l.prefix, l.suffix = true, pattern[:star], pattern[star+1:]
	if arrow := strings.Index(head[star+1:], "->"); arrow >= 0 && star+1+arrow+2 < len(head) {
		l.hash, l.field, l.suffix = true, l.suffix[arrow+2:], l.suffix[:arrow]
	}
	return l
}

// get returns the value that the pattern names for an element.
func (l *sortLookup) get(c *server.Ctx, element string) (text string, ok bool) {
	switch {
	case l.self:
		return element, true
	case !l.star:
		return "", false
	}
	e := c.DB.Lookup(l.prefix + element + l.suffix)
	c.CountLookup(e != nil, l.prefix+element+l.suffix)
	if e == nil {
		return "", false
	}
	switch obj := e.Object().(type) {
	case *datastore.Hash:
		if l.hash {
			return obj.Get(l.field)
		}
	case *datastore.String:
		if !l.hash {
			return obj.Text(), true
		}
	}
	return "", false
}

// weigh looks up the weights of the elements. It returns false when a weight should be a number but
// is not.
func (s *sorting) weigh(c *server.Ctx, elements []sortElement) bool {
	sound := true
	for i := range elements {
		el := &elements[i]
		el.by = el.text
		if s.by != nil {
			var ok bool
			if el.by, ok = s.by.get(c, el.text); !ok {
				el.none = true
				continue
			}
		}
		if !s.alpha {
			var ok bool
			el.weight, ok = parseWeight(c.Server.Follows, el.by)
			sound = sound && ok
		}
	}
	return sound
}

// parseWeight reads a number, which must take the whole C string. The server that is followed
// decides which numbers it takes.
func parseWeight(follows servers.Server, s string) (float64, bool) {
	s, _, _ = strings.Cut(s, "\x00")
	if follows.Has(servers.PlainNumbers) {
		return plainWeight(follows, s)
	}
	return oldWeight(s)
}

// plainWeight reads a number that has no leading space and is not hexadecimal.
func plainWeight(follows servers.Server, s string) (float64, bool) {
	switch {
	case s == "":
		return 0, !follows.Has(servers.PlainFloats)
	case parse.IsSpace(s[0]) || parse.IsHexadecimal(s):
		return 0, false
	case follows.Has(servers.WideWeights):
		return parse.Strtod(s)
	}
	return parse.Float(s)
}

// oldWeight reads a number as C's strtod does, and finds neither overflow nor underflow. The empty
// text is 0.
func oldWeight(s string) (float64, bool) {
	if s == "" {
		return 0, true
	}
	for s != "" && parse.IsSpace(s[0]) {
		s = s[1:]
	}
	f, ok := parse.Float(s)
	if ok && f != 0 && math.Abs(f) < 0x1p-1022 { // not every subnormal number that is read counts as underflow
		exact, valid := new(big.Rat).SetString(s)
		ok = valid && exact.Cmp(new(big.Rat).SetFloat64(f)) == 0
	}
	return f, ok
}

// sort puts the elements into order, at least those from index from to to-1.
func (s *sorting) sort(elements []sortElement, from, to int) {
	compare := s.compareWeights
	if s.alpha {
		compare = s.compareTexts
	}
	if s.desc {
		up := compare
		compare = func(a, b sortElement) int { return -up(a, b) }
	}
	if s.by != nil && (from > 0 || to < len(elements)) {
		SortPart(elements, compare, from, to-1)
	} else {
		slices.SortStableFunc(elements, compare)
	}
}

// compareWeights orders equal weights by the elements' bytes.
func (s *sorting) compareWeights(a, b sortElement) int {
	switch {
	case a.weight > b.weight:
		return 1
	case a.weight < b.weight:
		return -1
	}
	return strings.Compare(a.text, b.text)
}

// compareTexts compares as Redis does in the C locale: up to the first NUL byte if the result is
// returned, by all bytes if it is stored.
func (s *sorting) compareTexts(a, b sortElement) int {
	switch {
	case a.none && b.none:
		return 0
	case a.none:
		return -1
	case b.none:
		return 1
	case s.store:
		return strings.Compare(a.by, b.by)
	}
	x, _, _ := strings.Cut(a.by, "\x00")
	y, _, _ := strings.Cut(b.by, "\x00")
	return strings.Compare(x, y)
}
