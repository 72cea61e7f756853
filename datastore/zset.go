package datastore

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore/internal/hashtable"
	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
	"github.com/redmoon-lua/redmoon/datastore/internal/ztree"
)

// ZItem is one element of a sorted set.
type ZItem struct {
	Score  float64 // never NaN
	Member string
}

// before is the order of sorted sets: by score, then by the bytes of the members.
func (a ZItem) before(b ZItem) bool { return ztree.Item(a).Before(ztree.Item(b)) }

// ZSet is a sorted set: distinct members, ordered by score and then by their bytes.
//
// Within the zset-max-listpack limits it is a sorted listpack (the compact form); beyond them it
// becomes a Dict from member to score and a tree (the large form), for good.
type ZSet struct {
	st   *Store
	lp   listpack.List            // the compact form: member, score, member, score ...; nil if tree is set
	dict *hashtable.Dict[float64] // nil in the compact form
	tree *ztree.Tree
}

// ZSet returns the sorted set of key, nil if there is no such key. The error is ErrWrongType.
func (db *DB) ZSet(key string) (*ZSet, error) { return object[*ZSet](db, key) }

// ZSetForWrite is ZSet, but puts an empty sorted set under a missing key. The caller must add to
// it, or call DropIfEmpty.
func (db *DB) ZSetForWrite(key string) (*ZSet, error) {
	z, err := db.ZSet(key)
	if z == nil && err == nil {
		both := &struct {
			e Entry
			z ZSet
		}{z: ZSet{st: db.store, lp: listpack.New(16)}} // one allocation
		z = &both.z
		both.e.init(key, z, db.store.LastNow())
		db.put(&both.e)
	}
	return z, err
}

// NewZSet returns a sorted set of items, whose members must be distinct; it belongs to no key yet.
// The encoding is the smallest that the limits allow. The caller must not use items again.
func (s *Store) NewZSet(items []ZItem) *ZSet {
	z := &ZSet{st: s}
	SortZItems(items)
	lim := s.limits
	if len(items) > lim.ZSetMaxListpackEntries ||
		slices.ContainsFunc(items, func(it ZItem) bool { return len(it.Member) > lim.ZSetMaxListpackValue }) {
		z.dict, z.tree = newDict[float64](s), ztree.New()
		for _, it := range items {
			z.insert(it)
		}
		return z
	}
	z.lp = listpack.New(16)
	for _, it := range items {
		z.st.putItem(&z.lp, z.lp.End(), it)
	}
	return z
}

// SortZItems sorts items in the order of sorted sets. Their members must be distinct.
func SortZItems(items []ZItem) {
	slices.SortFunc(items, func(a, b ZItem) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
}

// Type returns TypeZSet.
func (z *ZSet) Type() Type { return TypeZSet }

// Encoding is listpack or skiplist.
func (z *ZSet) Encoding() string {
	if z.Compact() {
		return "listpack"
	}
	return "skiplist"
}

// Compact reports whether the set is in its compact form.
func (z *ZSet) Compact() bool { return z.tree == nil }

// Len is the number of members.
func (z *ZSet) Len() int {
	if z.tree == nil {
		return z.lp.Len() / 2
	}
	return z.tree.Len()
}

// Score returns the score of member.
func (z *ZSet) Score(member string) (score float64, ok bool) {
	_, score, ok = z.Find(member)
	return score, ok
}

// Rank returns the rank of member (0 for the smallest) and its score.
func (z *ZSet) Rank(member string) (rank int, score float64, ok bool) {
	if z.tree == nil {
		p := z.find(member)
		if p == listpack.None {
			return 0, 0, false
		}
		return z.rankOf(p), scoreAt(z.lp, z.lp.Next(p)), true
	}
	if score, ok = z.dict.Get(member); !ok {
		return 0, 0, false
	}
	var p ztree.Path
	z.tree.Locate(ztree.Item{Score: score, Member: member}, &p)
	return z.tree.Rank(&p), score, true
}

// At returns the element with that rank, 0 <= rank < Len.
func (z *ZSet) At(rank int) ZItem {
	if z.tree == nil {
		return z.item(z.lp.Seek(2 * rank))
	}
	var p ztree.Path
	z.tree.Seek(rank, &p)
	return ZItem(p.Item())
}

// Random returns a uniformly chosen element. The set must not be empty.
func (z *ZSet) Random(r *rand.Rand) ZItem {
	if z.tree == nil {
		return z.At(r.IntN(z.Len()))
	}
	member, score := z.dict.Random(r)
	return ZItem{score, member}
}

// Ascend calls f for at most n elements from rank on, in ascending order, until f returns false. f
// must not change the set.
func (z *ZSet) Ascend(rank, n int, f func(ZItem) bool) {
	if z.tree != nil {
		ztree.Ascend(z.tree, rank, n, f)
		return
	}
	z.ascendCompact(rank, n, f)
}

// Descend calls f for at most n elements from rank downwards until f returns false. rank must be
// below Len. f must not change the set.
func (z *ZSet) Descend(rank, n int, f func(ZItem) bool) {
	if z.tree != nil {
		ztree.Descend(z.tree, rank, n, f)
		return
	}
	z.descendCompact(rank, n, f)
}

// Scan calls f for some elements and returns the next cursor, 0 at the end; see [DB.Scan]. In the
// compact form it passes all elements, in order, whatever the cursor.
func (z *ZSet) Scan(cursor uint64, f func(member string, score float64)) uint64 {
	if z.tree != nil {
		return z.dict.Scan(cursor, f)
	}
	z.ascendCompact(0, z.Len(), func(it ZItem) bool { f(it.Member, it.Score); return true })
	return 0
}

func (z *ZSet) clone() Object {
	c := &ZSet{st: z.st}
	if z.tree == nil {
		c.lp = z.lp.Clone()
		return c
	}
	c.dict, c.tree = newDict[float64](z.st), ztree.New()
	z.Ascend(0, z.Len(), func(it ZItem) bool {
		c.dict.Set(it.Member, it.Score)
		c.tree.Insert(ztree.Item(it))
		return true
	})
	return c
}

func (z *ZSet) check() error {
	if z.tree == nil {
		if err := listpack.Validate(z.lp, true); err != nil {
			return err
		}
		return z.checkCompact()
	}
	if z.lp != nil {
		return fmt.Errorf("zset: has both the compact and the large form")
	}
	if z.dict.Len() != z.tree.Len() {
		return fmt.Errorf("zset: %d members, %d in order", z.dict.Len(), z.tree.Len())
	}
	if err := z.dict.CheckTexts(); err != nil {
		return err
	}
	if err := z.dict.Check(); err != nil {
		return err
	}
	if err := z.tree.Check(); err != nil {
		return err
	}
	var err error
	z.Ascend(0, z.Len(), func(it ZItem) bool {
		if s, ok := z.dict.Get(it.Member); !ok || s != it.Score {
			err = fmt.Errorf("zset: %v in order, score %v by member", it, s)
		}
		return err == nil
	})
	return err
}
