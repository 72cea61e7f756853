package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
	"github.com/redmoon-lua/redmoon/redmoontest"
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

// TestScriptsOfBullMQ tests scripts from their sources, in Lua. The last script fails in a file
// that it includes, and the report names that file.
func TestScriptsOfBullMQ(t *testing.T) {
	lookForNode(t)
	redmoontest.RunLua(t, "testdata/bullmq_test.lua")

	file := filepath.Join(t.TempDir(), "fails_test.lua")
	commands, err := filepath.Abs("npm/node_modules/bullmq/dist/esm/commands")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(`
		it('fails', function()
			redis.call('SET', 'meta', 'this is no hash')
			local keys = { 'marker', 'meta', 'id', 'prioritized', 'delayed', 'completed', 'active', 'events', 'pc' }
			local args = { cmsgpack.pack({ 'q:', '', 'job', 1700000000000 }), '{}', cmsgpack.pack({ priority = 3 }) }
			script([[`+filepath.ToSlash(commands)+`/addPrioritizedJob-9.lua]]):run(keys, args)
		end)`), 0o644))
	f, err := luatest.Load(t.Context(), file, &luatest.Options{})
	require.NoError(t, err)
	defer f.Close()
	results := f.Run().Results
	require.Len(t, results, 1)
	require.Len(t, results[0].Problems, 1)
	failed := results[0].Problems[0].Script
	require.NotNil(t, failed)
	require.Contains(t, failed.Error, "WRONGTYPE")
	require.Contains(t, failed.Excerpt, "commands/includes/getOrSetMaxEvents.lua:5\n")
}
