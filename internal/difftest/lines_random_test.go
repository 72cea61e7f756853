package difftest

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/difftest/luagen"
)

// TestRandomLines does what TestLines does for random programs with random line breaks: REDMOON_SEED=n chooses others, REDMOON_PROGRAMS=n how many.
func TestRandomLines(t *testing.T) {
	needsOracle(t)
	seed, count := uint64(1), 100
	if s, err := strconv.ParseUint(os.Getenv("REDMOON_SEED"), 10, 64); err == nil {
		seed = s
	}
	if n, err := strconv.Atoi(os.Getenv("REDMOON_PROGRAMS")); err == nil {
		count = n
	}
	rng := rand.New(rand.NewPCG(seed, 5))
	lines := 0
	for range count {
		src := breakLines(rng, luagen.Program(rng, 1+rng.IntN(4)))
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

// breakLines puts line breaks between the tokens of a program.
func breakLines(rng *rand.Rand, src string) string {
	var b strings.Builder
	tokens := luagen.Tokens(src)
	for i, token := range tokens {
		if strings.HasPrefix(token, "--") {
			continue
		}
		b.WriteString(token)
		if rng.IntN(3) == 0 && i+1 < len(tokens) && !strings.HasPrefix(tokens[i+1], "(") && strings.TrimSpace(token) != "" {
			b.WriteString("\n")
		}
	}
	return b.String()
}
