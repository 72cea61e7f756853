package inspectfile

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files again")

// small is a file that is checked in, so that reports of old files stay the same.
const small = "testdata/small.rdb"

// TestGolden compares all forms of a report. The JSON form is what programs rely on.
func TestGolden(t *testing.T) {
	if *rewrite {
		require.NoError(t, os.WriteFile(small, encode(t, store(t)), 0o644))
	}
	r := inspect(t, small, Options{Top: 4})
	require.Empty(t, r.Damage)
	var b bytes.Buffer
	require.NoError(t, PrintJSON(&b, r))
	golden(t, "small.json", b.Bytes())
	require.True(t, json.Valid(b.Bytes()))
	b.Reset()
	require.NoError(t, r.Print(&b, Style{}))
	golden(t, "small.txt", b.Bytes())
	require.NotContains(t, b.String(), "\x1b")
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func TestFiguresOfAnRDBFile(t *testing.T) {
	k := inspect(t, save(t, "a.rdb", encode(t, store(t))), Options{Top: 100}).Keyspace
	require.Equal(t, int64(16), k.Keys)
	require.Equal(t, int64(5), k.Expires)
	require.Equal(t, int64(50), k.Elements)
	require.Len(t, k.Databases, 2)
	require.Equal(t, 3, k.Databases[1].DB)
	for i, want := range []int64{1, 1, 1, 1, 1, 11} {
		require.Equal(t, want, k.Expiry[i].Keys, k.Expiry[i].Period)
	}
	require.Equal(t, "jobs", k.Biggest[0].Key.String())
	require.Equal(t, "jobs", k.Longest[0].Key.String())
	require.Equal(t, int64(50), k.Longest[0].Elements)
	require.Len(t, k.Soonest, 4)
	require.Equal(t, "session:1", k.Soonest[0].Key.String())
	byName := map[string]Prefix{}
	for _, p := range k.Prefixes.Top {
		byName[p.Prefix.String()] = p
	}
	require.Len(t, byName, 2+9)
	require.Equal(t, int64(9), byName["user:"].Keys)
	require.Equal(t, int64(1), byName["user:3:"].Keys)
	require.Equal(t, 2, byName["user:3:"].Depth)
	sum := Totals{}
	for _, kind := range k.Kinds {
		sum.add(kind.Totals)
	}
	require.Equal(t, k.Totals, sum)
}

func TestMatchChoosesKeys(t *testing.T) {
	o := Options{Top: 5, Match: func(key string) bool { return strings.HasPrefix(key, "user:") }}
	r := inspect(t, save(t, "a.rdb", encode(t, store(t))), o)
	require.Equal(t, int64(9), r.Keyspace.Keys)
	require.Equal(t, int64(16), r.Files[0].Keys)

	text := aofText("SELECT 2", "SET user:1 a", "SET other b", "MSET other c user:2 d")
	c := inspect(t, save(t, "a.aof", []byte(text)), o).Commands
	require.Equal(t, int64(2), c.Count)
	require.Len(t, c.Keys, 2)
	require.Equal(t, 2, c.Keys[0].DB)
}

// Whatever is wrong with a file, the keys before the damage are in the report.
func TestEveryTruncationIsReported(t *testing.T) {
	file := encode(t, store(t))
	path := save(t, "a.rdb", file)
	keys := int64(0)
	for n := range len(file) {
		require.NoError(t, os.WriteFile(path, file[:n], 0o600))
		r := inspect(t, path, Options{Top: 3})
		require.Len(t, r.Damage, 1, n)
		if n >= 9 {
			require.Equal(t, Truncated, r.Damage[0].Kind, n)
			require.LessOrEqual(t, r.Damage[0].Offset, int64(n))
			require.GreaterOrEqual(t, r.Keyspace.Keys, keys, n)
			keys = r.Keyspace.Keys
		}
	}
	require.Equal(t, int64(16), keys)
}

func TestEveryFlippedByteIsReported(t *testing.T) {
	file := encode(t, store(t))
	path := save(t, "a.rdb", file)
	for n := range file {
		wrong := bytes.Clone(file)
		wrong[n] ^= 0x15
		require.NoError(t, os.WriteFile(path, wrong, 0o600))
		r := inspect(t, path, Options{Top: 3})
		if n >= 9 || n < 5 { // another version may be readable, its checksum differs all the same
			require.NotEmpty(t, r.Damage, n)
		}
		var b bytes.Buffer
		require.NoError(t, PrintJSON(&b, r))
		require.NoError(t, r.Print(&b, Style{Width: 80}))
		if n%16 == 0 {
			require.NoError(t, r.PrintHTML(&b))
		}
		require.NotContains(t, b.String(), "\x1b")
	}
}

func TestBytesAfterTheEnd(t *testing.T) {
	file := encode(t, store(t))
	r := inspect(t, save(t, "a.rdb", append(bytes.Clone(file), "junk"...)), Options{})
	require.Len(t, r.Damage, 1)
	require.Equal(t, Trailing, r.Damage[0].Kind)
	require.Equal(t, int64(len(file)), r.Damage[0].Offset)

	text := aofText("SELECT 0", "SET a b")
	r = inspect(t, save(t, "a.aof", append(bytes.Clone(file), text...)), Options{Top: 1})
	require.Empty(t, r.Damage)
	require.Equal(t, AOF, r.Format)
	require.Equal(t, int64(16), r.Keyspace.Keys)
	require.Equal(t, int64(2), r.Commands.Count)
	require.Equal(t, int64(len(text)), r.Commands.Bytes)
	require.Equal(t, r.Size, r.Files[0].Whole)
}

func TestOpenTransaction(t *testing.T) {
	whole := "#TS:1700000000\r\n" + aofText("SELECT 0", "MULTI", "INCR a", "EXEC")
	r := inspect(t, save(t, "a.aof", []byte(whole+aofText("MULTI", "INCR a", "INCR b"))), Options{Top: 5})
	require.Len(t, r.Damage, 1)
	d := r.Damage[0]
	require.Equal(t, Truncated, d.Kind)
	require.True(t, d.Multi)
	require.Equal(t, int64(len(whole)), *d.Safe)
	require.Equal(t, int64(2), r.Commands.Multi)
	require.Equal(t, "a", r.Commands.Keys[0].Key.String())
	require.Equal(t, int64(2), r.Commands.Keys[0].Count)
	require.Equal(t, int64(1700000000), r.Commands.First.Unix())
	require.Equal(t, "incr", r.Commands.Names[0].Name.String())
}

func TestManifestWithItsFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) { require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600)) }
	write("a.1.base.rdb", encode(t, store(t)))
	write("a.1.incr.aof", []byte(aofText("SELECT 3", "SET a b")))
	write("a.aof.manifest", []byte("file a.1.base.rdb seq 1 type b\nfile a.1.incr.aof seq 1 type i\nfile a.2.incr.aof seq 2 type i\n"))
	r := inspect(t, dir, Options{Top: 5})
	require.Equal(t, Manifest, r.Format)
	require.Len(t, r.Files, 3)
	require.Equal(t, int64(16), r.Keyspace.Keys)
	require.Equal(t, int64(2), r.Commands.Count)
	require.Len(t, r.Damage, 1, "a file is missing")
	require.Equal(t, Unreadable, r.Damage[0].Kind)
	require.Contains(t, r.Damage[0].Path, "a.2.incr.aof")

	write("a.2.incr.aof", nil)
	require.Empty(t, inspect(t, filepath.Join(dir, "a.aof.manifest"), Options{}).Damage)
	write("a.aof.manifest", []byte("nonsense\n"))
	require.Len(t, inspect(t, dir, Options{}).Damage, 1)
	write("b.manifest", nil)
	_, err := Inspect(context.Background(), dir, Options{})
	require.ErrorContains(t, err, "2 manifests")
	_, err = Inspect(context.Background(), t.TempDir(), Options{})
	require.ErrorContains(t, err, "no manifest")
}

func TestWhatIsNotAFileOfRedis(t *testing.T) {
	for _, text := range []string{"", "hello\x1b[31m", "PK\x03\x04", "redis0010"} {
		r := inspect(t, save(t, "a", []byte(text)), Options{})
		require.Len(t, r.Damage, 1, text)
		require.Equal(t, Corrupt, r.Damage[0].Kind)
		require.NotContains(t, r.Damage[0].Message, "\x1b")
	}
	_, err := Inspect(context.Background(), filepath.Join(t.TempDir(), "none"), Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Inspect(context.Background(), os.DevNull, Options{})
	require.ErrorContains(t, err, "not a regular file")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Inspect(ctx, small, Options{})
	require.ErrorIs(t, err, context.Canceled)
}
