package lint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

func TestHeaderNames(t *testing.T) {
	tree := luatree.ParseBroken(`-- Takes a packet.
--   KEYS    1 grabbed (hash)  2 packets (list)
--           3 records; all in one slot
--   ARGV    1 user  2... serials
--   result  1 is not an argument
-- KEYS[4]: the fourth
-- @param KEYS[1] is known already
local x =`)
	require.Equal(t, map[string]map[int]string{
		"KEYS": {1: "grabbed (hash)", 2: "packets (list)", 3: "records", 4: "the fourth"},
		"ARGV": {1: "user", 2: "serials"},
	}, HeaderNames(tree))
}

func TestStudyOfABrokenText(t *testing.T) {
	l, err := New(Config{Redis: "6.2"})
	require.NoError(t, err)
	s := l.Study(luatree.ParseBroken("local call, n = redis.call, 'GET'\nlocal v = call(n, KEYS[1], x)\nlocal w = call('SET', "))
	require.Len(t, s.Commands(), 1)
	c := s.Commands()[0]
	require.Equal(t, []string{"GET", Unknown, Unknown}, c.Words)
	require.Equal(t, "get", c.Spec.Name)
	require.Equal(t, "redis.call", s.Library(c.Call.Func))
	require.Equal(t, "redis.call", s.LocalLibrary(s.p.tree.Locals[0]))
	text, ok := s.LocalConstant(s.p.tree.Locals[1])
	require.True(t, ok)
	require.Equal(t, "GET", text)
	require.True(t, l.Has("6.2.0"))
	require.False(t, l.Has("7.0.0"))
}
