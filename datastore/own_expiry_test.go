package datastore

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// A cycle of a writable replica removes at most as many keys as it may, and only its own.
func TestOwnKeysExpireInPortions(t *testing.T) {
	s := New(Options{})
	db := s.DB(0)
	s.SetNow(1_000_000)
	db.SetExpire(db.Put("of the master", NewString("v")), 1500)
	s.SetReplica(true, true)
	for i := range 5 {
		db.SetExpire(db.Put(strconv.Itoa(i), NewString("v")), 1500)
	}
	require.Equal(t, 5, s.OwnExpiring())
	require.Zero(t, s.ExpireCycle(2), "it is not time yet")
	s.SetNow(2_000_000)
	for i, want := range []struct{ removed, left int }{{2, 3}, {2, 1}, {1, 0}, {0, 0}} {
		require.Equal(t, want.removed, s.ExpireCycle(2), i)
		require.Equal(t, want.left, s.OwnExpiring(), i)
		require.Equal(t, want.left+1, db.Len(), i)
	}
	require.Zero(t, s.NextExpire())
}
