package commands

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

func TestLookahead(t *testing.T) {
	for name, want := range map[string]cmdtable.Lookahead{
		"get":       {Keys: true},
		"set":       {Keys: true},
		"mget":      {Keys: true, KeyStep: 1},
		"mset":      {Keys: true, KeyStep: 2},
		"hget":      {Keys: true, Elem: 2},
		"hmget":     {Keys: true, Elem: 2, Step: 1},
		"hset":      {Keys: true, Elem: 2, Step: 2},
		"sismember": {Keys: true, Elem: 2},
		"sadd":      {Keys: true, Elem: 2, Step: 1},
		"zadd":      {Keys: true, Elem: 3, Step: 2, Score: true},
		"zincrby":   {Keys: true, Elem: 3},
		"zrank":     {Keys: true, Elem: 2},
		"lindex":    {Keys: true, Index: true},
		"lrange":    {Keys: true, Index: true},
		"lpush":     {Keys: true},
		"xrange":    {Keys: true, ID: true},
		"xrevrange": {Keys: true},
		"eval":      {},
		"ping":      {},
		"blpop":     {},
	} {
		require.Equal(t, want, cmdrows.TableOf(servers.Redis70).Lookup(name).Lookahead, name)
	}
}

func TestWants(t *testing.T) {
	lookups := func(line ...string) []datastore.FutureLookup {
		return server.AppendFutureLookups(cmdrows.TableOf(servers.Redis70).Lookup(line[0]).Lookahead, nil, line)
	}
	require.Equal(t, []datastore.FutureLookup{{Key: "k"}}, lookups("get", "k"))
	require.Equal(t, []datastore.FutureLookup{{Key: "a"}, {Key: "b"}}, lookups("mset", "a", "1", "b", "2"))
	require.Equal(t, []datastore.FutureLookup{{Key: "k", Element: "f"}, {Key: "k", Element: "g"}}, lookups("hset", "k", "f", "1", "g", "2"))
	require.Equal(t, []datastore.FutureLookup{{Key: "k", Element: "m", Score: 1.5, Scored: true}}, lookups("zadd", "k", "1.5", "m"))
	require.Equal(t, []datastore.FutureLookup{{Key: "k", Element: "m", Score: 5, Scored: true}}, lookups("zadd", "k", "NX", "CH", "5", "m"))
	require.Len(t, lookups("zadd", "k", "NX", "CH", "GT"), 1, "what is wrong is read for nothing")
	require.Equal(t, []datastore.FutureLookup{{Key: "k", Index: -7, Indexed: true}}, lookups("lindex", "k", "-7"))
	require.Equal(t, []datastore.FutureLookup{{Key: "k", ID: datastore.StreamID{Ms: 5}, From: true}}, lookups("xrange", "k", "5", "+"))
	require.Equal(t, []datastore.FutureLookup{{Key: "k"}}, lookups("xrange", "k", "-", "+"), "the beginning is not far")
	require.Len(t, lookups(append([]string{"sadd", "k"}, make([]string, 500)...)...), server.MaxFutureLookups)
}
