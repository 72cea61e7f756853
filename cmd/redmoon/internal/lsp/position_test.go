package lsp

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPositions(t *testing.T) {
	text := "aä😀b\r\nc\rd\n\n"
	for _, c := range []struct {
		line, utf16, utf8, offset int
	}{
		{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 2, 3, 3}, {0, 4, 7, 7}, {0, 5, 8, 8}, {1, 0, 0, 10}, {1, 1, 1, 11}, {2, 0, 0, 12}, {3, 0,
			0, 14}, {4, 0, 0, 15},
	} {
		require.Equal(t, c.offset, newIndex(text, false).offset(position{c.line, c.utf16}))
		require.Equal(t, c.offset, newIndex(text, true).offset(position{c.line, c.utf8}))
		require.Equal(t, position{c.line, c.utf16}, newIndex(text, false).position(c.offset))
		require.Equal(t, position{c.line, c.utf8}, newIndex(text, true).position(c.offset))
	}
	x := newIndex(text, false)
	for p, want := range map[position]int{
		{0, 3}: 3, {0, 99}: 8, {1, 99}: 11, {9, 9}: len(text), {-1, 5}: 0, {0, -1}: 0, {4, 1}: len(text),
	} {
		require.Equal(t, want, x.offset(p), p)
	}
	require.Equal(t, 3, newIndex(text, true).offset(position{0, 5}), "inside a character")
}

// pieces are what random edits consist of.
var pieces = []string{"", "a", "local x = 1\n", "ä", "😀", "\n", "\r\n", "\r", "redis.call('GET', KEYS[1])", "end", "(", "'", "--[[", "]]"}

// randomEdit returns a change of a text and the text after it.
func randomEdit(rng *rand.Rand, text string, utf8 bool) (change, string) {
	x := newIndex(text, utf8)
	at := func() position {
		line := rng.IntN(len(x.lines) + 1)
		return position{line, rng.IntN(12)}
	}
	from, to := at(), at()
	a, b := x.offset(from), x.offset(to)
	if a > b {
		from, to, a, b = to, from, b, a
	}
	piece := pieces[rng.IntN(len(pieces))]
	return change{&span{from, to}, piece}, text[:a] + piece + text[b:]
}

// Incremental changes lead to the text that the client has, and all answers are the same as after
// one change with the whole text.
func TestIncrementalChangesAreFullOnes(t *testing.T) {
	for _, utf8 := range []bool{false, true} {
		encodings := object{"general": object{"positionEncodings": map[bool][]string{true: {"utf-8"}, false: {"utf-16"}}[utf8]}}
		a, b := start(t, encodings), start(t, encodings)
		rng := rand.New(rand.NewPCG(3, 5))
		text := "local function f(a)\n  return a -- ä😀\nend\nreturn f(redis.call('GET', KEYS[1]))\n"
		a.open(untitled, text)
		b.open(untitled, text)
		for version := 2; version < 150; version++ {
			var list []any
			for range 1 + rng.IntN(3) {
				var c change
				c, text = randomEdit(rng, text, utf8)
				list = append(list, c)
			}
			a.change(untitled, version, list...)
			b.change(untitled, version, change{nil, text})
			p := object{"textDocument": object{"uri": untitled}, "position": position{rng.IntN(strings.Count(text, "\n") + 1),
				rng.IntN(20)}, "newName": "q",
				"context": object{"includeDeclaration": true}, "range": span{End: position{1000, 0}}}
			for _, method := range []string{"textDocument/formatting", "textDocument/documentSymbol", "textDocument/hover",
				"textDocument/completion",
				"textDocument/references", "textDocument/foldingRange", "textDocument/codeAction", "textDocument/rename",
				"textDocument/signatureHelp"} {
				one, other := a.answer(a.ask(method, p)), b.answer(b.ask(method, p))
				require.Equal(t, string(other.Result), string(one.Result), "%s\n%q", method, text)
				require.Equal(t, other.Error, one.Error)
			}
		}
	}
}

func FuzzIncrementalEdits(f *testing.F) {
	f.Add("a\r\nä😀", "b", 0, 1, 1, 2)
	f.Fuzz(func(t *testing.T, text, piece string, line, character, endLine, endCharacter int) {
		for _, utf8 := range []bool{false, true} {
			r := span{position{line, character}, position{endLine, endCharacter}}
			got := apply(text, []change{{&r, piece}}, utf8)
			x := newIndex(text, utf8)
			from, to := x.offset(r.Start), x.offset(r.End)
			require.True(t, 0 <= from && from <= len(text))
			require.Equal(t, text[:from]+piece+text[max(from, to):], got)
			y := newIndex(got, utf8)
			for at := 0; at <= len(got); at++ {
				require.Less(t, y.offset(y.position(at)), at+4, "an offset inside a character is its beginning or its end")
			}
		}
	})
}

// The marks of a long line give what counting its characters from the beginning gives, at every
// offset: also inside of characters, and where bytes are not text.
func TestPositionsInLongLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	characters := []string{"a", "ä", "文", "😀", "\xff", "\xf0\x9f", "\n"}
	for range 20 {
		var b strings.Builder
		for b.Len() < 5*blockSize {
			c := characters[rng.IntN(len(characters)-1)]
			if rng.IntN(2000) == 0 {
				c = "\n"
			}
			b.WriteString(c)
		}
		x := newIndex(b.String(), false)
		for offset := range b.Len() + 1 {
			p := x.position(offset)
			require.Equal(t, x.count(x.lines[p.Line], offset), p.Character, "offset %d", offset)
		}
	}
}
