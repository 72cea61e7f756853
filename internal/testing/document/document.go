// Package document compares documents that a program writes with what the program would write now.
package document

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Check fails unless a file is what want makes of its text: want may keep parts that people write.
// The failure names the first line that differs, and the command that writes the file. With write,
// Check writes it.
func Check(t *testing.T, path, command string, write bool, want func(old string) string) {
	t.Helper()
	old, err := os.ReadFile(path)
	if !write || !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	text := want(string(old))
	if write {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return
	}
	if line, have, wanted := difference(string(old), text); line > 0 {
		t.Errorf("%s:%d: the line is\n\t%s\nand `%s` would write\n\t%s", path, line, have, command, wanted)
	}
}

// difference returns the number of the first line in which two texts differ, and its two forms. The
// number is 0 if there is none.
func difference(a, b string) (line int, inA, inB string) {
	if a == b {
		return 0, "", ""
	}
	const end = "(the end of the file)"
	left, right := append(strings.Split(a, "\n"), end), append(strings.Split(b, "\n"), end)
	for i := range min(len(left), len(right)) {
		if left[i] != right[i] {
			return i + 1, left[i], right[i]
		}
	}
	return min(len(left), len(right)), left[len(left)-1], right[len(right)-1]
}
