package metrics_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/metrics"
)

// The table of docs/metrics.md is that of this package.
func TestDocumentListsTheMetrics(t *testing.T) {
	const path = "../../../docs/metrics.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	const begin, end = "<!-- metrics -->\n", "<!-- end -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	var table strings.Builder
	table.WriteString("\n| metric | type | labels | meaning |\n|---|---|---|---|\n")
	for _, m := range metrics.Table() {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", m.Name, m.Kind, strings.Join(m.Labels, ", "), strings.TrimSuffix(m.Help, "."))
	}
	want := before + begin + table.String() + "\n" + end + after
	if *record {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "go test ./internal/tools/metrics -record writes it")
}
