package parts_test

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/parts"
)

// text returns n bytes that differ.
func text(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 7 >> 3)
	}
	return b
}

func TestTextsArriveInAnyParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 100, 64 << 10, 64<<10 + 1, 300_000, 5 << 20, 40 << 20} {
		want := text(size)
		for _, first := range []int{0, 1, size / 3, size} {
			x := parts.New(size, want[:first])
			for left := want[first:]; !x.Whole(); {
				room := x.Room()
				require.NotEmpty(t, room)
				k := copy(room[:1+r.IntN(len(room))], left)
				x.Fill(k)
				left = left[k:]
				require.LessOrEqual(t, x.Held(), size)
				require.LessOrEqual(t, x.Held(), x.Len()*3/2+64<<10)
			}
			require.Empty(t, x.Room())
			require.True(t, bytes.Equal(want, x.Take()), "%d bytes, of them %d first", size, first)
		}
	}
}

func TestWriteStopsAtTheEnd(t *testing.T) {
	x := parts.New(5, []byte("ab"))
	require.Equal(t, 1, x.Write([]byte("c")))
	require.Equal(t, 2, x.Write([]byte("defg")))
	require.Equal(t, 0, x.Write([]byte("h")))
	require.Equal(t, "abcde", x.String())
}

// All that a text takes until it is whole is its own length.
func TestATextIsAllocatedOnce(t *testing.T) {
	const size = 64 << 20
	piece := []byte(strings.Repeat("x", 1<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	x := parts.New(size, piece)
	for x.Len() < size-1 {
		x.Write(piece[:min(len(piece), size-1-x.Len())])
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(size*11/10))
}
