//go:build unix

package screen_test

import (
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/screen"
	"github.com/stretchr/testify/require"
)

func TestAScreenShowsWhatAProgramDoes(t *testing.T) {
	s := screen.Start(t, screen.Options{Width: 60, Height: 10, Env: []string{"NAME=it's me"}}, "sh", "-c",
		`stty size; printf '%s\033[31m red\033[0m\n' "$NAME"; read line; echo "<$line>"; while read line; do stty size; done; exit 3`)
	require.Contains(t, s.Wait("red"), "10 60\nit's me red")
	require.Contains(t, s.Colours(), "\x1b[31m red")
	s.Line("; a 'b' $c")
	s.Wait("^<; a 'b' .c>$")
	s.Resize(50, 12)
	s.Press("Enter")
	s.Wait("^12 50$")
	s.Press("C-d")
	s.WaitEnd("^exit code 3$")
}
