package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// The order of pairs depends on the seed, in scripts and in functions; that of replies does not.
func TestShufflePairs(t *testing.T) {
	ctx := context.Background()
	const walk = "local s = '' for k in pairs({a = 1, b = 2, c = 3, d = 4, e = 5, 'x'}) do s = s .. k end return s"
	orders := map[string]bool{}
	for seed := range uint64(8) {
		e := newEngine(t, engine.Options{ShufflePairs: seed})
		v, err := e.Eval(ctx, walk, nil)
		require.NoError(t, err)
		orders[v.Text()] = true
		_, err = e.Do(ctx, "FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('walk', function() "+walk+" end)")
		require.NoError(t, err)
		f, err := e.FCall(ctx, "walk", nil)
		require.NoError(t, err)
		require.Equal(t, v.Text(), f.Text())
		if seed == 0 {
			require.Equal(t, "1", v.Text()[:1], "the order of Redis")
		}
		const members = "redis.call('SADD', KEYS[1], 'b', 'c', 'a') return table.concat(redis.call('SMEMBERS', KEYS[1]), ' ')"
		v, err = e.Eval(ctx, members, []string{"s"})
		require.NoError(t, err)
		require.Equal(t, "b c a", v.Text())
	}
	require.Greater(t, len(orders), 4)
}
