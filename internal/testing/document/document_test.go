package document

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDifference(t *testing.T) {
	for _, c := range []struct {
		a, b     string
		line     int
		inA, inB string
	}{
		{"a\nb\n", "a\nb\n", 0, "", ""},
		{"a\nb\nc\n", "a\nx\nc\n", 2, "b", "x"},
		{"a\n", "a\nb\n", 2, "", "b"},
		{"a", "a\n", 2, "(the end of the file)", ""},
		{"", "a", 1, "", "a"},
	} {
		line, inA, inB := difference(c.a, c.b)
		require.Equal(t, []any{c.line, c.inA, c.inB}, []any{line, inA, inB}, "%q %q", c.a, c.b)
	}
}
