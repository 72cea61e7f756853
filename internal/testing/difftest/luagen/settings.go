package luagen

import (
	"math/rand/v2"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// Settings returns the seed of a test of random programs and their number: REDMOON_PROGRAMS, by
// default short in make test and long in .ci/run.
func Settings(short, long int) (seed uint64, count int) {
	return tier.Seed(), tier.Number("REDMOON_PROGRAMS", short, long)
}

// BreakLines puts line breaks between the tokens of a program, whose comments it leaves out.
func BreakLines(rng *rand.Rand, src string) string {
	var b strings.Builder
	tokens := Tokens(src)
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
