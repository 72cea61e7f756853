package difftest

import (
	"bufio"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRelaxedComparison(t *testing.T) {
	for _, c := range []struct {
		name      string
		relax     Relax
		want, got string
		equal     bool
	}{
		{"same bytes", Relax{}, ":1\r\n", ":1\r\n", true},
		{"other bytes", Relax{}, ":1\r\n", ":2\r\n", false},
		{"order counts", Relax{}, "*2\r\n:1\r\n:2\r\n", "*2\r\n:2\r\n:1\r\n", false},
		{"any order", Relax{Unordered: true}, "*2\r\n:1\r\n:2\r\n", "*2\r\n:2\r\n:1\r\n", true},
		{"any order at depth", Relax{Unordered: true}, "*2\r\n:0\r\n*2\r\n:1\r\n:2\r\n", "*2\r\n:0\r\n*2\r\n:2\r\n:1\r\n", true},
		{"any order, other element", Relax{Unordered: true}, "*2\r\n:1\r\n:2\r\n", "*2\r\n:2\r\n:2\r\n", false},
		{"any order, other kind", Relax{Unordered: true}, "*1\r\n:1\r\n", "*1\r\n+1\r\n", false},
		{"any order, other shape", Relax{Unordered: true}, "*1\r\n:1\r\n", "~1\r\n:1\r\n", false},
		{"pairs stay together in a map", Relax{Unordered: true}, "%2\r\n+a\r\n:1\r\n+b\r\n:2\r\n", "%2\r\n+b\r\n:2\r\n+a\r\n:1\r\n", true},
		{"pairs torn in a map", Relax{Unordered: true}, "%2\r\n+a\r\n:1\r\n+b\r\n:2\r\n", "%2\r\n+b\r\n:1\r\n+a\r\n:2\r\n", false},
		{"pairs torn in a list", Relax{Unordered: true, Pairs: true}, "*4\r\n+a\r\n:1\r\n+b\r\n:2\r\n", "*4\r\n+b\r\n:1\r\n+a\r\n:2\r\n", false},
		{"pairs in a list", Relax{Unordered: true, Pairs: true}, "*4\r\n+a\r\n:1\r\n+b\r\n:2\r\n", "*4\r\n+b\r\n:2\r\n+a\r\n:1\r\n", true},
		{"tables in any order", Relax{Tables: true}, "~2\r\n:1\r\n:2\r\n", "~2\r\n:2\r\n:1\r\n", true},
		{"tables, but a list", Relax{Tables: true}, "*2\r\n:1\r\n:2\r\n", "*2\r\n:2\r\n:1\r\n", false},
		{"kind", Relax{Kind: true}, "$1\r\na\r\n", "$2\r\nbb\r\n", true},
		{"kind of a null", Relax{Kind: true}, "$-1\r\n", "$2\r\nbb\r\n", false},
		{"near integers", Relax{Approx: 5}, ":10\r\n", ":15\r\n", true},
		{"far integers", Relax{Approx: 5}, ":10\r\n", ":16\r\n", false},
		{"far integers at the ends", Relax{Approx: 5}, ":9223372036854775807\r\n", ":-9223372036854775808\r\n", false},
		{"near integers in bulks", Relax{Approx: 5}, "*1\r\n$1\r\n9\r\n", "*1\r\n$2\r\n10\r\n", true},
		{"near doubles", Relax{Approx: 1}, ",1.5\r\n", ",2.25\r\n", true},
		{"near idle times", Relax{Approx: 5, Claims: true}, "*1\r\n*4\r\n+a\r\n+b\r\n:7\r\n:1\r\n", "*1\r\n*4\r\n+a\r\n+b\r\n:9\r\n:1\r\n", true},
		{"other deliveries", Relax{Approx: 5, Claims: true}, "*4\r\n+a\r\n*0\r\n:7\r\n:1\r\n", "*4\r\n+a\r\n*0\r\n:7\r\n:2\r\n", false},
		{"texts are never near", Relax{Approx: 5}, "$1\r\na\r\n", "$1\r\nb\r\n", false},
		{"trailing bytes", Relax{Kind: true}, ":1\r\n", ":2\r\n:3\r\n", false},
		{"closed", Relax{Kind: true}, ":1\r\n", Closed, false},
		{"no reply", Relax{Kind: true}, ":1\r\n", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.equal, c.relax.Equal([]byte(c.want), []byte(c.got)))
			require.Equal(t, c.equal, c.relax.Equal([]byte(c.got), []byte(c.want)))
		})
	}
}

func TestFramesAreReadWhole(t *testing.T) {
	frames := []string{
		"+OK\r\n", "-ERR x 5\r\n", ":-1\r\n", "$-1\r\n", "$0\r\n\r\n", "$4\r\n\r\n\x00\n\r\n", "*-1\r\n", "*0\r\n",
		"*2\r\n*1\r\n:1\r\n$1\r\na\r\n", "%1\r\n+a\r\n~1\r\n_\r\n", "=5\r\ntxt:a\r\n", ",1.5\r\n", "#t\r\n", "(123\r\n",
		">1\r\n+x\r\n", "|1\r\n+a\r\n+b\r\n:1\r\n", "+5\r\n",
	}
	r := bufio.NewReader(strings.NewReader(strings.Join(frames, "")))
	for _, want := range frames {
		raw, err := readFrame(r, nil)
		require.NoError(t, err)
		require.Equal(t, want, string(raw))
		_, rest, err := parseFrame(raw)
		require.NoError(t, err, want)
		require.Empty(t, rest, want)
	}
	for _, bad := range []string{"x\r\n", "+a\n", "$x\r\n", "*x\r\n", "$5\r\nab", "*2\r\n:1\r\n"} {
		_, err := readFrame(bufio.NewReader(strings.NewReader(bad)), nil)
		require.Error(t, err, bad)
	}
}
