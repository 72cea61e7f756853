package rdbfile_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// kinds returns the bodies of the dumps in the cases of RESTORE: values of every kind and form that
// Redis up to 7.0 has written, as they stand in files.
func kinds(t *testing.T) (bodies []string) {
	text, err := os.ReadFile("../../internal/testing/difftest/testdata/dump/kinds.rdt")
	require.NoError(t, err)
	st := newStore()
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "RESTORE ") {
			continue
		}
		words, ok := quoting.Words(line)
		require.True(t, ok, line)
		dump := words[3]
		if o, err := st.Restore(dump, datastore.DumpOptions{}); err != nil || o.Len() == 0 && o.Type() > datastore.TypeString {
			continue
		}
		body := dump[:len(dump)-10]
		// in a file, nothing may stand behind a value
		f := datastore.NewFileReader(bytes.NewReader(fileWith([]string{body})), datastore.FileReaderOptions{SkipChecksum: true})
		_, err := f.Next()
		for err == nil {
			_, err = f.Next()
		}
		if err.Error() == "EOF" {
			bodies = append(bodies, body)
		}
	}
	require.Greater(t, len(bodies), 30)
	return bodies
}

// fileWith returns a file with the bodies as the values of keys.
func fileWith(bodies []string) []byte {
	b := []byte("REDIS0010\xfe\x00")
	for i, body := range bodies {
		key := fmt.Sprintf("key %d", i)
		b = append(b, body[0])
		b = append(append(b, byte(len(key))), key...)
		b = append(b, body[1:]...)
	}
	return binary.LittleEndian.AppendUint64(append(b, 0xff), 0) // 0: no checksum
}

// TestOldKindsInFiles loads values of every kind, here and into the oracle, and compares them.
func TestOldKindsInFiles(t *testing.T) {
	redistest.Need(t)
	bodies := kinds(t)
	file := fileWith(bodies)
	oracle := startOn(t, file)
	st := newStore()
	loaded, err := rdbfile.Load(bytes.NewReader(file), st, rdbfile.Loading{})
	require.NoError(t, err)
	require.Equal(t, len(bodies), loaded.Keys)
	require.NoError(t, st.Check())
	requireDumps(t, st, state(t, oracle), true)

	_, keys := rdbfile.Keys(bytes.NewReader(file), rdbfile.Reading{}, nil)
	n := 0
	for k, err := range keys {
		require.NoError(t, err)
		info, err := k.Elements(func(datastore.Element) bool { return true })
		require.NoError(t, err)
		o := st.DB(0).Raw(k.Key).Object()
		require.Equal(t, o.Type(), k.ValueKind.Type())
		require.EqualValues(t, o.Len(), info.Elements, "%s: %q", k.Key, bodies[n])
		require.EqualValues(t, len(bodies[n])-1, info.Size)
		n++
	}
	require.Equal(t, len(bodies), n)
}
