package backend_test

import (
	"testing"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/stretchr/testify/require"
)

func TestParseAddress(t *testing.T) {
	for _, bad := range []string{"http://x", "redis://x/y", "unix://", "redis://u:secret@[x", "redis://u:secret@x:y"} {
		_, err := backend.Connect(t.Context(), bad, 2)
		require.Error(t, err, bad)
		require.NotContains(t, err.Error(), "secret")
	}
}
