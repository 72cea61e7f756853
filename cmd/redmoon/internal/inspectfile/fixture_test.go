package inspectfile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// store returns a keyspace with keys of all types, in two databases.
func store(t *testing.T) *datastore.Store {
	t.Helper()
	st := datastore.New(datastore.Options{})
	st.SetNow(now.Add(-time.Hour).UnixMicro())
	db := st.DB(0)
	for i := range 9 {
		db.SetString(fmt.Sprintf("user:%d:name", i), strings.Repeat("x", 40+i), false)
	}
	for i, d := range []time.Duration{-time.Minute, time.Minute, 2 * time.Hour, 3 * 24 * time.Hour, 300 * 24 * time.Hour} {
		key := fmt.Sprintf("session:%d", i)
		db.SetExpire(db.SetString(key, "s", false), now.Add(d).UnixMilli())
	}
	list, _ := db.ListForWrite("jobs")
	for i := range 50 {
		list.PushBack(fmt.Sprint("job ", i))
	}
	st.DB(3).SetString("bin\x1b[31m\xff", "1", false)
	return st
}

func encode(t *testing.T, st *datastore.Store) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, rdbfile.Write(&b, st, rdbfile.Writing{Created: now, UsedMemory: 1000, Functions: []string{"#!lua name=lib\nreturn 1"}}))
	return b.Bytes()
}

func save(t *testing.T, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, b, 0o600))
	return path
}

func inspect(t *testing.T, path string, o Options) *Report {
	t.Helper()
	if o.Now.IsZero() {
		o.Now = now
	}
	r, err := Inspect(context.Background(), path, o)
	require.NoError(t, err)
	return r
}

// aofText returns commands as an append-only file has them.
func aofText(cmds ...string) string {
	var b strings.Builder
	for _, c := range cmds {
		words := strings.Fields(c)
		fmt.Fprintf(&b, "*%d\r\n", len(words))
		for _, w := range words {
			fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
		}
	}
	return b.String()
}
