package glob

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGlobMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		fold, want bool
	}{
		{"", "", false, true},
		{"", "a", false, false},
		{"*", "", false, false},
		{"**", "a", false, true},
		{"**", "abc", false, true},
		{"a*c", "abbbc", false, true},
		{"a*c", "abbbd", false, false},
		{"*a*b*", "xxaxxb", false, true},
		{"?", "", false, false},
		{"h?llo", "hello", false, true},
		{"h[ae]llo", "hallo", false, true},
		{"h[^e]llo", "hello", false, false},
		{"h[a-c]llo", "hbllo", false, true},
		{"h[c-a]llo", "hbllo", false, true},
		{"[a-", "a", false, true},
		{"[a-", "-", false, true},
		{"[a", "a", false, true},
		{"[", "[", false, false},
		{"[^", "x", false, true},
		{"[]", "]", false, false},
		{"[^]", "]", false, true},
		{`[\]]`, "]", false, true},
		{`[\]`, "]", false, true},
		{`\*`, "*", false, true},
		{`\*`, "a", false, false},
		{`a\`, `a\`, false, true},
		{"ABC", "abc", true, true},
		{"[A-C]", "b", true, true},
		{`[\A]`, "a", true, false},
		{"[a-\xff]", "\xff", false, true},
		{"[a-\xff]", "0", false, true},
		{"[a-\xff]", "b", false, false},
	} {
		assert.Equal(t, c.want, Match(c.pattern, c.s, c.fold), "%q against %q", c.s, c.pattern)
	}
}

func TestGlobManyStarsEnd(t *testing.T) {
	assert.False(t, Match(strings.Repeat("a*", 1000)+"b", strings.Repeat("a", 10000), false))
}
