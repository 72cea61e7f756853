package command

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
)

func TestLookahead(t *testing.T) {
	for name, want := range map[string]lookahead{
		"get":       {keys: true},
		"set":       {keys: true},
		"mget":      {keys: true, keyStep: 1},
		"mset":      {keys: true, keyStep: 2},
		"hget":      {keys: true, elem: 2},
		"hmget":     {keys: true, elem: 2, step: 1},
		"hset":      {keys: true, elem: 2, step: 2},
		"sismember": {keys: true, elem: 2},
		"sadd":      {keys: true, elem: 2, step: 1},
		"zadd":      {keys: true, elem: 3, step: 2, score: true},
		"zincrby":   {keys: true, elem: 3},
		"zrank":     {keys: true, elem: 2},
		"lindex":    {keys: true, index: true},
		"lrange":    {keys: true, index: true},
		"lpush":     {keys: true},
		"xrange":    {keys: true, id: true},
		"xrevrange": {keys: true},
		"eval":      {},
		"ping":      {},
		"blpop":     {},
	} {
		require.Equal(t, want, TableOf(Redis70).Lookup(name).ahead, name)
	}
}

func TestWants(t *testing.T) {
	wants := func(line ...string) []datastore.Want {
		return TableOf(Redis70).Lookup(line[0]).ahead.wants(nil, line)
	}
	require.Equal(t, []datastore.Want{{Key: "k"}}, wants("get", "k"))
	require.Equal(t, []datastore.Want{{Key: "a"}, {Key: "b"}}, wants("mset", "a", "1", "b", "2"))
	require.Equal(t, []datastore.Want{{Key: "k", Element: "f"}, {Key: "k", Element: "g"}}, wants("hset", "k", "f", "1", "g", "2"))
	require.Equal(t, []datastore.Want{{Key: "k", Element: "m", Score: 1.5, Scored: true}}, wants("zadd", "k", "1.5", "m"))
	require.Equal(t, []datastore.Want{{Key: "k", Element: "m", Score: 5, Scored: true}}, wants("zadd", "k", "NX", "CH", "5", "m"))
	require.Len(t, wants("zadd", "k", "NX", "CH", "GT"), 1, "what is wrong is read for nothing")
	require.Equal(t, []datastore.Want{{Key: "k", Index: -7, Indexed: true}}, wants("lindex", "k", "-7"))
	require.Equal(t, []datastore.Want{{Key: "k", ID: datastore.StreamID{Ms: 5}, From: true}}, wants("xrange", "k", "5", "+"))
	require.Equal(t, []datastore.Want{{Key: "k"}}, wants("xrange", "k", "-", "+"), "the beginning is not far")
	require.Len(t, wants(append([]string{"sadd", "k"}, make([]string, 500)...)...), aheadWants)
}
