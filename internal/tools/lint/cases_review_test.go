package lint

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReviewedCases plays testdata/review.cases.
func TestReviewedCases(t *testing.T) {
	text, err := os.ReadFile("testdata/review.cases")
	require.NoError(t, err)
	n := 0
	for block := range strings.SplitSeq(string(text), "\n\n") {
		if strings.HasPrefix(block, "#") && !strings.HasPrefix(block, "#!") {
			continue
		}
		source, want, ok := strings.Cut(strings.TrimSuffix(block, "\n"), "\n=> ")
		require.True(t, ok, block)
		if want == "nothing" {
			want = ""
		}
		assert.Equal(t, want, strings.Join(places(t, Config{}, source), " "), source)
		n++
	}
	require.Greater(t, n, 90)
}

// A message names what the key is made of, also if a variable grows.
func TestMessages(t *testing.T) {
	l, err := New(Config{})
	require.NoError(t, err)
	for source, want := range map[string]string{
		"local k = KEYS[1]\nif ARGV[1] then k = k .. ARGV[1] end\nreturn redis.call('GET', k)": "the key k of GET is built from another key",
		"local k = 'a:'\nk = k .. ARGV[1]\nreturn redis.call('GET', k)":                        "the key k of GET is built by the script",
		"return redis.call('SET', KEYS[1], nil)":                                               "nil cannot be an argument of SET",
		"return redis.call('SET', KEYS[1], {})":                                                "{} is a table, which cannot be an argument of",
	} {
		found := l.Lint(Script{Source: source})
		require.Len(t, found, 1, source)
		assert.Contains(t, found[0].Message, want, source)
	}
}
