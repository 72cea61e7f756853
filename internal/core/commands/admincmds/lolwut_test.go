package admincmds

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSquaresBecomeDisorderly(t *testing.T) {
	a := drawSquares(rand.New(rand.NewPCG(1, 1)), 66, 8, 12)
	b := drawSquares(rand.New(rand.NewPCG(2, 2)), 66, 8, 12)
	top := 14 * a.width // the upper half of the first row of squares
	require.Equal(t, a.pixels[:top], b.pixels[:top])
	require.NotEqual(t, a.pixels[len(a.pixels)/2:], b.pixels[len(b.pixels)/2:])
}

func TestCityHasAllColours(t *testing.T) {
	c := drawCity(rand.New(rand.NewPCG(1, 1)), 80, 20)
	for colour := range cityColours {
		require.True(t, slices.Contains(c.pixels, uint8(colour)), colour)
	}
	for _, size := range [][2]int{{1, 1}, {2, 1}, {1, 2}, {1000, 1}, {1, 1000}} {
		require.Len(t, drawCity(rand.New(rand.NewPCG(1, 1)), size[0], size[1]).pixels, size[0]*size[1])
	}
}
