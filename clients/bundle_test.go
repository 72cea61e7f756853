package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/bundle"
)

// TestBundlesOfBullMQ compares what Redmoon makes of the sources in BullMQ's package with the texts
// that its own build has made, which the package holds too.
func TestBundlesOfBullMQ(t *testing.T) {
	node := lookForNode(t)
	const folder = "npm/node_modules/bullmq/dist/esm/"
	built, err := filepath.Glob(folder + "scripts/*-*.js")
	require.NoError(t, err)
	require.Greater(t, len(built), 60)
	const print = `for (const file of process.argv.slice(1)) {
		const exported = await import(file)
		console.log(JSON.stringify(Object.values(exported).map(v => v.content)))
	}`
	args := []string{"--input-type=module", "--eval", print, "--"}
	for _, file := range built {
		abs, err := filepath.Abs(file)
		require.NoError(t, err)
		args = append(args, "file://"+abs)
	}
	cmd := exec.Command(node, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Len(t, lines, len(built))
	included := 0
	for i, file := range built {
		var want []string
		require.NoError(t, json.Unmarshal([]byte(lines[i]), &want))
		require.Len(t, want, 1, file)
		name := strings.TrimSuffix(filepath.Base(file), ".js") + ".lua"
		b, err := bundle.Build(filepath.Join(folder, "commands", name), bundle.Options{DropEmptyLines: true})
		require.NoError(t, err)
		require.Equal(t, want[0], b.Text, name)
		included += len(b.Files) - 1
	}
	require.Greater(t, included, 300)
}
