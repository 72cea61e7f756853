package studio

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
)

// Formatting the whole replies of all calls took half a minute at each stop.
func TestRepliesAreShortenedBeforeTheyAreFormatted(t *testing.T) {
	long := strings.Repeat("x", 10<<20)
	many := make([]engine.Value, 1_000_000)
	for name, v := range map[string]engine.Value{
		"a string": reply.Bulk(long), "a status": reply.Status(long), "a text": reply.Verbatim("txt", long),
		"strings": reply.Bulks(long, long, long), "many": reply.Array(many...), "a set": reply.Set(many...),
		"a map":   reply.Map(many...),
		"in each": reply.Array(reply.Array(many...), reply.Array(many...), reply.Map(reply.Bulk(long), reply.Bulk(long))),
	} {
		require.Less(t, len(shorten(v).String()), 20*maxText, name)
		require.Greater(t, len(shorten(v).String()), maxText, name)
	}
}

func TestAShortenedReplyBeginsAsTheWholeOne(t *testing.T) {
	for n := range 12 {
		size := 1 << n
		s := strings.Repeat("é\x00\"", size)
		for _, v := range []engine.Value{
			reply.Int(1), reply.Nil(), reply.Array(), reply.Bulk(s), reply.Array(reply.Bulk(s), reply.Array(reply.Bulk(s), reply.Int(7))),
			reply.Map(reply.Bulk("a"), reply.Bulk(s), reply.Bulk("b"), reply.Set(reply.Bulk(s))), reply.Err("ERR " + s),
		} {
			require.Equal(t, cut(v.In(3).String()), text(v.In(3)), fmt.Sprint(size, v.Kind()))
		}
	}
}
