package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// TestRepliesOfAnyLength asks for more random members than fit into memory.
func TestRepliesOfAnyLength(t *testing.T) {
	ctx := context.Background()
	e, err := engine.New(engine.Options{ScriptMemory: 1 << 20})
	require.NoError(t, err)
	defer e.Close()
	for _, args := range [][]any{{"SADD", "s", "a"}, {"HSET", "h", "f", "v"}, {"ZADD", "z", 1, "a"}} {
		_, err := e.Do(ctx, args...)
		require.NoError(t, err)
	}
	for _, args := range [][]any{
		{"SRANDMEMBER", "s"}, {"HRANDFIELD", "h"}, {"ZRANDMEMBER", "z"},
		{"HRANDFIELD", "h", "", "WITHVALUES"}, {"ZRANDMEMBER", "z", "", "WITHSCORES"},
	} {
		ask := func(count int64) []any {
			call := append([]any{args[0], args[1], count}, args[min(3, len(args)):]...)
			return call
		}
		_, err := e.Do(ctx, ask(-1<<61)...)
		require.ErrorContains(t, err, "ERR the reply would need more than", "%v", args)
		v, err := e.Do(ctx, ask(-100000)...)
		require.NoError(t, err)
		require.GreaterOrEqual(t, v.Len(), 100000)
		call := append([]any{"return redis.call(unpack(ARGV))", []string{}}, ask(-100000)...)
		_, err = e.Eval(ctx, call[0].(string), nil, call[2:]...)
		require.ErrorContains(t, err, "ERR the reply would need more than 1048576 bytes", "%v", args)
	}
}
