package commands

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

func TestRemainingArguments(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"set", "key value [NX|XX] [GET] [EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT unix-time-milliseconds|KEEPTTL]"},
		{"set k v", "[NX|XX] [GET] [EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT unix-time-milliseconds|KEEPTTL]"},
		{"set k v GET", "[NX|XX] [EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT unix-time-milliseconds|KEEPTTL]"},
		{"set k v ex 10", "[NX|XX] [GET]"},
		{"set k v ex 10 nx get", ""},
		{"get k", ""},
		{"get k too many", ""},
		{"mget", "key [key ...]"},
		{"mget a", "[key ...]"},
		{"mset a", "value [key value ...]"},
		{"mset a 1", "[key value ...]"},
		{"zadd z", "[NX|XX] [GT|LT] [CH] [INCR] score member [score member ...]"},
		{"zadd z nx", "[GT|LT] [CH] [INCR] score member [score member ...]"},
		{"zadd z 1 a", "[score member ...]"},
		{"scan 0 count 5", "[MATCH pattern] [TYPE type]"},
		{"zunionstore d 2 a b weights", "weight [weight ...] [AGGREGATE SUM|MIN|MAX]"},
		{"copy a b db", "destination-db [REPLACE]"},
		{"config", "GET|HELP|RESETSTAT|REWRITE|SET"},
		{"config get", "parameter [parameter ...]"},
	} {
		t.Run(c.typed, func(t *testing.T) {
			words := strings.Fields(c.typed)
			require.Equal(t, c.want, cmdrows.TableOf(servers.Redis70).Hint(words...))
		})
	}
}

func TestNamesAreSortedAndBuilt(t *testing.T) {
	names := cmdrows.TableOf(servers.Redis70).Names()
	require.IsIncreasing(t, names)
	require.Contains(t, names, "config get")
	require.Contains(t, names, "blpop")
}

func TestEverySyntaxParses(t *testing.T) {
	for _, s := range cmdrows.TableOf(servers.Redis70).All {
		require.NotPanics(t, func() { s.Arguments() }, s.FullName())
	}
}
