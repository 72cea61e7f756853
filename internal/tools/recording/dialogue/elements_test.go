package dialogue

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestElements(t *testing.T) {
	for raw, want := range map[string][]string{
		"*2\r\n*1\r\n:1\r\n$3\r\na\r\n\r\n": {"*1\r\n:1\r\n", "$3\r\na\r\n\r\n"},
		"%1\r\n+a\r\n_\r\n":                 {"+a\r\n", "_\r\n"},
		"~1\r\n-ERR x\r\n":                  {"-ERR x\r\n"},
		"*0\r\n":                            nil,
	} {
		got, ok := Elements(raw)
		require.True(t, ok, raw)
		require.Equal(t, want, got)
	}
	for _, raw := range []string{"", "*1", "*-1\r\n", "+OK\r\n", "*1\r\n", "*1\r\n+a", "*1\r\n+a\r\n+b\r\n", "*x\r\n", "*1\r\nx\r\n"} {
		_, ok := Elements(raw)
		require.False(t, ok, raw)
	}
}
