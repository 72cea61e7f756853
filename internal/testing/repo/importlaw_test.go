package repo

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// importLaw says which of our packages a package may import; ARCHITECTURE.md draws it. A name that
// ends in /... stands for a package and all below it, "public" for every package that is not
// internal. What is not listed is refused. Tests may import what they like.
func importLaw() map[string][]string {
	aboveEngine := []string{"engine", "reply"}
	return map[string][]string{
		"datastore/...":       {"datastore/internal/...", "internal/decimal", "internal/hashslot", "internal/parts"},
		"reply":               {"internal/quoting"},
		"internal/decimal":    {},
		"internal/hashslot":   {},
		"internal/numbers":    {},
		"internal/geohash":    {"internal/numbers"},
		"internal/quoting":    {},
		"internal/money":      {},
		"internal/goroutine":  {},
		"internal/queue":      {},
		"internal/safelog":    {},
		"internal/parts":      {},
		"internal/keydiff":    {"datastore"},
		"internal/enginedoor": {"datastore", "internal/server", "reply"},
		"internal/textdiff":   {},
		"internal/assist":     {"internal/cmdtable", "internal/lint", "luabridge/luatext", "luabridge/luatree"},
		"internal/luafmt":     {"luabridge/luatext", "luabridge/luatree"},
		"internal/harness":    append([]string{"internal/keydiff", "internal/quoting"}, aboveEngine...),
		"internal/luatest/...": append([]string{"internal/luatest/...", "internal/cmdrows", "internal/cmdtable", "internal/excerpt",
			"internal/explore/play", "internal/fixture", "internal/harness", "internal/textdiff", "luabridge"}, aboveEngine...),
		"internal/explore": {},
		"internal/explore/play": append([]string{"internal/cmdrows", "internal/cmdtable", "internal/explore", "internal/goroutine",
			"internal/harness", "internal/keydiff", "internal/quoting"}, aboveEngine...),
		"internal/recording": {},
		"internal/recording/dialogue": {"internal/cmdrows", "internal/cmdtable", "internal/glob", "internal/quoting",
			"internal/recording"},
		"internal/replay": append([]string{"datastore", "internal/cmdrows", "internal/cmdtable", "internal/enginedoor",
			"internal/quoting", "internal/recording/...", "internal/server", "persist/rdbfile", "resp"}, aboveEngine...),
		"internal/coverage":         {"luabridge", "luabridge/luatree"},
		"internal/coverage/formats": {"internal/coverage", "luabridge", "luabridge/luatree"},
		"internal/profile":          {"luabridge"},
		"internal/profile/flame":    {"internal/profile", "luabridge"},
		"internal/errtext":          {},
		"internal/excerpt":          {},
		"internal/fixture":          {"internal/quoting"},
		"internal/framing":          {},
		"internal/glob":             {},
		"internal/files":            {},
		"internal/migrate":          {},
		"internal/parse":            {"datastore", "internal/decimal", "internal/errtext", "internal/glob", "reply"},
		"internal/cmdtable":         {"internal/decimal"},
		"internal/cmdrows":          {"internal/cmdtable", "internal/glob"},
		"internal/config":           {"datastore", "internal/parse", "internal/quoting"},
		"internal/acl": {"internal/cmdtable", "internal/config", "internal/errtext", "internal/files", "internal/glob", "internal/parse",
			"internal/quoting", "reply"},
		"internal/conffile": {"datastore", "internal/acl", "internal/cmdtable", "internal/config", "internal/files", "internal/quoting"},
		"internal/server": {"datastore", "internal/acl", "internal/cmdtable", "internal/conffile", "internal/config",
			"internal/errtext", "internal/files", "internal/glob", "internal/migrate", "internal/parse", "internal/quoting", "reply"},
		"internal/replication/link": {"internal/files", "internal/parts"},
		"internal/replication": {"internal/replication/link", "datastore", "internal/cmdtable", "internal/config", "internal/errtext",
			"internal/parse", "internal/quoting", "internal/server", "persist/rdbfile", "reply"},
		"internal/lint":     {"internal/cmdrows", "internal/cmdtable", "internal/hashslot", "luabridge/luatext", "luabridge/luatree"},
		"internal/commands": {"internal/cmdrows", "internal/cmdtable", "internal/commands/...", "internal/server"},
		"internal/commands/...": {"datastore", "internal/acl", "internal/cmdrows", "internal/cmdtable", "internal/commands/...",
			"internal/conffile", "internal/config", "internal/errtext", "internal/files", "internal/geohash", "internal/glob",
			"internal/migrate", "internal/parse", "internal/quoting", "reply", "internal/replication", "internal/server"},
		"luabridge/...": {"luabridge/...", "reply", "internal/numbers", "internal/quoting"},
		"engine": {"datastore", "internal/cmdrows", "internal/cmdtable", "internal/profile", "internal/coverage", "internal/commands",
			"internal/commands/scriptingcmds", "internal/conffile", "internal/config", "internal/enginedoor", "internal/errtext",
			"internal/glob", "internal/goroutine", "internal/keydiff", "internal/parse", "internal/queue", "internal/quoting",
			"internal/replication", "internal/safelog", "internal/server", "luabridge/...", "reply"},
		"internal/metrics": {"engine"},
		"resp":             append([]string{"internal/parts", "internal/queue", "internal/quoting", "internal/safelog"}, aboveEngine...),
		"debugger":         append([]string{"debugger/internal/...", "internal/queue"}, aboveEngine...),
		"debugger/dap": append([]string{"debugger", "debugger/internal/...", "internal/files", "internal/framing", "internal/quoting",
			"internal/safelog"}, aboveEngine...),
		"debugger/internal/...": {},
		"debugger/ldb":          append([]string{"debugger", "resp", "internal/quoting"}, aboveEngine...),
		"goredis/goredistest":   {"goredis", "redmoontest"},
		"goredis":               append([]string{"resp", "internal/cmdrows", "internal/cmdtable", "internal/goroutine"}, aboveEngine...),
		"persist/aoffile":       {"persist/internal/..."},
		"persist/internal/...":  {"internal/files", "internal/quoting", "persist/internal/..."},
		"persist": {"datastore", "internal/cmdtable", "internal/files", "internal/server", "persist/internal/...", "persist/rdbfile",
			"reply"},
		"persist/rdbfile": {"datastore"},
		"redmoontest": append([]string{"resp", "internal/coverage", "internal/enginedoor", "internal/excerpt", "internal/explore/...",
			"internal/fixture", "internal/harness", "internal/keydiff", "internal/luatest/..."}, aboveEngine...),
		"redmoontest/rapidtest":         append([]string{"redmoontest", "internal/harness"}, aboveEngine...),
		"redmoontest/minicompat":        append([]string{"redmoontest/minicompat/server", "resp", "internal/enginedoor"}, aboveEngine...),
		"redmoontest/minicompat/server": append([]string{"resp"}, aboveEngine...),
		"scripts/...":                   append([]string{"scripts/..."}, aboveEngine...),
		"cmd/...": {"cmd/...", "public", "internal/assist", "internal/cmdrows", "internal/cmdtable", "internal/coverage/...", "internal/excerpt",
			"internal/files", "internal/fixture", "internal/framing", "internal/glob", "internal/lint", "internal/luafmt", "internal/luatest/...",
			"internal/metrics", "internal/money", "internal/profile/...", "internal/quoting", "internal/recording/...", "internal/replay",
			"internal/textdiff"},

		"internal/testing/...": {"internal/...", "public"},
		"internal/tools/...":   {},
	}
}

// thirdParties says which of our packages may import the packages of other modules. A module with
// "" is imported by tests only.
func thirdParties() map[string]string {
	return map[string]string{
		"github.com/yuin/gopher-lua/...":          "luabridge/...",
		"layeh.com/gopher-json":                   "luabridge/internal/inspect",
		"github.com/alecthomas/kong":              "cmd/...",
		"github.com/reeflective/readline/...":     "cmd/...",
		"github.com/sourcegraph/jsonrpc2":         "cmd/redmoon/internal/lsp",
		"golang.org/x/term":                       "cmd/...",
		"github.com/HdrHistogram/hdrhistogram-go": "cmd/...",
		"github.com/google/go-dap":                "debugger/dap",
		"github.com/redis/go-redis/v9/...":        "goredis/...",
		"github.com/go-redsync/redsync/v4/...":    "scripts/lock/...",
		"github.com/redmoon-lua/redmoon/...":      "...",
		"pgregory.net/rapid":                      "redmoontest/rapidtest",
		"github.com/anishathalye/porcupine":       "",
		"github.com/stretchr/testify/...":         "",
		"github.com/rogpeppe/go-internal/...":     "",
		"go.yaml.in/yaml/v3":                      "",
	}
}

func covers(pattern, name string) bool {
	switch pattern {
	case "...":
		return true
	case "public":
		return !strings.Contains("/"+name+"/", "/internal/")
	}
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == base || strings.HasPrefix(name, base+"/")
	}
	return pattern == name
}

// listedPackage is a package as `go list -json` prints it.
type listedPackage struct {
	ImportPath string
	Standard   bool
	Imports    []string
}

func listPackages(t *testing.T) []listedPackage {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports", "./...")
	cmd.Dir = Root()
	out, err := cmd.Output()
	require.NoError(t, err)
	dec := json.NewDecoder(strings.NewReader(string(out)))
	var all []listedPackage
	for {
		var p listedPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else {
			require.NoError(t, err)
		}
		all = append(all, p)
	}
}

// No import points up.
func TestImportLaw(t *testing.T) {
	packages := listPackages(t)
	standard := map[string]bool{"C": true, "unsafe": true}
	for _, p := range packages {
		standard[p.ImportPath] = p.Standard
	}
	for _, p := range packages {
		name, ours := strings.CutPrefix(p.ImportPath, ModulePath+"/")
		if !ours {
			continue
		}
		for _, imp := range p.Imports {
			if target, ok := strings.CutPrefix(imp, ModulePath+"/"); ok {
				assert.NoError(t, mayImport(name, target))
			} else if !standard[imp] && !covers("internal/testing/...", name) {
				assert.NoError(t, mayImportOther(name, imp))
			}
		}
	}
}

// ourDependencies returns the packages of this module that a package imports, directly or through
// others, without itself.
func ourDependencies(packages []listedPackage, name string) map[string]bool {
	imports := map[string][]string{}
	for _, p := range packages {
		imports[p.ImportPath] = p.Imports
	}
	found := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		for _, imp := range imports[path] {
			if target, ours := strings.CutPrefix(imp, ModulePath+"/"); ours && !found[target] {
				found[target] = true
				visit(imp)
			}
		}
	}
	visit(ModulePath + "/" + name)
	return found
}

// Tools that read scripts run none: they link neither the VM nor the keyspace nor a server.
func TestToolsForTextsLinkNoServer(t *testing.T) {
	const most = 25 // packages of this module, the tool included
	packages := listPackages(t)
	for _, name := range []string{"internal/lint", "internal/luafmt", "internal/assist"} {
		found := ourDependencies(packages, name)
		require.Contains(t, found, "luabridge/luatext", name)
		assert.LessOrEqual(t, len(found)+1, most, "%s: %v", name, slices.Sorted(maps.Keys(found)))
		for _, target := range []string{"datastore", "engine", "internal/server", "luabridge", "luabridge/internal/machine"} {
			assert.NotContains(t, found, target, name)
		}
	}
	found := ourDependencies(packages, "cmd/redmoon")
	for _, target := range []string{"datastore", "engine", "internal/server", "luabridge", "luabridge/internal/machine"} {
		assert.Contains(t, found, target)
	}
}

type lawError string

func (e lawError) Error() string { return string(e) }

func mayImport(name, target string) error {
	for pattern, allowed := range importLaw() {
		if !covers(pattern, name) {
			continue
		}
		for _, a := range allowed {
			if covers(a, target) {
				return nil
			}
		}
		return lawError(name + " must not import " + target)
	}
	return lawError("the import law has no line for " + name)
}

func mayImportOther(name, imp string) error {
	for pattern, importer := range thirdParties() {
		if covers(pattern, imp) && covers(importer, name) {
			return nil
		}
	}
	return lawError(name + " must not import " + imp)
}

func TestImportLawRefuses(t *testing.T) {
	require.Error(t, mayImport("datastore", "reply"))
	require.Error(t, mayImport("luabridge", "engine"))
	require.Error(t, mayImport("cmd/redmoon", "internal/server"))
	require.Error(t, mayImport("engine", "internal/testing/difftest"))
	require.Error(t, mayImport("cmd/redmoon", "internal/testing/redistest"))
	require.Error(t, mayImport("nosuch", "engine"))
	require.Error(t, mayImportOther("engine", "github.com/yuin/gopher-lua"))
	require.Error(t, mayImportOther("engine", "github.com/stretchr/testify/require"))
	require.NoError(t, mayImport("luabridge/cjson", "reply"))
	require.NoError(t, mayImportOther("luabridge/cjson", "github.com/yuin/gopher-lua/ast"))
}

// harnessUsers are the packages of other modules that import internal/testing outside tests: each
// serves tests only.
var harnessUsers = []string{
	"clients",
	"examples/redpacketrain/internal/browsertest",
	"examples/redpacketrain/internal/pgtest",
}

// Only tests import the test equipment, in the other modules of the repository as well.
func TestOnlyTestsImportTheTestEquipment(t *testing.T) {
	root := Root()
	files, err := Files(root, ".go")
	require.NoError(t, err)
	users := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/testing/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, imp := range file.Imports {
			if strings.HasPrefix(imp.Path.Value, `"`+ModulePath+"/internal/testing/") {
				users[path.Dir(name)] = true
			}
		}
	}
	require.Equal(t, harnessUsers, slices.Sorted(maps.Keys(users)))
}
