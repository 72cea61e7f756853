package hashslot_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/hashslot"
)

// The tags are those in cursors of Valkey 9.1.
func TestTagsNameTheirSlots(t *testing.T) {
	for slot := range hashslot.Count {
		require.Equal(t, slot, hashslot.Of("{"+hashslot.Tag(slot)+"}"))
	}
	for slot, tag := range map[int]string{0: "06S", 1: "Qi", 7: "1LV", 80: "avs", 88: "aUo", 3300: "b", 3301: "0gX", 13907: "0", 15495: "a"} {
		require.Equal(t, tag, hashslot.Tag(slot), slot)
	}
}
