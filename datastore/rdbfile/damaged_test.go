package rdbfile_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// damageLimit is the memory in bytes that the load of a damaged file of a few KiB may take.
const damageLimit = 4 << 20

// masks returns the bit patterns that the tests apply to each byte. REDMOON_MASKS=n sets how many
// there are, up to 10. With one, redis-check-rdb is asked about a part of the files only.
func masks(t *testing.T) []byte {
	n, err := strconv.Atoi(os.Getenv("REDMOON_MASKS"))
	if err != nil {
		n = 1
	}
	all := []byte{0xff, 1, 0x80, 2, 4, 8, 16, 32, 64, 0x55}
	require.True(t, n >= 1 && n <= len(all), "REDMOON_MASKS")
	return all[:n]
}

// loadMeasured loads a file into an empty store. It must not take more memory than the limit, and
// what is loaded must be valid.
func loadMeasured(t *testing.T, file []byte, o rdbfile.Reading) (*datastore.Store, error) {
	t.Helper()
	st := newStore()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := rdbfile.Load(bytes.NewReader(file), st, rdbfile.Loading{Reading: o})
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(damageLimit), "%q", file)
	require.NoError(t, st.Check())
	var at *datastore.FileError
	if err != nil {
		require.ErrorAs(t, err, &at)
		require.LessOrEqual(t, at.Offset, int64(len(file)))
	}
	return st, err
}

// oracleVerdict asks redis-check-rdb about a file.
func oracleVerdict(t *testing.T, tool, path string, file []byte) (ok bool, out []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, file, 0o600))
	out, err := exec.Command(tool, path).CombinedOutput()
	var exit *exec.ExitError
	require.True(t, err == nil || errors.As(err, &exit), "%v", err)
	return err == nil, out
}

// unseen are the errors for what redis-check-rdb does not look at, but redis-server does.
var unseen = []error{datastore.ErrFileDuplicate, datastore.ErrFileDatabase}

// requireVerdict compares the verdicts on a damaged file that has no checksum.
func requireVerdict(t *testing.T, tool, path string, file []byte, err error, what string) {
	t.Helper()
	if slices.ContainsFunc(unseen, func(e error) bool { return errors.Is(err, e) }) {
		return
	}
	ok, out := oracleVerdict(t, tool, path, file)
	if !ok && err == nil { // for redis-check-rdb, a value without elements is an error
		if loaded, _ := rdbfile.Load(bytes.NewReader(file), newStore(), rdbfile.Loading{}); loaded.Empty > 0 {
			ok = loadsOnRedis(t, file)
		}
	}
	if ok != (err == nil) {
		t.Errorf("%s: redmoon %v\n%s", what, err, out)
	}
}

// loadsOnRedis reports whether a redis-server starts with a file.
func loadsOnRedis(t *testing.T, file []byte) bool {
	s, err := redistest.Start()
	require.NoError(t, err)
	defer s.Stop()
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir, "dump.rdb"), file, 0o644))
	s.Kill()
	return s.Restart() == nil
}

// Each byte of a file with values of every kind is changed, by each pattern, and each truncation is
// made. A file without a checksum is refused where redis-check-rdb refuses it, takes little memory,
// and what it gives is valid.
func TestDamagedFilesOfEveryKind(t *testing.T) {
	tool := redistest.NeedProgram(t, "redis-check-rdb")
	file, path := fileWith(kinds(t)), filepath.Join(t.TempDir(), "damaged.rdb")
	_, err := loadMeasured(t, file, rdbfile.Reading{})
	require.NoError(t, err)
	patterns := masks(t)
	asked := func(i int) bool { return len(patterns) > 1 || i%25 == 0 }
	for n := range file {
		_, err := loadMeasured(t, file[:n], rdbfile.Reading{})
		require.ErrorIs(t, err, datastore.ErrFileShort, "%d bytes", n)
		if asked(n) {
			requireVerdict(t, tool, path, file[:n], err, strconv.Itoa(n)+" bytes")
		}
	}
	for i := range file[:len(file)-8] {
		for _, mask := range patterns {
			damaged := bytes.Clone(file)
			damaged[i] ^= mask
			_, err := loadMeasured(t, damaged, rdbfile.Reading{})
			if asked(i) {
				requireVerdict(t, tool, path, damaged, err, "byte "+strconv.Itoa(i)+" ^ "+strconv.Itoa(int(mask)))
			}
		}
	}
}

// With a checksum, a changed byte gives an error or the same data.
func TestDamagedFilesWithChecksum(t *testing.T) {
	from := newStore()
	_, err := rdbfile.Load(bytes.NewReader(fileWith(kinds(t))), from, rdbfile.Loading{})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, rdbfile.Write(&b, from, rdbfile.Writing{Compress: true, Functions: []string{"#!lua name=a\n"}}))
	file := b.Bytes()
	for n := range file {
		_, err := loadMeasured(t, file[:n], rdbfile.Reading{})
		require.ErrorIs(t, err, datastore.ErrFileShort, "%d bytes", n)
	}
	for i := range file {
		for _, mask := range masks(t) {
			damaged := bytes.Clone(file)
			damaged[i] ^= mask
			if st, err := loadMeasured(t, damaged, rdbfile.Reading{}); err == nil {
				require.Equal(t, from.Digest(), st.Digest(), "byte %d ^ %d", i, mask)
			}
		}
	}
}
