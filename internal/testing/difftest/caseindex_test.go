package difftest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCaseIndexIsFresh(t *testing.T) {
	want, err := CaseIndex("testdata")
	require.NoError(t, err)
	got, err := os.ReadFile("CASES.md")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go generate ./internal/testing/difftest")
	require.Contains(t, string(got), "| GETRANGE |")
}
