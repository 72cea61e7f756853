package excerpt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/excerpt"
)

func TestExcerpt(t *testing.T) {
	for text, want := range map[string]int{
		"ERR user_script:3: boom script: d21e, on @user_script:3.":                                        3,
		"ERR Error compiling script (new function): user_script:12: '=' expected near 'x'":                12,
		"WRONGTYPE Operation against a key holding the wrong kind of value script: a, on @user_script:7.": 7,
	} {
		line, ok := excerpt.Line(text)
		require.True(t, ok)
		require.Equal(t, want, line)
	}
	_, ok := excerpt.Line("ERR no line")
	require.False(t, ok)
	source := "a\n\nc\r\nd\ne\nf\ng\nh\ni\nj\n"
	require.Equal(t, "x.lua:9\n   7 | g\n   8 | h\n>  9 | i\n  10 | j\n", excerpt.Of("x.lua", source, 9))
	require.Equal(t, "x.lua:1\n> 1 | a\n  2 |\n  3 | c\n", excerpt.Of("x.lua", source, 1))
	require.Empty(t, excerpt.Of("x.lua", source, 11))
}
