package rdb

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A long text is allocated once while it is read; that of a source is copied once when it is whole.
func TestLongTextsAreAllocatedOnce(t *testing.T) {
	const size = 32 << 20
	text := strings.Repeat("x", size)
	for _, c := range []struct {
		name           string
		compress, file bool
		most           float64
	}{
		{"compressed", true, false, 1.1},
		{"compressed, in a file", true, true, 1.1},
		{"plain, in a file", false, true, 2.1},
	} {
		w := Writer{Compress: c.compress}
		w.Text(text)
		dump := w.Seal(10)
		n := allocated(func() {
			r := NewReader(dump)
			if c.file {
				r = NewSource(bytes.NewReader(dump), true, 1<<30)
			}
			require.Len(t, r.Text(), size)
			require.False(t, r.Bad)
		})
		require.Less(t, float64(n), c.most*size, c.name)
	}
}

// A text that claims more than it has takes no more than has arrived.
func TestClaimedLengthsAreNotAllocated(t *testing.T) {
	huge := []byte{len32, 0x20, 0, 0, 0} // 512 MB
	arrived := strings.Repeat("x", 4<<20)
	n := allocated(func() {
		r := NewSource(io.MultiReader(bytes.NewReader(huge), strings.NewReader(arrived)), true, 1<<30)
		require.Empty(t, r.Text())
		require.True(t, r.Bad)
		require.Equal(t, io.EOF, r.Err())
	})
	require.Less(t, n, uint64(2*len(arrived)))
	// No text in LZF can be 88 times as long as its compressed form.
	lie := append([]byte{lenSpecial | textLZF, 3}, huge...)
	n = allocated(func() {
		r := NewReader(append(lie, 0, 'x', 0))
		require.Empty(t, r.Text())
		require.True(t, r.Bad)
	})
	require.Less(t, n, uint64(1<<20))
}
