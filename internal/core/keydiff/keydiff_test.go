package keydiff_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/keydiff"
)

func TestChanges(t *testing.T) {
	before := map[string]int{"same": 1, "other": 1, "gone": 1, "zero": 0}
	after := map[string]int{"same": 1, "other": 2, "new": 0}
	require.Equal(t, []keydiff.Change[int]{
		{Name: "gone", Before: 1, Had: true},
		{Name: "new", Has: true},
		{Name: "other", Before: 1, After: 2, Had: true, Has: true},
		{Name: "zero", Had: true},
	}, keydiff.Changes(maps.All(before), maps.All(after), func(a, b int) bool { return a == b }))
}

func TestLines(t *testing.T) {
	require.Equal(t, "- a = 1\n- b = 1\n+ b = 2\n+ c = 1\n", keydiff.Lines(
		map[string]string{"a": "a = 1", "b": "b = 1", "z": "z"}, map[string]string{"b": "b = 2", "c": "c = 1", "z": "z"}))
}

// A key that lives until now exists in both states.
func TestTheLastMillisecond(t *testing.T) {
	clock := engine.NewVirtualClock(time.Unix(1, 0))
	e, err := engine.New(engine.Options{Clock: clock})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.DoStrings(context.Background(), "SET", "k", "v", "PX", "10")
	require.NoError(t, err)
	s, err := e.Snapshot()
	require.NoError(t, err)
	clock.Advance(10 * time.Millisecond)
	changes, err := e.Changes(s)
	require.NoError(t, err)
	require.Empty(t, changes)
}
