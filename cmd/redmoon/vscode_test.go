package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// The extension for VS Code shows what `redmoon lsp` answers. VS Code itself is a stand-in.
func TestTheExtensionSpeaksWithTheServer(t *testing.T) {
	node := redistest.NeedProgram(t, "node")
	self, err := os.Executable()
	require.NoError(t, err)
	program := filepath.Join(t.TempDir(), "redmoon")
	require.NoError(t, os.Symlink(self, program))
	out, err := exec.Command(node, filepath.Join("..", "..", "editors", "vscode", "lsp.test.js"), program).Output()
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal(out, &got), string(out))
	require.Equal(t, map[string]any{
		"first": []any{"false-compared-with-nil 0 1:3-1:11"},
		"hover": []any{"GET key", "0:21-0:26"},
		"actions": []any{"quickfix: compare with false", "quickfix: Disable false-compared-with-nil for this line",
			"quickfix: Disable false-compared-with-nil in this file"},
		"fix":        []any{"1:8-1:11 false"},
		"all":        []any{},
		"rename":     []any{"0:6-0:7", "1:3-1:4", "2:7-2:8"},
		"refused":    "only local variables and parameters can be renamed",
		"places":     []any{"0:6-0:7", "1:3-1:4", "2:7-2:8"},
		"definition": "0:6-0:7",
		"highlights": []any{2.0, 1.0, 1.0},
		"symbols":    []any{"v 12"},
		"fixed":      []any{},
		"formatted":  []any{"1:0-2:0 if v == false then\n   return 0\nend\n"},
		"item":       []any{2.0, "HSET", "3:12-3:14", "key field value [field value ...]"},
		"help":       []any{"HSET key field value [field value ...]", 0.0, []any{5.0, 8.0}},
		"folds":      0.0,
		"errors":     []any{},
	}, got)
}
