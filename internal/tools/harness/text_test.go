package harness_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/reply"
)

func TestACallIsOneLine(t *testing.T) {
	list := reply.Array(reply.Bulk("two words"), reply.Int(1), reply.Nil(), reply.Array(), reply.Status("OK"))
	for _, c := range []struct {
		call harness.Call
		want string
	}{
		{harness.Call{Args: []string{"GET", ""}, Reply: reply.Nil()}, `GET "" -> (nil)`},
		{harness.Call{Args: []string{"MGET", "é\n"}, Reply: list}, `MGET "\xc3\xa9\n" -> ["two words", (integer) 1, (nil), (empty array), OK]`},
		{harness.Call{Args: []string{"HGETALL", "h"}, Reply: reply.Map(reply.Bulk("f"), reply.Double(1.5))}, `HGETALL h -> ["f", "1.5"]`},
		{harness.Call{Args: []string{"X"}, Reply: reply.Err("ERR no")}, `X -> (error) ERR no`},
	} {
		require.Equal(t, c.want, c.call.String())
	}
	long := harness.Call{Args: []string{"SET", "k", strings.Repeat("a", 1<<20)}, Reply: reply.Bulk(strings.Repeat("b", 1<<20))}.String()
	require.Less(t, len(long), 1000)
	require.Contains(t, long, "aaa… (1048576 bytes) -> \"bbb")
}

func TestCalled(t *testing.T) {
	text, left := harness.Called(nil)
	require.Empty(t, text)
	require.Zero(t, left)
	calls := []harness.Call{{Args: []string{"GET", "k"}}, {Args: []string{"SET", "k", "v"}, Reply: reply.Status("OK"), Write: true},
		{Args: []string{"INCR", "k"}, Reply: reply.Err("ERR no"), Write: true}}
	text, left = harness.Called(calls)
	require.Equal(t, "  GET k -> (nil)\n* SET k v -> OK\n  INCR k -> (error) ERR no\n", text)
	require.Zero(t, left)
	text, left = harness.Called(append(make([]harness.Call, 30), calls...))
	require.Equal(t, 13, left)
	require.True(t, strings.HasPrefix(text, "  ... 13 calls\n"))
	require.Equal(t, 21, strings.Count(text, "\n"))
}
