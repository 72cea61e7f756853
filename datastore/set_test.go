package datastore

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func setMembers(s *Set) []string {
	out := []string{}
	s.All(func(m string) bool { out = append(out, m); return true })
	return out
}

func setStep(t *testing.T, r *rand.Rand, s *Set, m map[string]bool, members, words int) {
	el := fmt.Sprint(r.IntN(members) - members/2)
	if words > 0 && r.IntN(words) == 0 {
		el = "w" + el
	}
	switch r.IntN(9) {
	case 0, 1, 2:
		require.Equal(t, m[el], s.Remove(el))
		delete(m, el)
	case 3:
		if len(m) > 0 {
			el = s.Pop(r)
			require.True(t, m[el])
			delete(m, el)
		}
	default:
		require.Equal(t, !m[el], s.Add(el))
		m[el] = true
	}
}

func TestSetAgreesWithAMap(t *testing.T) {
	for _, c := range []struct{ members, words int }{{600, 0}, {3000, 0}, {600, 2000}, {5000, 2}} {
		r := rand.New(rand.NewPCG(uint64(c.members), uint64(c.words)))
		s, m := New(Options{}).NewSet(), map[string]bool{}
		for i := range 20000 {
			setStep(t, r, s, m, c.members, c.words)
			if i%500 != 0 {
				continue
			}
			require.NoError(t, s.check())
			require.Equal(t, len(m), s.Len())
			for el := range m {
				require.True(t, s.Has(el))
			}
			require.False(t, s.Has("none"))
		}
	}
}

func TestSetRollbackRestoresOrderAndForm(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		st := New(Options{})
		s, m := st.NewSet(), map[string]bool{}
		for range int(seed) * 60 {
			setStep(t, r, s, m, 1400, int(seed%4)*300)
		}
		want, enc := setMembers(s), s.Encoding()
		mark := st.Begin()
		for range 800 {
			setStep(t, r, s, m, 1400, 300)
		}
		st.Rollback(mark)
		require.NoError(t, s.check())
		require.Equal(t, want, setMembers(s))
		require.Equal(t, enc, s.Encoding())
	}
}

func TestSetOfIntegersIsAnIntset(t *testing.T) {
	for m, want := range map[string]string{
		"0": "intset", "-1": "intset", "9223372036854775807": "intset", "-9223372036854775808": "intset",
		"-0": "hashtable", "01": "hashtable", "+1": "hashtable", " 1": "hashtable", "1 ": "hashtable", "": "hashtable", "-": "hashtable",
		"1_0": "hashtable", "1.0": "hashtable", "9223372036854775808": "hashtable", "-9223372036854775809": "hashtable", "0x1": "hashtable",
	} {
		s := New(Options{}).NewSet()
		s.Add(m)
		require.Equal(t, want, s.Encoding(), "%q", m)
		require.True(t, s.Has(m))
		require.Equal(t, []string{m}, setMembers(s))
	}
}

func TestSetScanPassesEveryMemberThatStays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := New(Options{}).NewSet()
	for i := range 2000 {
		s.Add(fmt.Sprint("stay", i))
	}
	seen := map[string]bool{}
	for cursor, turn := uint64(0), 0; turn == 0 || cursor != 0; turn++ {
		cursor = s.Scan(cursor, func(m string) { seen[m] = true })
		for range 20 {
			if turn < 1500 {
				s.Add(fmt.Sprint("come", r.IntN(20000)))
			} else {
				s.Remove(fmt.Sprint("come", r.IntN(20000)))
			}
		}
	}
	for i := range 2000 {
		require.True(t, seen[fmt.Sprint("stay", i)])
	}
}
