package datastore

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// layout returns everything that is visible of a keyspace, including the order of its tables and
// heaps.
func layout(s *Store) string {
	var b []byte
	for _, db := range s.dbs {
		b = fmt.Appendf(b, "db %d %v %d\n", db.id, db.keys.Index(), len(db.expires))
		for _, e := range db.expires {
			b = fmt.Appendf(b, "expires %s %d\n", e.key, e.expireAt)
		}
		for _, e := range *db.alarms {
			b = fmt.Appendf(b, "alarm %s %d\n", e.key, e.expireAt)
		}
		db.keys.All(func(p **Entry) bool {
			e := *p
			b = fmt.Appendf(b, "%s %d %d %q ", e.key, e.expireAt, e.usage, Dump(e.obj, DumpOptions{}))
			switch o := e.obj.(type) {
			case *Set:
				if o.dict != nil {
					b = fmt.Appendf(b, "%v", o.dict.Index())
				}
			case *Hash:
				if o.dict != nil {
					b = fmt.Appendf(b, "%v", o.dict.Index())
				}
				if o.times != nil {
					for _, f := range o.times.order {
						b = fmt.Appendf(b, " %s %d", f.key, f.expireAt)
					}
				}
			case *ZSet:
				if o.dict != nil {
					b = fmt.Appendf(b, "%v", o.dict.Index())
				}
			}
			b = append(b, '\n')
			return true
		})
	}
	c := s.counters()
	c.earliest = 0 // only a lower bound
	return fmt.Sprintf("%s%v", b, c)
}

// scramble makes many changes.
func scramble(s *Store, rng *rand.Rand) {
	db := s.DB(0)
	name := func(n int) string { return fmt.Sprint("n", rng.IntN(n)) }
	for range 300 {
		switch key := name(8); rng.IntN(12) {
		case 0:
			db.SetString(name(60), name(9), false)
		case 1:
			if x, err := db.SetForWrite("set" + key); err == nil {
				x.Add(name(100))
			}
		case 2:
			if x, err := db.Set("set" + key); err == nil && x != nil {
				x.Pop(s.Rand())
				db.DropIfEmpty("set" + key)
			}
		case 3:
			if x, err := db.HashForWrite("hash" + key); err == nil {
				x.Set(name(100), fmt.Sprintf("%0*d", rng.IntN(90)+1, 1))
			}
		case 4:
			if x, err := db.Hash("hash" + key); err == nil && x != nil {
				f, _ := x.Random(s.Rand())
				x.Delete(f)
				db.DropIfEmpty("hash" + key)
			}
		case 5:
			if x, err := db.ZSetForWrite("z" + key); err == nil {
				x.Set(fmt.Sprintf("%0*d", rng.IntN(90)+1, rng.IntN(50)), rng.Float64())
			}
		case 6:
			if e := db.RandomKey(); e != nil {
				db.SetExpire(e, s.Now()+int64(rng.IntN(1000))+1)
			}
		case 7:
			db.Delete(name(60))
		case 8:
			if rng.IntN(20) == 0 {
				s.SwapDB(0, 1)
			}
		case 9:
			if rng.IntN(40) == 0 {
				db.Flush()
			}
		case 10:
			db.Emit(ClassGeneric, "test", key)
		case 11:
			if e := db.RandomKey(); e != nil && e.obj.Type() != TypeStream {
				to := "moved" + key
				db.Delete(to)
				db.Move(e, s.DB(1), e.key+"m"+name(99999))
			}
		}
		s.UpdateUsed()
	}
}

func TestARerunCanBeUndone(t *testing.T) {
	for seed := range uint64(60) {
		s := New(Options{Rand: rand.NewPCG(seed, 1)})
		s.SetNow(1e12)
		if seed%2 == 1 {
			s.Used()
		}
		s.limits.LFU = seed%3 == 0
		heard := 0
		s.Listen(func(*Change) { heard++ })
		scramble(s, rand.New(rand.NewPCG(seed, 2)))
		before, held := layout(s), 0
		was := heard
		r := s.BeginRerun(func(*Change) { held++ })
		var after string
		for i := range 3 {
			s.SetNow(1e12 + 5e6)
			scramble(s, rand.New(rand.NewPCG(seed, 3)))
			require.NoError(t, s.Check())
			if now := layout(s); i > 0 {
				require.True(t, after == now, "seed %d: run %d goes another way", seed, i)
			} else {
				after = now
			}
			r.Undo()
			require.True(t, before == layout(s), "seed %d: not undone", seed)
			require.NoError(t, s.Check())
		}
		s.SetNow(1e12 + 5e6)
		scramble(s, rand.New(rand.NewPCG(seed, 3)))
		r.End()
		require.True(t, after == layout(s), "seed %d", seed)
		require.Equal(t, was, heard)
		require.Positive(t, held)
		require.NoError(t, s.Check())
		require.False(t, s.Recording())
		s.DB(0).Emit(ClassGeneric, "test", "k")
		require.Equal(t, was+1, heard)
	}
}

func TestAForkHasTheSameLayout(t *testing.T) {
	for seed := range uint64(20) {
		s := New(Options{Rand: rand.NewPCG(seed, 1)})
		s.SetNow(1e12)
		if seed%2 == 1 {
			s.Used()
			s.DB(0).IndexSlots()
		}
		scramble(s, rand.New(rand.NewPCG(seed, 2)))
		before := layout(s)
		f := s.Fork(rand.NewPCG(seed, 9))
		require.NoError(t, f.Check())
		if seed%2 == 0 {
			require.True(t, before == layout(f), "seed %d", seed)
		} else {
			require.Equal(t, s.Digest(), f.Digest())
		}
		scramble(f, rand.New(rand.NewPCG(seed, 4)))
		require.NoError(t, f.Check())
		require.True(t, before == layout(s), "seed %d: the fork reaches back", seed)
		s.CopyFrom(f)
		require.NoError(t, s.Check())
		require.Equal(t, f.Digest(), s.Digest())
	}
}
