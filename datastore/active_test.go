package datastore

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNothingIsDueWhileActiveExpiryIsOff(t *testing.T) {
	s := New(Options{})
	db := s.DB(0)
	s.SetNow(1_000_000)
	db.SetExpire(db.Put("k", NewString("v")), 2000)
	require.EqualValues(t, 2001, s.NextExpire())
	s.SetActiveExpire(false)
	s.SetNow(3_000_000)
	require.Zero(t, s.NextExpire(), "a timer for it would fire for ever")
	require.Zero(t, s.ExpireCycle(10))
	s.SetActiveExpire(true)
	require.EqualValues(t, 2001, s.NextExpire())
	require.Equal(t, 1, s.ExpireCycle(10))
}
