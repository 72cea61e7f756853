package repl

import (
	"flag"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/document"
	"github.com/stretchr/testify/require"
)

//go:generate go test -run TestDocument . -write

var writeDocument = flag.Bool("write", false, "write docs/repl.md")

// TestDocument checks that docs/repl.md equals the tables of commands.
func TestDocument(t *testing.T) {
	document.Check(t, "../../../../docs/repl.md", "go generate ./cmd/redmoon/internal/repl", *writeDocument,
		func(string) string { return Document() })
}

func TestCommandsAreComplete(t *testing.T) {
	words := map[string]string{}
	letters := map[string]string{}
	for _, c := range table() {
		require.NotEmpty(t, c.help, c.name)
		require.NotNil(t, c.run, c.name)
		require.Contains(t, groupNames(), c.group, c.name)
		require.False(t, strings.HasSuffix(c.help, "."), c.name)
		for _, w := range append([]string{c.name}, c.aliases...) {
			require.Empty(t, words[w], "%s and %s", w, c.name)
			words[w] = c.name
		}
		if c.letter != "" {
			require.Empty(t, letters[c.letter], "%s and %s", c.letter, c.name)
			letters[c.letter] = c.name
		}
		require.False(t, c.where&atStop != 0 && c.where&idle != 0, c.name)
	}
}

func TestLuaCommandsCompleteTheNameAtTheEnd(t *testing.T) {
	d := &dialogue{common: &common{commands: table(), scripts: &scripts{}}}
	for _, name := range []string{"print", "json", "set"} {
		found, typed := (*assistant)(d).Complete(":" + name + " #redis.sha")
		require.Equal(t, "redis.sha", typed, name)
		require.Equal(t, []candidate{{Value: "redis.sha1hex"}}, found, name)
	}
}

func TestFindCommandsByPrefix(t *testing.T) {
	all := table()
	for word, want := range map[string]string{"snap": "snapshot", "SNAPSHOT": "snapshot", "b": "break", "br": "break",
		"bt": "stack", "re": "", "nosuch": "", "": ""} {
		c, err := find(all, word)
		if want == "" {
			require.Error(t, err, word)
			continue
		}
		require.NoError(t, err, word)
		require.Equal(t, want, c.name, word)
	}
}
