package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStrerror(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows words its errors differently")
	}
	none := filepath.Join(t.TempDir(), "none")
	_, pathErr := os.Open(none)
	require.Equal(t, "No such file or directory", Strerror(pathErr))
	require.Equal(t, "No such file or directory", Strerror(os.Rename(none, none+"2")))
	require.Equal(t, "No such file or directory", Strerror(fmt.Errorf("reading: %w", pathErr)))
	require.Equal(t, "Something else", Strerror(errors.New("something else")))
	require.Empty(t, Strerror(errors.New("")))
}
