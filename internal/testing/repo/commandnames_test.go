package repo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// mostNames is the greatest number of commands that a file may name.
const mostNames = 5

// namers are the files and folders that may name more commands, and why.
var namers = map[string]string{
	"internal/base/cmdrows/":                 "the rows",
	"internal/core/commands/":                "the handlers, by the names of their rows",
	"internal/testing/":                      "equipment of tests",
	"bench/":                                 "it runs these commands",
	"redmoontest/rapidtest":                  "it runs these commands",
	"redmoontest/minicompat/server/names.go": "the commands of miniredis, by its methods",
	"redmoontest/minicompat/":                "it runs these commands for the methods of miniredis",
	"internal/core/config/params_kept.go":    "names and values of parameters that are commands too",
	"cmd/redmoon/internal/clone/scan.go":     "it runs these commands on the server that is copied",
	"cmd/redmoon/internal/backend/remote.go": "the client of a server follows what its user changes on the connection",
	"cmd/redmoon/internal/deploy/":           "it runs these commands on the servers that get scripts",
	"cmd/redmoon/internal/display/raw.go":    "the replies that redis-cli prints without quotes",
	"cmd/redmoon/internal/repl/":             "its own commands, some with names of Redis's, and what they run",
	"cmd/redmoon/internal/testfrom/call.go":  "which calls of a recording a test can write in another way",
	"datastore/image_commands.go":            "it writes these commands",
	"debugger/dap/attributes.go":             "the attributes of a launch, some with names of commands",
	"engine/session_receive.go":              "it runs these commands for its methods",
	"internal/tools/explore/play/":           "how a play follows sessions, and shows their steps",
	"internal/tools/fixture/fixture.go":      "it writes these commands",
	"internal/tools/harness/server.go":       "it runs these commands to copy a database",
	"internal/tools/luatest/testredis/":      "it runs these commands for functions of tests",
	"internal/tools/recording/dialogue/":     "how a dialogue follows the state of its connection",
	"internal/tools/replay/":                 "how a replay follows the state of connections",
	"internal/core/server/topics.go":         "the words of messages to subscribers",
}

// A fact about commands stands in their rows: a file that names many of them has a list that a new
// command would be missing from.
func TestOnlyRowsListCommands(t *testing.T) {
	isName := map[string]bool{}
	for _, s := range cmdrows.TableOf(servers.Redis80).All {
		isName[s.FullName()] = true
		isName[strings.ReplaceAll(s.FullName(), "|", " ")] = true
	}
	used := map[string]bool{}
	files, err := Files(Root(), ".go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		names := commandNames(t, file, isName)
		if len(names) <= mostNames {
			continue
		}
		allowed := ""
		for prefix := range namers {
			if strings.HasPrefix(file, prefix) && len(prefix) > len(allowed) {
				allowed = prefix
			}
		}
		used[allowed] = true
		assert.NotEmpty(t, allowed, "%s names %d commands: %s", file, len(names), strings.Join(names, " "))
	}
	for prefix := range namers {
		assert.True(t, used[prefix], "no file of %s names more than %d commands", prefix, mostNames)
	}
}

// commandNames returns the names of commands in the strings of a file, also in lists of words.
func commandNames(t *testing.T, file string, isName map[string]bool) []string {
	tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(Root(), file), nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	found := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind != token.STRING || err != nil {
				return true
			}
			text = strings.ToLower(text)
			words := slices.DeleteFunc(strings.Fields(text), func(w string) bool { return !isName[w] })
			switch {
			case isName[text]:
				found[text] = true
			case len(words) > mostNames: // a list of names, not a sentence
				for _, w := range words {
					found[w] = true
				}
			}
		}
		return true
	})
	return slices.Sorted(maps.Keys(found))
}
