package hashtable

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDictAgreesWithMap(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		d, model := NewDict[int](maphash.MakeSeed(), nil), map[string]int{}
		keys := 1 << (1 + seed%12)
		for i := range 6000 {
			key := fmt.Sprint(r.IntN(keys))
			// The share of deletions swings, so that the table both grows and shrinks.
			if r.IntN(100) < 20+60*(i/1500%2) {
				want, has := model[key]
				delete(model, key)
				got, ok := d.Delete(key)
				require.Equal(t, has, ok)
				require.Equal(t, want, got)
			} else {
				_, has := model[key]
				model[key] = i
				require.Equal(t, !has, d.Set(key, i))
			}
			require.Equal(t, len(model), d.Len())
			if i%97 == 0 {
				require.NoError(t, d.Check())
				requireSame(t, model, d)
			}
		}
		for key := range model {
			d.Delete(key)
		}
		require.NoError(t, d.Check())
		require.Zero(t, d.Len())
		require.Len(t, d.index, minIndex)
	}
}

func requireSame(t *testing.T, model map[string]int, d *Dict[int]) {
	t.Helper()
	seen := 0
	d.All(func(key string, v int) bool {
		require.Equal(t, model[key], v, key)
		seen++
		return true
	})
	require.Equal(t, len(model), seen)
	for key, v := range model {
		got, ok := d.Get(key)
		require.True(t, ok)
		require.Equal(t, v, got)
	}
}

func TestDictKeepsInsertionOrderWithoutDeletion(t *testing.T) {
	d := NewDict[int](maphash.MakeSeed(), nil)
	for i := range 2000 {
		d.Set(fmt.Sprint("k", i), i)
	}
	for i := range 2000 {
		key, v := d.At(i)
		require.Equal(t, fmt.Sprint("k", i), key)
		require.Equal(t, i, v)
	}
}

// An element that is in the table from the first call to the last is seen, whatever else is added
// and deleted.
func TestDictScanSeesWhatStays(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		d := NewDict[int](maphash.MakeSeed(), nil)
		stay := map[string]bool{}
		for i := range 1 + r.IntN(400) {
			key := fmt.Sprint("stay", i)
			stay[key] = true
			d.Set(key, i)
		}
		extra := r.IntN(4000)
		for i := range extra {
			d.Set(fmt.Sprint("extra", i), i)
		}
		seen := map[string]bool{}
		for cursor, calls := uint64(0), 0; ; calls++ {
			cursor = d.Scan(cursor, func(key string, _ int) { seen[key] = true })
			if cursor == 0 {
				break
			}
			require.Less(t, calls, 1<<20, "the walk does not end")
			for range r.IntN(60) {
				key := fmt.Sprint("extra", r.IntN(extra+1000))
				if (calls/200+int(seed))%2 == 0 {
					d.Delete(key)
				} else {
					d.Set(key, 0)
				}
			}
		}
		for key := range stay {
			require.True(t, seen[key], "seed %d: %s was not seen", seed, key)
		}
	}
}

func TestDictScanOfUnchangedTableSeesEachOnce(t *testing.T) {
	d := NewDict[int](maphash.MakeSeed(), nil)
	for i := range 1000 {
		d.Set(fmt.Sprint(i), i)
	}
	seen := map[string]int{}
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		cursor = d.Scan(cursor, func(key string, _ int) { seen[key]++ })
	}
	require.Len(t, seen, 1000)
	for key, n := range seen {
		require.Equal(t, 1, n, key)
	}
}

func TestDictScanTakesAnyCursor(t *testing.T) {
	d := NewDict[int](maphash.MakeSeed(), nil)
	assert.Zero(t, d.Scan(12345, func(string, int) { t.Error("nothing is there") }))
	d.Set("a", 1)
	for _, cursor := range []uint64{1, 7, 8, 1 << 40, ^uint64(0)} {
		d.Scan(cursor, func(string, int) {})
	}
}

func TestDictInsertAtUndoesRemove(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	d := NewDict[int](maphash.MakeSeed(), nil)
	for i := range 1500 {
		d.Set(fmt.Sprint(i), i)
	}
	order := func() (keys []string) {
		d.All(func(key string, _ int) bool { keys = append(keys, key); return true })
		return keys
	}
	before := order()
	type step struct {
		key    string
		v, pos int
	}
	var undo []step
	for d.Len() > 0 {
		key, _ := d.Random(r)
		v, pos, ok := d.Remove(key)
		require.True(t, ok)
		undo = append(undo, step{key, v, pos})
	}
	for len(undo) > 0 {
		s := undo[len(undo)-1]
		undo = undo[:len(undo)-1]
		d.InsertAt(s.key, s.v, s.pos)
	}
	require.NoError(t, d.Check())
	require.Equal(t, before, order())
}

func TestDictRandomReachesAll(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	d := NewDict[int](maphash.MakeSeed(), nil)
	for i := range 20 {
		d.Set(fmt.Sprint(i), i)
	}
	seen := map[string]bool{}
	for range 2000 {
		key, _ := d.Random(r)
		seen[key] = true
	}
	assert.Len(t, seen, 20)
}

func TestDictAtAChunkBorderDoesNotAllocate(t *testing.T) {
	d := NewDict[int](maphash.MakeSeed(), nil)
	for i := range chunkSize {
		d.Set(fmt.Sprint(i), i)
	}
	d.Set("one more", 0)
	d.Delete("one more")
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		d.Set("one more", 0)
		d.Delete("one more")
	}))
}
