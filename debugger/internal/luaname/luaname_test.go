package luaname

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesOfLua(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "_": true, "a1": true, "Ab_9": true, "1a": false, "": false, "end": false, "End": true,
		"a b": false, "ä": false, "a.b": false, "@": false, "[": false,
	} {
		require.Equal(t, want, Is(name), name)
	}
	require.True(t, slices.IsSorted(Keywords()))
}
