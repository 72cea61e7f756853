package site_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/studio/site"
)

// maxEditor is the number of bytes that the editor may have.
const maxEditor = 500 << 10

// The editor was made from the files of the folder editor as they are.
func TestEditorIsCurrent(t *testing.T) {
	hash := sha256.New()
	for _, name := range []string{"build.mjs", "editor.mjs", "package.json", "package-lock.json"} {
		b, err := os.ReadFile("editor/" + name)
		require.NoError(t, err)
		hash.Write(b)
	}
	made, err := fs.ReadFile(site.Files(), "editor.js")
	require.NoError(t, err)
	require.Contains(t, strings.SplitN(string(made), "\n", 2)[0], hex.EncodeToString(hash.Sum(nil)),
		"run npm ci --ignore-scripts and npm run build in site/editor")
	require.Less(t, len(made), maxEditor)
}

// The page loads nothing from elsewhere, and index.html says what a server replaces.
func TestPageNeedsNoNetwork(t *testing.T) {
	index, err := fs.ReadFile(site.Files(), "index.html")
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(index), site.EngineOfPage))
	for _, name := range []string{"index.html", "studio.css", "studio.js", "show.js", "transport.js", "worker.js"} {
		b, err := fs.ReadFile(site.Files(), name)
		require.NoError(t, err)
		require.NotContains(t, string(b), "://", name)
	}
}

// The licences of what the editor contains are part of the program.
func TestLicences(t *testing.T) {
	text, err := fs.ReadFile(site.Files(), "editor.licenses.txt")
	require.NoError(t, err)
	for _, name := range []string{"@codemirror/legacy-modes", "@codemirror/view", "@lezer/highlight"} {
		require.True(t, strings.Contains(string(text), "\n"+name+" "), name)
	}
}
