package rdbfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
)

func TestInfoIsWhatWasWritten(t *testing.T) {
	st := newStore()
	st.DB(0).SetString("k", "v", false)
	repl := rdbfile.Replication{DB: 5, ID: strings.Repeat("ab", 20), Offset: 12345678901}
	var b bytes.Buffer
	require.NoError(t, rdbfile.Write(&b, st, rdbfile.Writing{
		RedisVersion: "6.6.6", Created: time.Unix(1700000000, 0), UsedMemory: 1 << 40, Replication: &repl, AOFBase: true,
		Functions: []string{"#!lua name=a\n"},
	}))
	want := rdbfile.Info{Version: 10, RedisVersion: "6.6.6", Created: time.Unix(1700000000, 0), UsedMemory: 1 << 40, Replication: repl,
		AOFBase: true}
	to := newStore()
	loaded, err := rdbfile.Load(strings.NewReader(b.String()+"what follows"), to, rdbfile.Loading{})
	require.NoError(t, err)
	require.Equal(t, want, loaded.Info)
	rest := make([]byte, 20)
	n, _ := loaded.Rest.Read(rest)
	require.Equal(t, "what follows", string(rest[:n]))

	functions := 0
	info, keys := rdbfile.Keys(bytes.NewReader(b.Bytes()), rdbfile.Reading{}, func(string) { functions++ })
	for k, err := range keys {
		require.NoError(t, err)
		require.Equal(t, "k", k.Key)
		d, err := k.Describe()
		require.NoError(t, err)
		require.Equal(t, datastore.ValueInfo{Size: 2, Elements: 1}, d)
		require.Equal(t, "string", d.Kind.String())
	}
	require.Equal(t, want, *info)
	require.Equal(t, 1, functions)
}

func TestLoadPathNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dump.rdb")
	_, err := rdbfile.LoadPath(path, newStore(), rdbfile.Loading{})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, []byte("REDIS0010\xfe"), 0o644))
	_, err = rdbfile.LoadPath(path, newStore(), rdbfile.Loading{})
	require.EqualError(t, err, path+": Short read or OOM loading DB. Unrecoverable error, aborting now. (offset 10)")
	require.ErrorIs(t, err, datastore.ErrFileShort)
}
