package quoting_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

func TestNextReportsQuotes(t *testing.T) {
	line := []byte(` a "b c" d'e' "" `)
	for _, want := range []struct {
		word   string
		quoted bool
	}{{"a", false}, {"b c", true}, {"de", true}, {"", true}} {
		word, quoted, rest, ok := quoting.Next(line)
		require.True(t, ok)
		require.Equal(t, want.word, word)
		require.Equal(t, want.quoted, quoted)
		require.NotNil(t, rest)
		line = rest
	}
	word, quoted, rest, ok := quoting.Next(line)
	require.True(t, ok)
	require.False(t, quoted)
	require.Empty(t, word)
	require.Nil(t, rest)
	_, _, _, ok = quoting.Next([]byte(`"a`))
	require.False(t, ok)
}
