package versions

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/testing/document"
)

//go:generate go test -run TestDocument . -write

var writeDocument = flag.Bool("write", false, "write docs/versions.md again")

func TestDocument(t *testing.T) {
	document.Check(t, "../../../docs/versions.md", "go generate ./internal/tools/versions", *writeDocument,
		func(string) string { return Document() })
}

func section(list []Section, title string) string {
	for _, s := range list {
		if s.Title == title {
			return strings.Join(s.Lines, "\n")
		}
	}
	return ""
}

func TestCompare(t *testing.T) {
	up := Compare(servers.Redis70, servers.Redis86)
	require.Equal(t, "Scripts", up[0].Title)
	require.Contains(t, section(up, "Scripts"), "sees the time at which it began")
	require.Contains(t, section(up, "Scripts"), "scripts may call BLMOVE, ")
	require.Contains(t, section(up, "New commands"), "DELEX\n")
	require.Contains(t, section(up, "New options"), "SET: IFEQ, IFNE, IFDEQ, IFDNE")
	require.Contains(t, section(up, "Error texts"), `"ERR Script attempted to access a non local key in a cluster node" is "ERR `)
	require.Contains(t, section(up, "Configuration"), "new: ")
	require.Empty(t, section(up, "Commands that are gone"))

	down := Compare(servers.Redis86, servers.Valkey91)
	require.Contains(t, section(down, "Commands that are gone"), "DELEX\n")
	require.Contains(t, section(down, "New commands"), "DELIFEQ")
	require.Contains(t, section(down, "Commands that answer in another way"), "no longer: ")
	for _, s := range servers.All() {
		require.Empty(t, Compare(s, s))
	}
}

func TestText(t *testing.T) {
	require.Equal(t, "A\n  one two\n  three\n\nB\n  x\n", Text([]Section{{"A", []string{"one two three"}}, {"B", []string{"x"}}}, 10))
}
