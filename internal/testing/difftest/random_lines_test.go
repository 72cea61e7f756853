package difftest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
)

// TestRandomLines does what TestLines does for random programs with random line breaks:
// REDMOON_SEED=n chooses others, REDMOON_PROGRAMS=n how many.
func TestRandomLines(t *testing.T) {
	needsOracle(t)
	seed, count := luagen.Settings(50, 100)
	rng := rand.New(rand.NewPCG(seed, 5))
	lines := 0
	for range count {
		src := luagen.BreakLines(rng, luagen.Program(rng, 1+rng.IntN(4)))
		differ := func(src string) bool {
			s := steppedScript{src: src}
			theirs, ours := oracleLines(t, s), reachedLines(t, s)
			lines += len(ours)
			return !slices.Equal(theirs, ours)
		}
		if differ(src) {
			src = luagen.Shrink(src, differ)
			s := steppedScript{src: src}
			t.Errorf("%s\noracle %v\nours   %v", src, oracleLines(t, s), reachedLines(t, s))
		}
	}
	t.Logf("%d programs, %d lines", count, lines)
}
