package datastore

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// snapshot returns everything that is visible of a store: order of the keys, values, encodings,
// expiry times.
func snapshot(s *Store) (out []string) {
	for _, db := range s.dbs {
		db.keys.All(func(p **Entry) bool {
			e := *p
			text := ""
			if str, ok := e.obj.(*String); ok {
				text = str.clone().(*String).Text()
			}
			out = append(out, fmt.Sprint(db.id, e.key, text, e.obj.Encoding(), e.expireAt))
			return true
		})
		for slot := 0; db.slots != nil && slot < Slots; slot++ {
			if keys := db.KeysInSlot(slot, 100); len(keys) > 0 {
				out = append(out, fmt.Sprint(db.id, slot, keys))
			}
		}
	}
	return out
}

// mutate makes one random change.
func mutate(s *Store, r *rand.Rand) {
	db := s.DB(r.IntN(3))
	key := fmt.Sprint("{", r.IntN(3), "}key", r.IntN(10)) // some keys share a slot
	switch r.IntN(14) {
	case 0, 1, 2:
		db.SetString(key, fmt.Sprint(r.IntN(100000)), r.IntN(2) == 0)
	case 3:
		db.Put(key, NewString("put"))
	case 4:
		db.Delete(key)
	case 5, 6:
		if e := db.Lookup(key); e != nil {
			db.SetExpire(e, s.Now()+r.Int64N(50))
		}
	case 7:
		if e := db.Lookup(key); e != nil {
			db.SetExpire(e, 0)
		}
	case 8:
		if str, _ := db.String(key); str != nil {
			str.Append(s, "tail")
		}
	case 9:
		s.SetNow(s.NowMicros() + r.Int64N(5000))
	case 10:
		if e := db.Lookup(key); e != nil {
			db.Replace(e, NewString("replaced"))
		}
	case 11:
		if r.IntN(8) == 0 {
			s.SwapDB(r.IntN(3), r.IntN(3))
		}
	case 12:
		if r.IntN(20) == 0 {
			db.Flush()
		}
	case 13:
		s.ExpireCycle(r.IntN(3))
	}
}

func TestRollbackRestoresTheKeyspace(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := New(Options{Databases: 3})
		s.SetNow(1e9)
		for range 100 {
			mutate(s, r)
		}
		for i := 0; i < 3 && seed%10 == 0; i++ {
			s.DB(i).IndexSlots()
		}
		for range 5 {
			before := snapshot(s)
			outer := s.Begin()
			for range r.IntN(60) {
				mutate(s, r)
			}
			inner, middle := s.Begin(), snapshot(s)
			for range r.IntN(60) {
				mutate(s, r)
			}
			require.NoError(t, s.Check())
			if r.IntN(2) == 0 {
				s.Rollback(inner)
				require.Equal(t, middle, snapshot(s))
			} else {
				s.Commit()
			}
			s.Rollback(outer)
			require.Equal(t, before, snapshot(s))
			require.NoError(t, s.Check())
			for range 10 {
				mutate(s, r)
				require.NoError(t, s.Check())
			}
		}
	}
}

func TestCommitKeepsChanges(t *testing.T) {
	s := New(Options{})
	s.Begin()
	s.DB(0).SetString("a", "1", false)
	s.Commit()
	assert.False(t, s.Recording())
	assert.Equal(t, 1, s.DB(0).Len())
	assert.NoError(t, s.Check())
}

func TestExpiryHeapGivesKeysByTime(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var h expiryHeap
	entries := make([]*Entry, 300)
	for i := range entries {
		entries[i] = &Entry{key: fmt.Sprint(i)}
	}
	for range 5000 {
		e := entries[r.IntN(len(entries))]
		if r.IntN(3) == 0 {
			h.remove(e)
		} else {
			h.set(e, 1+r.Int64N(1000))
		}
		require.NoError(t, h.check())
	}
	last := int64(0)
	for len(h) > 0 {
		e := h[0]
		require.GreaterOrEqual(t, e.expireAt, last)
		last = e.expireAt
		h.remove(e)
		require.NoError(t, h.check())
	}
}

func TestExpiryOnAccess(t *testing.T) {
	s := New(Options{})
	s.SetNow(1_000_000)
	var events []string
	s.Listen(func(c *Change) { events = append(events, c.Event+" "+c.Key) })
	db := s.DB(0)
	db.SetExpire(db.SetString("a", "1", false), s.Now()+5)
	s.SetNow(1_005_999)
	require.NotNil(t, db.Peek("a"))
	s.SetNow(1_006_000)
	require.Equal(t, 1, db.Len(), "a key that has not been looked at still counts")
	require.Nil(t, db.Peek("a"))
	require.Equal(t, 0, db.Len())
	require.Equal(t, []string{"new a", "expired a"}, events)
	require.EqualValues(t, 1, s.Expired())
}

func TestSettingAnExpiredKey(t *testing.T) {
	for _, set := range []func(*DB){
		func(db *DB) { db.SetString("a", "2", true) },
		func(db *DB) { db.Put("a", NewString("2")) },
	} {
		s := New(Options{})
		s.SetNow(1_000_000)
		var events []string
		s.Listen(func(c *Change) { events = append(events, c.Event+" "+c.Key) })
		db := s.DB(0)
		db.SetExpire(db.SetString("a", "1", false), s.Now()+5)
		s.SetNow(2_000_000)
		set(db)
		assert.Equal(t, []string{"new a", "expired a", "new a"}, events)
		assert.Zero(t, db.Peek("a").ExpireAt())
		assert.NoError(t, s.Check())
	}
}

func TestExpireCycleTakesTheEarliestFirst(t *testing.T) {
	s := New(Options{})
	s.SetNow(1_000_000)
	for i := range 10 {
		db := s.DB(i % 2)
		db.SetExpire(db.SetString(fmt.Sprint(i), "x", false), 1000+int64(10-i))
	}
	require.EqualValues(t, 1002, s.NextExpire())
	s.SetNow(1_006_000)
	s.SetActiveExpire(false)
	require.Zero(t, s.ExpireCycle(100))
	s.SetActiveExpire(true)
	require.Equal(t, 3, s.ExpireCycle(3))
	require.Equal(t, 2, s.ExpireCycle(3))
	require.Zero(t, s.ExpireCycle(3))
	require.EqualValues(t, 1007, s.NextExpire())
}

func TestSetStringReusesTheEntry(t *testing.T) {
	s := New(Options{})
	db := s.DB(0)
	e := db.SetString("a", "1", false)
	db.SetExpire(e, 100)
	assert.Same(t, e, db.SetString("a", "2", true))
	assert.EqualValues(t, 100, e.ExpireAt())
	assert.Same(t, e, db.SetString("a", "3", false))
	assert.Zero(t, e.ExpireAt())
	assert.Zero(t, testing.AllocsPerRun(100, func() { db.SetString("a", "text", false) }))
}

func TestRandomKeySkipsExpiredKeys(t *testing.T) {
	s := New(Options{})
	s.SetNow(1_000_000)
	db := s.DB(0)
	for i := range 50 {
		e := db.SetString(fmt.Sprint(i), "x", false)
		if i != 7 {
			db.SetExpire(e, 1001)
		}
	}
	s.SetNow(2_000_000)
	assert.Equal(t, "7", db.RandomKey().Key())
	db.Delete("7")
	assert.Nil(t, db.RandomKey())
	assert.Zero(t, db.Len())
}

func TestSwapDBKeepsExpiry(t *testing.T) {
	s := New(Options{})
	s.SetNow(1_000_000)
	e := s.DB(0).SetString("a", "1", false)
	s.DB(0).SetExpire(e, 2000)
	s.SwapDB(0, 1)
	require.Nil(t, s.DB(0).Peek("a"))
	s.DB(1).SetExpire(e, 3000)
	require.NoError(t, s.Check())
	s.SetNow(3_001_000)
	require.Equal(t, 1, s.ExpireCycle(10))
	require.NoError(t, s.Check())
}
