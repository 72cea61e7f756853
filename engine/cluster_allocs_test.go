//go:build !race

package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// Not with the race detector, which makes pools drop values.
func TestCallsOnAClusterAllocateNothing(t *testing.T) {
	ctx := context.Background()
	c := newCluster(t, 2, engine.Options{})
	s := engine.NewScript("return redis.call('GET', KEYS[1])")
	keys, args := []string{"{a}k", "{a}l"}, []string{"x"}
	get := []string{"GET", "{a}k"}
	_, err := c.DoStrings(ctx, "SET", "{a}k", "v")
	require.NoError(t, err)
	one := newEngine(t, engine.Options{})
	_, err = one.DoStrings(ctx, "SET", "{a}k", "v")
	require.NoError(t, err)
	calls := func(c engine.Client) (script, command float64) {
		return testing.AllocsPerRun(1000, func() {
				if _, err := c.RunScript(ctx, s, keys, args); err != nil {
					t.Fatal(err)
				}
			}), testing.AllocsPerRun(1000, func() {
				if _, err := c.DoStrings(ctx, get...); err != nil {
					t.Fatal(err)
				}
			})
	}
	wantScript, wantCommand := calls(one)
	script, command := calls(c)
	require.Equal(t, wantScript, script)
	require.Equal(t, wantCommand, command)
}
