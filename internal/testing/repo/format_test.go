package repo

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFormatting fails for each file that gofmt would change.
func TestFormatting(t *testing.T) {
	files, err := Files(Root(), ".go")
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(filepath.Join(Root(), file))
		require.NoError(t, err)
		formatted, err := format.Source(source)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		} else if !bytes.Equal(source, formatted) {
			t.Errorf("gofmt would change %s", file)
		}
	}
}
