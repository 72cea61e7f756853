package files_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/files"
)

func TestReadRegular(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lua")
	require.NoError(t, os.WriteFile(path, []byte("return 1"), 0o600))
	b, err := files.ReadRegular(path, 8)
	require.NoError(t, err)
	require.Equal(t, "return 1", string(b))
	_, err = files.ReadRegular(path, 7)
	require.ErrorContains(t, err, "longer than 7 bytes")
	_, err = files.ReadRegular(filepath.Dir(path), 100)
	require.ErrorContains(t, err, "is a directory")
	_, err = files.ReadRegular(path+"x", 100)
	require.ErrorIs(t, err, os.ErrNotExist)
	if runtime.GOOS != "windows" {
		_, err = files.ReadRegular("/dev/zero", 100)
		require.ErrorContains(t, err, "not a regular file")
	}
}
