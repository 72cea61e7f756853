package resp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A writer that does not wait fills the room to its last byte, and a reader makes room.
func TestTheRoomOfAnInMemoryConnection(t *testing.T) {
	a, b := memoryConns()
	defer a.Close()
	defer b.Close()
	for _, step := range []struct{ write, want int }{{memoryRoom - 1, memoryRoom - 1}, {2, 1}, {1, 0}} {
		n, err := a.TryWrite(make([]byte, step.write))
		require.NoError(t, err)
		require.Equal(t, step.want, n)
	}
	n, err := b.Read(make([]byte, 3))
	require.NoError(t, err)
	require.Equal(t, 3, n)
	n, err = a.TryWrite(make([]byte, 5))
	require.NoError(t, err)
	require.Equal(t, 3, n)
}
