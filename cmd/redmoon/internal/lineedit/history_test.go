package lineedit_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lineedit"
	"github.com/stretchr/testify/require"
)

func TestHistoryKeepsItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "history")
	h, err := lineedit.LoadHistory(path)
	require.NoError(t, err)
	for _, line := range []string{"ping", "ping", " ", "auth secret", "hello 3 auth u secret", "config set requirepass secret", "get k"} {
		h.Add(line)
	}
	require.NoError(t, h.Save())
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "ping\nget k\n", string(b))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	h, err = lineedit.LoadHistory(path)
	require.NoError(t, err)
	h.Add("set k v")
	for range 2000 {
		h.Add("a")
		h.Add("b")
	}
	require.NoError(t, h.Save())
	b, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 1000, strings.Count(string(b), "\n"))
}

func TestHistoryFile(t *testing.T) {
	env := map[string]string{"HOME": "/home/ann"}
	get := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	require.Equal(t, "/home/ann/.redmoon_history", lineedit.HistoryFile(get))
	env["XDG_STATE_HOME"] = "/state"
	require.Equal(t, "/state/redmoon/history", lineedit.HistoryFile(get))
	env["REDMOON_HISTORY"] = ""
	require.Empty(t, lineedit.HistoryFile(get))
	_, err := lineedit.LoadHistory("")
	require.NoError(t, err)
	_, err = lineedit.LoadHistory(t.TempDir())
	require.Error(t, err)
	require.False(t, errors.Is(err, os.ErrNotExist))
}
