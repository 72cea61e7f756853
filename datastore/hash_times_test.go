package datastore

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// timedSnapshot returns everything that is visible of the hashes of a store, with the expiry times
// of their fields.
func timedSnapshot(s *Store) (out []string) {
	for _, db := range s.dbs {
		db.keys.All(func(p **Entry) bool {
			h := (*p).obj.(*Hash)
			out = append(out, fmt.Sprint(db.id, (*p).key, (*p).expireAt, h.Encoding(), h.firstExpire()))
			h.each(func(f, v string, at int64) bool { out = append(out, fmt.Sprint(f, v, at)); return true })
			return true
		})
	}
	return out
}

// timedStep makes one random change to hashes whose fields expire.
func timedStep(s *Store, r *rand.Rand) {
	db, key, field := s.DB(r.IntN(2)), fmt.Sprint("k", r.IntN(4)), fmt.Sprint("f", r.IntN(12))
	at := s.Now() + 1 + r.Int64N(30)
	h, _ := db.Hash(key)
	if h == nil {
		h, _ = db.HashForWrite(key)
		db.SetFieldUntil(key, h, field, "first", at*int64(r.IntN(2)))
		return
	}
	switch r.IntN(12) {
	case 0, 1:
		db.SetFieldUntil(key, h, field, fmt.Sprint(r.IntN(100)), at)
	case 2, 3, 4:
		if _, ok := h.FieldExpireAt(field); ok {
			db.SetFieldExpire(key, h, field, at*int64(min(1, r.IntN(4))))
		}
	case 5:
		h.SetKeep(field, "kept")
	case 6:
		h.Set(field, "set")
	case 7:
		h.Delete(field)
		db.DropIfEmpty(key)
	case 8:
		s.SetNow(s.NowMicros() + r.Int64N(4000))
		s.ExpireCycle(1 + r.IntN(5))
	case 9:
		db.ExpireFields(key, h, field, "f1")
	case 10:
		switch r.IntN(6) {
		case 0:
			s.SwapDB(0, 1)
		case 1:
			db.Flush()
		case 2:
			db.Delete(key)
		case 3:
			db.Put(key+"c", Clone(h))
		case 4:
			db.SetExpire(db.Peek(key), at)
		default:
			s.DB(0).Delete(key)
			s.DB(1).Delete(key)
			s.DB(1).Put(key, h)
		}
	default:
		h.Set(fmt.Sprint("g", r.IntN(200)), "many")
	}
}

func TestFieldTimesRollBackExactly(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		limits := DefaultLimits()
		limits.HashMaxListpackEntries = []int{512, 8, 0}[seed%3]
		s := New(Options{Limits: limits, Rand: rand.NewPCG(seed, 6)})
		s.SetNow(1_000_000_000)
		for range 300 {
			timedStep(s, r)
			require.NoError(t, s.Check(), "seed %d", seed)
		}
		want, now := timedSnapshot(s), s.NowMicros()
		mark := s.Begin()
		for range 200 {
			timedStep(s, r)
		}
		require.NoError(t, s.Check(), "seed %d", seed)
		s.Rollback(mark)
		s.SetNow(now)
		require.NoError(t, s.Check(), "seed %d", seed)
		require.Equal(t, want, timedSnapshot(s), "seed %d", seed)
	}
}

func TestFieldsExpireInTheCycle(t *testing.T) {
	for _, entries := range []int{512, 0} {
		limits := DefaultLimits()
		limits.HashMaxListpackEntries = entries
		s := New(Options{Limits: limits})
		var events []string
		s.Listen(func(ch *Change) { events = append(events, ch.Event+" "+ch.Key) })
		db := s.DB(0)
		for i, key := range []string{"a", "b"} {
			h, _ := db.HashForWrite(key)
			db.SetFieldUntil(key, h, "x", "1", int64(10+i))
			db.SetFieldUntil(key, h, "y", "1", int64(20+i))
		}
		require.Equal(t, int64(11), s.NextExpire())
		s.SetNow(11_000)
		require.Equal(t, 1, s.ExpireCycle(100))
		require.Equal(t, int64(12), s.NextExpire())
		s.SetNow(21_000)
		require.Equal(t, 2, s.ExpireCycle(100))
		require.Equal(t, 1, db.Len())
		s.SetNow(22_000)
		require.Equal(t, 1, s.ExpireCycle(100))
		require.Zero(t, db.Len())
		require.Zero(t, s.NextExpire())
		require.Equal(t, int64(4), s.ExpiredFields())
		require.Equal(t, []string{"new a", "new b", "hexpired a", "hexpired b", "hexpired a", "del a", "hexpired b", "del b"}, events)
		require.NoError(t, s.Check())
	}
}

func TestFieldTimesSurviveADump(t *testing.T) {
	for _, entries := range []int{512, 0} {
		limits := DefaultLimits()
		limits.HashMaxListpackEntries = entries
		s := New(Options{Limits: limits})
		h, _ := s.DB(0).HashForWrite("k")
		for i := range 40 {
			s.DB(0).SetFieldUntil("k", h, fmt.Sprint("f", i), "v", int64(i%3*100_000*i))
		}
		opt := DumpOptions{Version: redis74Version}
		dump := string(Dump(h, opt))
		_, err := s.Restore(dump, DumpOptions{})
		require.ErrorIs(t, err, ErrDumpFooter)
		o, err := s.Restore(dump, opt)
		require.NoError(t, err)
		s.DB(1).Put("k", o)
		require.NoError(t, s.Check())
		var want, got []string
		h.each(func(f, v string, at int64) bool { want = append(want, fmt.Sprint(f, v, at)); return true })
		o.(*Hash).each(func(f, v string, at int64) bool { got = append(got, fmt.Sprint(f, v, at)); return true })
		require.Equal(t, want, got)
		require.Equal(t, h.Encoding(), o.Encoding())
	}
}
