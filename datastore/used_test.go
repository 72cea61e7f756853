package datastore

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// change does something at random to one of a few keys of all types.
func change(t *testing.T, s *Store, r *rand.Rand) {
	t.Helper()
	db := s.DB(r.IntN(2))
	text := func() string { return fmt.Sprintf("%0*d", 1+r.IntN(100), r.IntN(30)) }
	switch r.IntN(12) {
	case 0:
		db.SetString("string", text(), r.IntN(2) == 0)
	case 1:
		if str, _ := db.String("string"); str != nil {
			str.Append(s, text())
		}
	case 2:
		h, err := db.HashForWrite("hash")
		require.NoError(t, err)
		h.Set(text(), text())
	case 3:
		if h, _ := db.Hash("hash"); h != nil {
			h.Delete(h.firstPair())
			db.DropIfEmpty("hash")
		}
	case 4:
		set, err := db.SetForWrite("set")
		require.NoError(t, err)
		set.Add(text())
	case 5:
		if set, _ := db.Set("set"); set != nil {
			set.Pop(r)
			db.DropIfEmpty("set")
		}
	case 6:
		z, err := db.ZSetForWrite("zset")
		require.NoError(t, err)
		z.Set(text(), r.Float64())
	case 7:
		l, err := db.ListForWrite("list")
		require.NoError(t, err)
		l.Insert(r.IntN(l.Len()+1), text())
	case 8:
		if l, _ := db.List("list"); l != nil {
			l.PopFront()
			db.DropIfEmpty("list")
		}
	case 9:
		x, err := db.StreamForWrite("stream")
		require.NoError(t, err)
		_ = x.Add(StreamID{x.LastID().Ms + 1, 0}, []string{"f", text()})
	case 10:
		if e := db.RandomKey(); e != nil {
			db.SetExpire(e, int64(r.IntN(3)*1_000_000_000))
		}
	case 11:
		if e := db.RandomKey(); e != nil && r.IntN(10) == 0 {
			db.Delete(e.Key())
		}
	}
}

func (h *Hash) firstPair() string {
	field, _ := h.At(0)
	return field
}

func TestUsedIsTheSizeOfAllKeys(t *testing.T) {
	limits := DefaultLimits()
	limits.HashMaxListpackEntries, limits.ZSetMaxListpackEntries, limits.ListMaxListpackSize = 8, 8, 4
	s := New(Options{Limits: limits})
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 5000 {
		if i%100 == 50 {
			mark := s.Begin()
			for range 20 {
				change(t, s, r)
				if r.IntN(4) == 0 {
					s.UpdateUsed()
				}
			}
			if r.IntN(2) == 0 {
				s.Rollback(mark)
			} else {
				s.Commit()
			}
		}
		change(t, s, r)
		if i%10 == 0 {
			require.NoError(t, s.Check())
			require.Positive(t, s.Used())
		}
		if i%1000 == 500 {
			s.SwapDB(0, 1)
			s.DB(0).Flush()
			require.NoError(t, s.Check())
		}
	}
	s.FlushAll()
	require.Zero(t, s.Used())
}

func TestUsedIsTheSameForTheSameCommands(t *testing.T) {
	used := func() int64 {
		s := New(Options{Rand: rand.NewPCG(9, 9)})
		r := rand.New(rand.NewPCG(7, 7))
		for range 2000 {
			change(t, s, r)
		}
		return s.Used()
	}
	require.Equal(t, used(), used())
}

func TestUsedWhileManyKeysAreOpen(t *testing.T) {
	s := New(Options{})
	db := s.DB(0)
	for range 2 {
		for i := range 3 * manyOpen {
			l, err := db.ListForWrite(fmt.Sprint("l", i))
			require.NoError(t, err)
			l.PushBack("some element")
			if i%5 == 4 {
				db.Delete(fmt.Sprint("l", i))
			}
		}
	}
	require.NoError(t, s.Check())
}
