package datastore

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// Hashes with fields that expire move to the alarms of their new database.
func TestStagedFieldTimes(t *testing.T) {
	from := New(Options{})
	for i := range 2 {
		h, err := from.DB(i).HashForWrite("h")
		require.NoError(t, err)
		h.Set("f", "v")
		h.Set("g", "v")
		from.DB(i).SetFieldExpire("h", h, "f", 5000)
	}
	var file bytes.Buffer
	require.NoError(t, from.WriteFile(&file, FileOptions{Dump: DumpOptions{Version: 12}}))
	o := FileLoadOptions{File: FileReaderOptions{Version: 12}}

	s := New(Options{})
	s.Used() // begins to count
	s.DB(0).SetString("h", "mine", false)
	f, done, err := s.StageFile(bytes.NewReader(file.Bytes()), o)
	require.NoError(t, err)
	require.Equal(t, 2, done.Keys)
	require.Equal(t, 1, f.Len(1))
	require.True(t, f.Has(1, "h"))
	require.False(t, f.Has(2, "h"))
	db, key, found := f.Conflict()
	require.True(t, found)
	require.Equal(t, 0, db)
	require.Equal(t, "h", key)
	require.NoError(t, s.Check())
	require.Zero(t, s.DB(1).Len())

	dirty := s.Dirty()
	f.Enter()
	require.NoError(t, s.Check())
	require.Equal(t, dirty+2, s.Dirty())
	require.Equal(t, 1, s.DB(0).ExpiringHashes())
	require.Zero(t, f.Len(1))
	require.EqualValues(t, 5001, s.NextExpire())
	s.SetNow(6_000_000)
	require.Equal(t, 2, s.ExpireCycle(10))
	require.NoError(t, s.Check())
}

func TestNothingIsStagedWhileRecording(t *testing.T) {
	s := New(Options{})
	m := s.Begin()
	_, _, err := s.StageFile(bytes.NewReader(nil), FileLoadOptions{})
	require.ErrorIs(t, err, ErrRecording)
	s.Rollback(m)
}
