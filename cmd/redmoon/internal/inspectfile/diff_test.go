package inspectfile

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

func TestDiff(t *testing.T) {
	before := save(t, "before.rdb", encode(t, store(t)))
	st := store(t)
	db := st.DB(0)
	db.Delete("user:0:name")
	db.SetString("user:1:name", "other", false)                     // value and size
	db.SetString("session:4", "s", false)                           // expires no longer
	db.SetString("jobs", "none", false)                             // another type
	db.SetString("new", "1", false)                                 // added
	db.SetExpire(db.SetString("user:2:name", "y", false), 1<<42)    // value, size, expiry
	st.DB(3).SetString("user:0:name", "in another database", false) // added
	after := save(t, "after.rdb", encode(t, st))
	for _, part := range []int64{1, 3, 1 << 20} { // in many parts, in some, in one
		d, err := compare(context.Background(), before, after, Options{Top: 9, Now: now}, part)
		require.NoError(t, err)
		require.Empty(t, d.Damage)
		require.Equal(t, int64(2), d.Added.Keys)
		require.Equal(t, int64(1), d.Removed.Keys)
		require.Equal(t, int64(4), d.Changed)
		require.Equal(t, int64(16-1-4), d.Same)
		require.Equal(t, map[string]int64{"type": 1, "value": 2, "expiry": 2, "size": 3}, d.ChangedBy)
		require.Equal(t, "user:0:name", d.RemovedKeys[0].Key.String())
		require.Equal(t, []string{"user:0:name", "new"}, []string{d.AddedKeys[0].Key.String(), d.AddedKeys[1].Key.String()})
		what := map[string]string{}
		for _, c := range d.ChangedKeys {
			what[c.Before.Key.String()] = fmt.Sprint(c.What, c.Before.Type, c.After.Type)
		}
		require.Equal(t, map[string]string{
			"user:1:name": "[value size]stringstring", "session:4": "[expiry]stringstring", "jobs": "[type size]liststring",
			"user:2:name": "[value expiry size]stringstring",
		}, what)
		require.False(t, d.Equal())
		var b bytes.Buffer
		require.NoError(t, d.Print(&b, Style{}, now))
		require.Contains(t, b.String(), "list → string")
		require.NoError(t, PrintJSON(&b, d))
	}
	d, err := Compare(context.Background(), before, before, Options{Top: 9, Now: now})
	require.NoError(t, err)
	require.True(t, d.Equal())
	require.Equal(t, int64(16), d.Same)
}

// The order in which sets are written differs from file to file.
func TestOrderOfASetIsNotADifference(t *testing.T) {
	make := func(from, step int) string {
		st := store(t)
		set, err := st.DB(0).SetForWrite("set")
		require.NoError(t, err)
		for i := range 1000 {
			set.Add(fmt.Sprint("member ", (from+i*step+1000)%1000))
		}
		return save(t, "a.rdb", encode(t, st))
	}
	d, err := Compare(context.Background(), make(0, 1), make(999, -1+1000), Options{Top: 9, Now: now})
	require.NoError(t, err)
	require.True(t, d.Equal(), d.ChangedBy)
}

func TestDiffOfADamagedFile(t *testing.T) {
	file := encode(t, store(t))
	whole, half := save(t, "whole.rdb", file), save(t, "half.rdb", file[:len(file)/2])
	d, err := Compare(context.Background(), whole, half, Options{Top: 9, Now: now})
	require.NoError(t, err)
	require.Len(t, d.Damage, 1)
	require.Equal(t, half, d.Damage[0].Path)
	require.Positive(t, d.Removed.Keys)
	require.Positive(t, d.Same)
	require.Zero(t, d.Changed)
	d, err = Compare(context.Background(), half, whole, Options{Top: 9, Now: now})
	require.NoError(t, err)
	require.Len(t, d.Damage, 1)
	require.Positive(t, d.Added.Keys)

	_, err = Compare(context.Background(), whole, save(t, "a.aof", []byte(aofText("SELECT 0"))), Options{})
	require.ErrorContains(t, err, "not an RDB file")
}

// Files of all servers are read, alone and beside a file of another server.
func TestFilesOfEachServer(t *testing.T) {
	plain := save(t, "plain.rdb", encode(t, store(t)))
	want := inspect(t, plain, Options{Top: 100}).Keyspace.Keys
	for _, s := range servers.All() {
		var b bytes.Buffer
		require.NoError(t, rdbfile.Write(&b, store(t), rdbfile.Writing{Created: now, Version: s.DumpVersion()}))
		theirs := save(t, "theirs.rdb", b.Bytes())
		report := inspect(t, theirs, Options{Top: 100})
		require.Empty(t, report.Damage, s)
		require.Equal(t, want, report.Keyspace.Keys, s)
		d, err := Compare(context.Background(), plain, theirs, Options{Top: 9, Now: now})
		require.NoError(t, err, s)
		require.Zero(t, d.Added.Keys+d.Removed.Keys+d.ChangedBy["value"]+d.ChangedBy["expiry"], s)
	}
}
