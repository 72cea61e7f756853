package datastore

import (
	"hash/maphash"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// textCache holds short strings that were read from listpacks, so that a field or member that is
// read often is not allocated each time. Each slot holds one string.
type textCache [1 << 10]string

// maxCachedText is the length in bytes of the longest string that is cached.
const maxCachedText = 40

// text returns the entry at p of lp as a string, which does not share memory with lp.
func (s *Store) text(lp listpack.List, p int) string {
	b, n, isInt := lp.Get(p)
	switch {
	case isInt:
		return FormatInt(n)
	case len(b) < 2 || len(b) > maxCachedText:
		return string(b)
	case s.texts == nil:
		s.texts = new(textCache)
	}
	slot := &s.texts[maphash.Bytes(s.seed, b)%uint64(len(s.texts))]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot
}
