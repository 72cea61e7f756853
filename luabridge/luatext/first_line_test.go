package luatext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge/luatext"
)

// The words of a first line end where Redis ends them: a vertical tab or form feed is white space
// between words, but does not end one.
func TestFirstLineWords(t *testing.T) {
	for line, problem := range map[string]string{
		"#!lua\vflags=no-writes":        "ERR Unexpected engine in script shebang: #!lua\vflags=no-writes",
		"#!lua flags=no-writes\fx":      "ERR Unexpected flag in script shebang: no-writes\fx",
		"#!lua flags=\"no-writes":       "ERR Invalid engine in script shebang",
		"#!lua \vflags=no-writes":       "",
		"#!lua 'flags=no-writes'\v":     "",
		`#!lua "flags=no-\x77rites" `:   "",
		"#!lua flags=no-writes\x00\n1 ": "ERR Invalid script shebang",
	} {
		flags, body, err := luatext.ReadScript(line + "\nreturn 1")
		if problem != "" {
			require.EqualError(t, err, problem, "%q", line)
			continue
		}
		require.NoError(t, err, "%q", line)
		require.Equal(t, luatext.Shebang|luatext.NoWrites, flags, "%q", line)
		require.Equal(t, "\nreturn 1", body, "%q", line)
	}
}
