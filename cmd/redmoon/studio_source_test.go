package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page shows the whole text of a script of several files, or the script in a string.
func TestStudioShowsTheScriptThatIsSent(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"take.lua": "--- @include \"x\"\nreturn x\n", "x.lua": "local x = 1\n", "a.py": "take = client.register_script('return 1')\n",
		"bad.lua": "--- @include \"nosuch\"\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for name, want := range map[string]string{"take.lua": "local x = 1\nreturn x\n", "x.lua": "local x = 1\n", "a.py#take": "return 1"} {
		c := studioCommand{Script: filepath.Join(dir, name)}
		d, err := c.document()
		require.NoError(t, err)
		require.Equal(t, want, d.Source)
		require.Equal(t, name, d.Name)
	}
	c := studioCommand{Script: filepath.Join(dir, "bad.lua")}
	_, err := c.document()
	require.ErrorContains(t, err, `bad.lua:1: include "nosuch"`)
}
