package textdiff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnified(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"a\n", "a\n", ""},
		{"", "", ""},
		{"", "a\n", "--- x\n+++ y\n@@ -0,0 +1 @@\n+a\n"},
		{"a\n", "", "--- x\n+++ y\n@@ -1 +0,0 @@\n-a\n"},
		{"a", "a\n", "--- x\n+++ y\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"1\n2\n3\n4\n5\n", "1\n2\nx\n4\n5\n", "--- x\n+++ y\n@@ -1,5 +1,5 @@\n 1\n 2\n-3\n+x\n 4\n 5\n"},
	} {
		require.Equal(t, c.want, Unified("x", "y", c.a, c.b))
	}
	far := Unified("x", "y", "a\n"+strings.Repeat("=\n", 20)+"b\n", "A\n"+strings.Repeat("=\n", 20)+"B\n")
	require.Equal(t, 2, strings.Count(far, "@@ -"))
}

// apply makes the differences of two texts.
func apply(a, b []string) []string {
	var out []string
	at := 0
	for _, h := range Hunks(a, b) {
		out = append(append(out, a[at:h.From]...), b[h.NewFrom:h.NewTo]...)
		at = h.To
	}
	return append(out, a[at:]...)
}

func TestHunksLeadFromOneTextToTheOther(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() (list []string) {
		for range rng.IntN(12) {
			list = append(list, fmt.Sprint(rng.IntN(4)))
		}
		return list
	}
	for range 20000 {
		a, b := draw(), draw()
		require.True(t, slices.Equal(b, apply(a, b)), "%q %q", a, b)
		last := -1
		for _, h := range Hunks(a, b) {
			require.Greater(t, h.From, last)
			require.Positive(t, h.To-h.From+h.NewTo-h.NewFrom)
			last = h.To
		}
	}
}

func TestTextsWithoutACommonLine(t *testing.T) {
	var a, b []string
	for i := range 3000 {
		a, b = append(a, fmt.Sprint("a", i)), append(b, fmt.Sprint("b", i))
	}
	require.Equal(t, []Hunk{{0, 3000, 0, 3000}}, Hunks(a, b))
}

func TestNear(t *testing.T) {
	show := func(a, b string) string {
		var out strings.Builder
		for _, l := range Near(Lines(a), Lines(b)) {
			out.WriteString(strings.TrimSuffix(l.String(), "\n") + "\n")
		}
		return out.String()
	}
	same := strings.Repeat("=\n", 10)
	require.Empty(t, show(same, same))
	require.Equal(t, "- a\n+ b\n", show("a\n", "b\n"))
	require.Equal(t, "  … 7 lines\n  =\n  =\n  =\n- a\n+ b\n  =\n  =\n  =\n  … 7 lines\n", show(same+"a\n"+same, same+"b\n"+same))
	long := Near(nil, make([]string, 5000))
	require.Equal(t, Line{'.', "… 4800 lines"}, long[len(long)-1])
	require.Len(t, long, 201)
}
