package luagen

import (
	"math/rand/v2"
	"slices"
	"strings"
)

var strayTokens = strings.Fields(`and break do else elseif end false for function if in local nil not or repeat return then true until while
+ - * / % ^ # == ~= <= >= < > = ( ) { } [ ] ; : , . .. ... a x _ f 1 0x1 3.5 1e9 'a' "b" [[c]] [=[d]=] --e goto :: & | ~ ! @ $ ? \ ` + "` 1..2 3x 0x 1e 08 'open \"open [[open [=[open --[[open ]] '\\300' '\\999' '\\x' '\\ [= [== \x01 \x7f \xff \x00 ~x")

// Break damages a program in one to three places. The result may still be a valid program, for
// instance one that reads a name which is no longer declared.
func Break(rng *rand.Rand, src string) string {
	tokens := Tokens(src)
	for range 1 + rng.IntN(3) {
		tokens = mutate(rng, tokens)
	}
	return strings.Join(tokens, "")
}

func mutate(rng *rand.Rand, tokens []string) []string {
	var at []int // what is not blank
	for i, t := range tokens {
		if !blank(t) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return []string{strayTokens[rng.IntN(len(strayTokens))]}
	}
	i := at[rng.IntN(len(at))]
	other := tokens[at[rng.IntN(len(at))]]
	if rng.IntN(2) == 0 {
		other = strayTokens[rng.IntN(len(strayTokens))]
	}
	switch rng.IntN(12) {
	case 0, 1:
		return slices.Delete(tokens, i, i+1)
	case 2:
		return slices.Insert(tokens, i, tokens[i], " ")
	case 3:
		j := at[rng.IntN(len(at))]
		tokens[i], tokens[j] = tokens[j], tokens[i]
	case 4, 5:
		tokens[i] = other
	case 6, 7:
		return slices.Insert(tokens, i, other, " ")
	case 8:
		return tokens[:i+1]
	case 9:
		tokens[i] = tokens[i][:rng.IntN(len(tokens[i]))]
	case 10:
		return slices.Insert(tokens, i, "\n")
	case 11:
		tokens[i] = mangle(rng, tokens[i])
	}
	return tokens
}

// mangle changes something inside a token.
func mangle(rng *rand.Rand, t string) string {
	k := rng.IntN(len(t) + 1)
	stray := strayTokens[rng.IntN(len(strayTokens))]
	switch c := t[0]; {
	case isDigit(c):
		stray = []string{"x", ".", "..", "e", "e+", "_", "f", "1.2.3", "p4", "0", "E-"}[rng.IntN(11)]
	case c == '"' || c == '\'':
		stray = []string{"\\", "\n", "\\300", "\\2555", "\\\n", "\\x41", string(c), "\x00", "\\z", "\r", "\\\r\n"}[rng.IntN(11)]
	case c == '[' || c == '-':
		stray = []string{"=", "[", "]", "]=]", "\n", "--[["}[rng.IntN(6)]
	}
	return t[:k] + stray + t[k:]
}
