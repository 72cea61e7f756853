package luagen

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

// Settings reads the environment variables of tests of random programs: REDMOON_SEED (default 1)
// and REDMOON_PROGRAMS, the number of programs.
func Settings(programs int) (seed uint64, count int) {
	seed, count = 1, programs
	if s, err := strconv.ParseUint(os.Getenv("REDMOON_SEED"), 10, 64); err == nil {
		seed = s
	}
	if n, err := strconv.Atoi(os.Getenv("REDMOON_PROGRAMS")); err == nil {
		count = n
	}
	return seed, count
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
