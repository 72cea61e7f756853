package hostile

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// TestRandomIsLua compiles programs of many seeds: programs that do not compile test nothing.
func TestRandomIsLua(t *testing.T) {
	vm := luabridge.New(luabridge.Options{})
	defer vm.Close()
	for seed := range uint64(2000) {
		p := Random(seed)
		_, err := vm.Compile(p.Body)
		require.NoError(t, err, "%s", p.Body)
		require.Equal(t, p, Random(seed))
	}
}

// TestRandomUsesEveryDoor fails when the generator never makes programs for one of the doors.
func TestRandomUsesEveryDoor(t *testing.T) {
	doors := map[Door]int{}
	for seed := range uint64(2000) {
		doors[Random(seed).Door]++
	}
	require.Len(t, doors, 3, fmt.Sprint(doors))
}
