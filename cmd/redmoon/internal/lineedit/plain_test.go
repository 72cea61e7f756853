package lineedit_test

import (
	"io"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lineedit"
	"github.com/stretchr/testify/require"
)

// oneLiners is an Assistant that considers each line complete.
type oneLiners struct{ lineedit.Assistant }

func (oneLiners) Finished(string) bool { return true }
func (oneLiners) News() string         { return "" }

func TestPlainReadsLinesOfAnyLength(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	p := lineedit.NewPlain(strings.NewReader("a\r\n" + long + "\n\nlast"))
	lines := oneLiners{}
	for _, want := range []string{"a", long, "", "last"} {
		line, err := p.ReadLine(lines)
		require.NoError(t, err)
		require.Equal(t, want, line)
	}
	_, err := p.ReadLine(lines)
	require.ErrorIs(t, err, io.EOF)
}
