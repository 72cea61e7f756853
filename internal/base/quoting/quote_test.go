package quoting_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

func TestQuotedTextsAreReadBack(t *testing.T) {
	var all []byte
	for c := 1; c < 256; c++ { // a line ends at a NUL byte
		all = append(all, byte(c))
	}
	words, ok := quoting.Words(string(quoting.Append([]byte("set "), string(all))))
	require.True(t, ok)
	require.Equal(t, []string{"set", string(all)}, words)
	require.Equal(t, `"a\"\\\n\x00\xff"`, string(quoting.Append(nil, "a\"\\\n\x00\xff")))
}
