package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/reply"
)

// The bytes of a word and of a reply that are shown.
const (
	shownWord  = 200
	shownReply = 500
)

// Line shows words as a command line for redis-cli. Long words are cut.
func Line(words []string) string {
	var b []byte
	for i, word := range words {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, Word(word)...)
	}
	return string(b)
}

// List shows the keys or arguments of a script.
func List(words []string) string { return "[" + Line(words) + "]" }

// Word shows a word of a command line: in quotes if it needs them, and cut if it is long.
func Word(word string) string {
	if len(word) <= shownWord {
		return quoting.Word(word)
	}
	return fmt.Sprintf("%s… (%d bytes)", quoting.Word(word[:shownWord]), len(word))
}

// OneLine shows a reply, as a client gets it in RESP2, on one line: lists in brackets, anything
// else as redis-cli shows it. A long reply is cut.
func OneLine(v reply.Value) string {
	text := string(appendOneLine(nil, RESP2(v)))
	if len(text) > shownReply {
		text = strings.ToValidUTF8(text[:shownReply], "") + "…"
	}
	return text
}

func appendOneLine(b []byte, v reply.Value) []byte {
	list := v.Slice()
	if list == nil {
		return append(b, v.String()...)
	}
	b = append(b, '[')
	for i, e := range list {
		if len(b) > shownReply {
			break
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendOneLine(b, e)
	}
	return append(b, ']')
}

// RESP2 returns a reply as a client gets it in RESP2.
func RESP2(v reply.Value) reply.Value {
	switch v.Kind() {
	case reply.KindArray, reply.KindMap, reply.KindSet, reply.KindPush:
		list := slices.Clone(v.Slice())
		for i := range list {
			list[i] = RESP2(list[i])
		}
		return reply.Array(list...)
	case reply.KindDouble, reply.KindBigNumber, reply.KindVerbatim:
		return reply.Bulk(v.Text())
	case reply.KindBool:
		return reply.Int(v.MustInt())
	case reply.KindNilArray:
		return reply.Nil()
	}
	return v
}

// shownCalls is the number of calls of a script that [Called] shows: the last ones.
const shownCalls = 20

// Stays is the line below [Called] for a script that has failed: its writes were not undone.
const Stays = "what a * marks was written before the script failed, and stays"

// Called shows the last calls of a script, one on each line. A * marks those that may have changed
// keys. left is the number of calls that are not shown.
func Called(calls []Call) (text string, left int) {
	var b strings.Builder
	if left = max(0, len(calls)-shownCalls); left > 0 {
		fmt.Fprintf(&b, "  ... %d calls\n", left)
	}
	for _, c := range calls[left:] {
		mark := " "
		if c.Wrote() {
			mark = "*"
		}
		b.WriteString(mark + " " + c.String() + "\n")
	}
	return b.String(), left
}
