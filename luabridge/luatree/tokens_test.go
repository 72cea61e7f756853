package luatree_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// cut returns the tokens of a text, each with the first letter of its kind.
func cut(source string) (list []string) {
	for _, t := range luatree.Tokens(source) {
		list = append(list, string("nkdsoc!"[t.Kind])+" "+source[t.From:t.To])
	}
	return list
}

func TestTokens(t *testing.T) {
	for source, want := range map[string]string{
		"local a = 0x1F .. 'b' -- c":     "k local|n a|o =|d 0x1F|o ..|s 'b'|c -- c",
		"#!lua name=x\nf[[\n]]--[=[ ]=]": "n f|s [[\n]]|c --[=[ ]=]",
		"#!lua":                          "",
		"a ~= ... 'b":                    "n a|o ~=|o ...|! 'b",
		"'x\ny = 1":                      "! 'x|n y|o =|d 1",
		"12ab + 3":                       "! 12ab|o +|d 3",
		"a --[[ b\nc":                    "n a|! --[[ b\nc",
		"f([==[ b\nc":                    "n f|o (|! [==[ b\nc",
		"'\\999' a\nb":                   "! '\\999' a|n b",
		"a [= b\nc":                      "n a|! [= b|n c",
		"\x00$ä":                         "o \x00|o $|o \xc3|o \xa4",
	} {
		require.Equal(t, want, strings.Join(cut(source), "|"), source)
	}
}

// Whatever the text, its tokens are in order, and only spaces are between them.
func checkTokens(t *testing.T, source string) {
	at := 0
	for _, tok := range luatree.Tokens(source) {
		require.LessOrEqual(t, at, tok.From)
		require.Less(t, tok.From, tok.To)
		if !strings.HasPrefix(source, "#!") {
			require.Empty(t, strings.Trim(source[at:tok.From], " \t\n\v\f\r"))
		}
		at = tok.To
	}
	require.LessOrEqual(t, at, len(source))
}

func FuzzTokensOfAnyText(f *testing.F) {
	f.Add("local a <const> = {1, [2]=3, f'x'} return a..1")
	f.Add("'\\x\n--[[ \n ]=] 0x 1e+ ~ [=")
	f.Fuzz(checkTokens)
}

// A text of errors only takes no more than one pass.
func TestTokensOfManyErrors(t *testing.T) {
	require.Len(t, luatree.Tokens(strings.Repeat("'\n0x ", 200_000)), 400_000)
}
