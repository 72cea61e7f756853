package explore_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/explore"
)

// A lost update of two actors is found among three with a ticker, and shown without what it does
// not need.
func TestSimplest(t *testing.T) {
	update := []instruction{{op: "read", x: 5}, {op: "read", x: 0}, {op: "skip"}, {op: "write", x: 0}}
	s := &toy{ticker: 3, programs: [][]instruction{update, {{op: "read", x: 0}, {op: "read", x: 1}}, update, {{op: "all", y: 0}}}}
	serial := map[int]bool{}
	s.check = func(r []int) error {
		if serial[r[0]] {
			return nil
		}
		return errors.New("lost")
	}
	orders := [][]int{{0, 2, 1, 3}, {2, 0, 1, 3}, {0, 2, 3, 1}, {2, 0, 3, 1}, {3, 0, 2, 1}, {3, 2, 0, 1}, {0, 3, 2, 1}, {2, 3, 0, 1}}
	for _, order := range orders {
		_, err := explore.Serial(s, 0, order)
		require.NoError(t, err)
		serial[s.registers[0]] = true
	}
	found, err := explore.Search(s, explore.Options{})
	require.NoError(t, err)
	require.NotNil(t, found.Broken)

	best, out, err := explore.Simplest(s, found, explore.Options{}, 1000, []int{3, 2, 1, 0}, func(out explore.Actors) (bool, error) {
		return !out.Has(0) && !out.Has(2), nil
	})
	require.NoError(t, err)
	require.Equal(t, explore.Set(1, 3), out)
	require.Equal(t, 1, explore.Preemptions(s, best))
	require.Len(t, best.Order, 8)
}

// Steps that are not needed are left out.
func TestSimplestIsShort(t *testing.T) {
	s := &toy{ticker: -1, programs: [][]instruction{
		{{op: "read", x: 0}, {op: "write", x: 1, when: 1}, {op: "write", x: 2, when: 1}},
		{{op: "write", x: 0}, {op: "skip"}}}}
	s.check = func(r []int) error {
		if r[0] > 0 {
			return errors.New("written")
		}
		return nil
	}
	found := explore.Result{Broken: &explore.Broken{Kind: "check"}, Order: []int{0, 1, 0, 1, 0}}
	require.Equal(t, 3, explore.Preemptions(s, found))
	best, _, err := explore.Simplest(s, found, explore.Options{}, 1000, []int{0, 1}, func(explore.Actors) (bool, error) { return true, nil })
	require.NoError(t, err)
	require.Equal(t, []int{1, 1}, best.Order)
}
