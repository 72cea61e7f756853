package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHowLongEvictionMayTake(t *testing.T) {
	last := int64(-1)
	for tenacity := range int64(101) {
		m := Memory{tenacity: tenacity}
		require.Greater(t, m.LongestEviction(), last, tenacity)
		last = m.LongestEviction()
	}
	require.EqualValues(t, 500_000, (&Memory{tenacity: 10}).LongestEviction())
}
