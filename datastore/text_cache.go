package datastore

import (
	"hash/maphash"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// textCache keeps short texts that were read from listpacks, so that fields and members that are read again and again
// are not copied each time. It holds at most one text in each slot.
type textCache [1 << 10]string

// maxCachedText is the longest text, in bytes, that is kept.
const maxCachedText = 40

// text is the text of the entry at p of lp. It stays as it is, whatever happens to the list.
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
