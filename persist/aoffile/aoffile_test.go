package aoffile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/persist/aoffile"
)

const set = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n"

func ExampleReader() {
	r := aoffile.NewReader(strings.NewReader("#TS:1700000000\r\n"+set+"*1\r\n$5\r\nMULTI\r\n"), "appendonly.aof", 0)
	for {
		c, err := r.Next()
		var damage *aoffile.Error
		if errors.As(err, &damage) {
			fmt.Println("cut at", damage.Safe, damage.Multi)
			return
		}
		fmt.Println(c.Args, c.Offset, c.Size, c.Time)
	}
	// Output:
	// [SET k v] 0 43 1700000000
	// [MULTI] 43 15 1700000000
	// cut at 43 true
}

func TestDamageHasItsPlace(t *testing.T) {
	r := aoffile.NewReader(strings.NewReader(set+"what"), "my.aof", 100)
	c, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, int64(100), c.Offset)
	require.Equal(t, int64(len(set)), c.Size)
	_, err = r.Next()
	var damage *aoffile.Error
	require.ErrorAs(t, err, &damage)
	require.False(t, damage.Truncated)
	require.Equal(t, int64(100+len(set)), damage.Offset)
	require.ErrorContains(t, err, "my.aof")

	r = aoffile.NewReader(strings.NewReader(set[:len(set)-4]), "my.aof", 0)
	_, err = r.Next()
	require.ErrorAs(t, err, &damage)
	require.True(t, damage.Truncated)
	require.Zero(t, damage.Safe)

	_, err = aoffile.NewReader(strings.NewReader(""), "", 0).Next()
	require.Equal(t, io.EOF, err)
}

func TestManifestListsItsFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.manifest")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write("file a.1.base.rdb seq 1 type b\nfile a.1.incr.aof seq 1 type h\nfile a.2.incr.aof seq 2 type i\n")
	files, err := aoffile.Manifest(path)
	require.NoError(t, err)
	require.Equal(t, []aoffile.File{
		{Name: "a.1.base.rdb", Role: aoffile.Base, Seq: 1},
		{Name: "a.2.incr.aof", Role: aoffile.Incr, Seq: 2},
		{Name: "a.1.incr.aof", Role: aoffile.History, Seq: 1},
	}, files)

	write("file ../a seq 1 type b\n")
	_, err = aoffile.Manifest(path)
	require.ErrorContains(t, err, path)
	write(strings.Repeat("#\n", 9<<20))
	_, err = aoffile.Manifest(path)
	require.Error(t, err)
	_, err = aoffile.Manifest(path + ".none")
	require.ErrorIs(t, err, os.ErrNotExist)
}
