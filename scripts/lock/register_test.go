package lock_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/scripts/lock"
)

func TestARegisterRefusesStaleTokens(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		r, err := lock.NewRegister(p, "balance")
		require.NoError(t, err)
		value, token, err := r.Read(ctx)
		require.NoError(t, err)
		require.Empty(t, value)
		require.Zero(t, token)

		const early, late = 1_700_000_000_000_001, 1_700_000_000_000_002
		require.NoError(t, r.Write(ctx, early, "a"))
		require.NoError(t, r.Write(ctx, early, "b\x00"))
		require.NoError(t, r.Write(ctx, late, "c"))
		require.ErrorIs(t, r.Write(ctx, early, "d"), lock.ErrStale)
		value, token, err = r.Read(ctx)
		require.NoError(t, err)
		require.Equal(t, "c", value)
		require.Equal(t, int64(late), token)
	})
}
