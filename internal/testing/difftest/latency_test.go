package difftest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
	"github.com/stretchr/testify/require"
)

// TestTheExpiryCycleIsAnEventOfLatency lets so many unused keys expire that the cycle takes long.
// Both sides use the machine's clock.
func TestTheExpiryCycleIsAnEventOfLatency(t *testing.T) {
	needsOracle(t)
	t.Cleanup(func() { require.NoError(t, theRunner.Oracle.Reset()) })
	require.NoError(t, theRunner.Oracle.Reset())
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	c, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer c.Close()
	sides := map[string]func(args ...string) string{
		"oracle": func(args ...string) string {
			raw, err := c.Do(args)
			require.NoError(t, err)
			return string(raw)
		},
		"redmoon": func(args ...string) string {
			v, _ := e.DoStrings(context.Background(), args...)
			return string(resp.Append(nil, v, 2))
		},
	}
	for name, do := range sides {
		require.Equal(t, "+OK\r\n", do("DEBUG", "SET-ACTIVE-EXPIRE", "0"), name)
		require.Equal(t, "+OK\r\n",
			do("EVAL", "for i = 0, 299999 do redis.call('set', 'key:' .. i, 'v', 'PXAT', 1000) end return redis.status_reply('OK')", "0"), name)
		require.Equal(t, "+OK\r\n", do("CONFIG", "SET", "latency-monitor-threshold", "1"), name)
		do("LATENCY", "RESET")
		require.Equal(t, "+OK\r\n", do("DEBUG", "SET-ACTIVE-EXPIRE", "1"), name)
		require.NoError(t, patience.Try(func() error {
			if do("DBSIZE") != ":0\r\n" {
				return errors.New(name + ": keys are left")
			}
			return nil
		}))
		require.Contains(t, do("LATENCY", "LATEST"), "*4\r\n$12\r\nexpire-cycle\r\n:", name)
		require.True(t, strings.HasPrefix(do("LATENCY", "HISTORY", "expire-cycle"), "*"), name)
		require.Equal(t, ":1\r\n", do("LATENCY", "RESET", "expire-cycle"), name)
		require.Equal(t, "+OK\r\n", do("CONFIG", "SET", "latency-monitor-threshold", "0"), name)
		do("LATENCY", "RESET") // remove other events, such as expire-del on a slow machine
	}
}
