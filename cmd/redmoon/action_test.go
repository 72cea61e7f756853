package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// action is a composite action of GitHub.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []struct {
			Name, If, Run string
			Env           map[string]string
		}
	}
}

// The commands of the GitHub Action do what its inputs say.
func TestTheActionOfGitHub(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the action runs bash")
	}
	text, err := os.ReadFile("../../action.yml")
	require.NoError(t, err)
	var a action
	require.NoError(t, yaml.Unmarshal(text, &a))
	self, err := os.Executable()
	require.NoError(t, err)
	home := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(home, ".redmoon"), 0o755))
	require.NoError(t, os.Symlink(self, filepath.Join(home, ".redmoon", "redmoon")))

	// run runs a step in a folder with files, and returns what it prints and its exit code.
	run := func(t *testing.T, step string, files, inputs map[string]string) (dir, out string, ok bool) {
		dir = t.TempDir()
		for name, text := range files {
			path := filepath.Join(dir, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
		for _, s := range a.Runs.Steps {
			if s.Name != step {
				continue
			}
			cmd := exec.Command("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", s.Run)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+home)
			for name, value := range s.Env {
				input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
				value, given := inputs[input]
				if !given {
					value = a.Inputs[input].Default
				}
				cmd.Env = append(cmd.Env, name+"="+value)
			}
			b, err := cmd.CombinedOutput()
			return dir, string(b), err == nil
		}
		t.Fatalf("there is no step %s", step)
		return "", "", false
	}
	const script = "return redis.call('INCR', KEYS[1])\n"
	const test = "local a = script('a.lua')\nit('counts', function() assert.equals(1, a:run({'k'})) end)\n"

	t.Run("defaults", func(t *testing.T) {
		files := map[string]string{"a.lua": script, "a_test.lua": test}
		_, out, ok := run(t, "Lint", files, nil)
		require.True(t, ok, out)
		_, out, ok = run(t, "Test", files, nil)
		require.True(t, ok, out)
		require.Contains(t, out, "1 passed")
	})
	t.Run("no tests", func(t *testing.T) {
		files := map[string]string{"a.lua": script, "node_modules/p/a_test.lua": "error('not ours')"}
		_, out, ok := run(t, "Test", files, nil)
		require.True(t, ok, out)
		require.Contains(t, out, "::notice::")
		_, out, ok = run(t, "Test", files, map[string]string{"test": "sub"})
		require.False(t, ok, out)
	})
	t.Run("a test that fails", func(t *testing.T) {
		_, out, ok := run(t, "Test", map[string]string{"a_test.lua": "it('fails', function() error('x') end)"}, nil)
		require.False(t, ok, out)
	})
	t.Run("coverage", func(t *testing.T) {
		dir, out, ok := run(t, "Test", map[string]string{"a.lua": script, "a_test.lua": test}, map[string]string{"coverage": "my cover.info"})
		require.True(t, ok, out)
		info, err := os.ReadFile(filepath.Join(dir, "my cover.info"))
		require.NoError(t, err)
		require.Contains(t, string(info), "TN:")
	})
	t.Run("findings and a baseline", func(t *testing.T) {
		files := map[string]string{"a.lua": "return redis.call('GET', KEYS[1]) == nil\n"}
		_, out, ok := run(t, "Lint", files, nil)
		require.False(t, ok, out)
		require.Contains(t, out, "::error file=")
		files["base line.json"] = `{"redmoon": "lint baseline 1", "findings": [
			{"file": "a.lua", "rule": "false-compared-with-nil", "line": "return redis.call('GET', KEYS[1]) == nil", "count": 1}]}`
		_, out, ok = run(t, "Lint", files, map[string]string{"baseline": "base line.json"})
		require.True(t, ok, out)
	})
}
