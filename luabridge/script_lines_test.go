package luabridge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinesOfAScript(t *testing.T) {
	vm := New(Options{})
	defer vm.Close()
	s, err := vm.Compile("#!lua\n\nlocal x = 1 -- a comment\n-- another\nlocal function f(a)\n  return a +\n    1\nend\nif f(2) then\n\nend")
	require.NoError(t, err)
	require.Equal(t, []int{3, 7, 8, 9, 11}, s.Lines())
}
