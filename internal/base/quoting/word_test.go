package quoting_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

func TestWord(t *testing.T) {
	for word, want := range map[string]string{
		"":          `""`,
		"user:{1}":  `user:{1}`,
		"two words": `"two words"`,
		"it's":      `"it's"`,
		`a\b`:       `"a\\b"`,
		"\v\u200bé": `"\x0b\xe2\x80\x8b\xc3\xa9"`,
	} {
		require.Equal(t, want, quoting.Word(word))
		words, ok := quoting.Words(quoting.Line([]string{"GET", word}))
		require.True(t, ok)
		require.Equal(t, []string{"GET", word}, words, "redis-cli reads it back")
	}
}
