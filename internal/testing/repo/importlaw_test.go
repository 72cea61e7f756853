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
		// What knows nothing of a server.
		"internal/base/bundle":    {"internal/base/files"},
		"internal/base/cmdrows":   {"internal/base/cmdtable", "internal/base/glob", "internal/base/servers"},
		"internal/base/cmdtable":  {"internal/base/decimal", "internal/base/servers"},
		"internal/base/decimal":   {},
		"internal/base/errtext":   {"internal/base/servers"},
		"internal/base/excerpt":   {},
		"internal/base/files":     {},
		"internal/base/framing":   {},
		"internal/base/geohash":   {"internal/base/numbers"},
		"internal/base/glob":      {},
		"internal/base/goroutine": {},
		"internal/base/hashslot":  {},
		"internal/base/money":     {},
		"internal/base/numbers":   {},
		"internal/base/parts":     {},
		"internal/base/queue":     {},
		"internal/base/project":   {"internal/base/bundle", "internal/base/files"},
		"internal/base/quoting":   {},
		"internal/base/rdbhead":   {},
		"internal/base/safelog":   {},
		"internal/base/servers":   {},
		"internal/base/textdiff":  {},
		// Values and Lua.
		"reply": {"internal/base/numbers", "internal/base/quoting"},
		"datastore/...": {"datastore/internal/...", "internal/base/decimal",
			"internal/base/hashslot", "internal/base/numbers", "internal/base/parts", "internal/base/rdbhead"},
		"datastore/rdbfile": {"datastore"},
		"luabridge/...": {"internal/base/errtext", "internal/base/numbers", "internal/base/quoting", "internal/base/servers", "luabridge/...",
			"reply"},
		// The parts of a server, under engine.
		"engine": {"datastore", "internal/base/...", "internal/core/commands", "internal/core/commands/scriptingcmds",
			"internal/core/conffile", "internal/core/config", "internal/core/coverage", "internal/core/enginedoor",
			"internal/core/keydiff", "internal/core/parse", "internal/core/profile", "internal/core/replication",
			"internal/core/server", "luabridge/...", "reply"},
		"internal/core/acl":      {"internal/base/...", "internal/core/config", "internal/core/parse", "reply"},
		"internal/core/commands": {"internal/base/...", "internal/core/commands/...", "internal/core/server"},
		"internal/core/commands/...": {"datastore", "internal/base/...", "internal/core/acl", "internal/core/commands/...",
			"internal/core/conffile", "internal/core/config", "internal/core/migrate", "internal/core/parse",
			"internal/core/replication", "internal/core/server", "reply"},
		"internal/core/conffile":         {"datastore", "internal/base/...", "internal/core/acl", "internal/core/config"},
		"internal/core/config":           {"datastore", "internal/base/...", "internal/core/parse"},
		"internal/core/coverage":         {"luabridge", "luabridge/luatree"},
		"internal/core/coverage/formats": {"internal/core/coverage", "luabridge", "luabridge/luatree"},
		"internal/core/enginedoor":       {"datastore", "internal/core/config", "internal/core/server", "reply"},
		"internal/core/keydiff":          {"datastore"},
		"internal/core/migrate":          {},
		"internal/core/parse":            {"datastore", "internal/base/...", "reply"},
		"internal/core/profile":          {"luabridge"},
		"internal/core/profile/flame":    {"internal/core/profile", "luabridge"},
		"internal/core/replication": {"datastore", "datastore/rdbfile", "internal/base/...", "internal/core/config",
			"internal/core/parse", "internal/core/replication/link", "internal/core/server", "reply"},
		"internal/core/replication/link": {"internal/base/..."},
		"internal/core/server": {"datastore", "internal/base/...", "internal/core/acl", "internal/core/conffile",
			"internal/core/config", "internal/core/migrate", "internal/core/parse", "internal/core/wire", "reply"},
		"internal/core/wire": {"reply"},
		// What programs use beside an engine.
		"resp": append([]string{"internal/base/...", "internal/core/enginedoor", "internal/core/wire"}, aboveEngine...),
		"persist": {"datastore", "datastore/rdbfile", "internal/base/...", "internal/core/enginedoor", "internal/core/server",
			"persist/internal/...", "reply"},
		"persist/aoffile":      {"persist/internal/..."},
		"persist/internal/...": {"internal/base/...", "persist/internal/..."},
		"debugger":             append([]string{"debugger/internal/...", "internal/base/..."}, aboveEngine...),
		"debugger/dap": append([]string{"debugger", "debugger/internal/...", "internal/base/...", "internal/core/enginedoor"},
			aboveEngine...),
		"debugger/ldb":          append([]string{"debugger", "internal/base/...", "resp"}, aboveEngine...),
		"debugger/internal/...": {},
		"goredis":               append([]string{"internal/base/...", "resp"}, aboveEngine...),
		"scripts/...":           append([]string{"scripts/..."}, aboveEngine...),
		// What reads scripts or plays them.
		"internal/tools/assist":   {"internal/base/...", "internal/tools/lint", "luabridge/luatext", "luabridge/luatree"},
		"internal/tools/embedded": {"internal/base/...", "luabridge/luatree"},
		"internal/tools/explore":  {},
		"internal/tools/explore/play": append([]string{"internal/base/...", "internal/core/keydiff", "internal/tools/explore",
			"internal/tools/harness"}, aboveEngine...),
		"internal/tools/fixture": {"internal/base/..."},
		"internal/tools/harness": append([]string{"internal/base/...", "internal/core/keydiff"}, aboveEngine...),
		"internal/tools/lint":    {"internal/base/...", "luabridge/luatext", "luabridge/luatree"},
		"internal/tools/luafmt":  {"internal/base/bundle", "luabridge/luatext", "luabridge/luatree"},
		"internal/tools/luatest/...": append([]string{"internal/base/...", "internal/tools/explore/play",
			"internal/tools/embedded", "internal/tools/fixture", "internal/tools/harness", "internal/tools/luatest/...", "luabridge"},
			aboveEngine...),
		"internal/tools/metrics":            {"engine"},
		"internal/tools/recording":          {},
		"internal/tools/recording/dialogue": {"internal/base/...", "internal/tools/recording"},
		"internal/tools/versions":           {"datastore", "internal/base/...", "internal/core/commands", "internal/core/config"},
		"internal/tools/replay": append([]string{"datastore", "datastore/rdbfile", "internal/base/...", "internal/core/enginedoor",
			"internal/core/server", "internal/tools/recording/...", "resp"}, aboveEngine...),
		// What tests use.
		"redmoontest": append([]string{"internal/base/...", "internal/core/coverage", "internal/core/enginedoor",
			"internal/core/keydiff", "internal/tools/explore/...", "internal/tools/fixture", "internal/tools/harness",
			"internal/tools/luatest/...", "resp"}, aboveEngine...),
		"redmoontest/rapidtest": append([]string{"internal/tools/harness", "redmoontest"}, aboveEngine...),
		"redmoontest/minicompat": append([]string{"internal/base/...", "internal/core/enginedoor",
			"redmoontest/minicompat/server", "resp"}, aboveEngine...),
		"redmoontest/minicompat/server": append([]string{"resp"}, aboveEngine...),
		"goredis/goredistest":           {"goredis", "redmoontest"},
		// The program, and the equipment of its own tests.
		"cmd/...": {"cmd/...", "internal/base/...", "internal/core/coverage/...", "internal/core/enginedoor",
			"internal/core/profile/...", "internal/tools/assist", "internal/tools/embedded", "internal/tools/fixture",
			"internal/tools/lint", "internal/tools/luafmt", "internal/tools/luatest/...", "internal/tools/metrics",
			"internal/tools/recording/...", "internal/tools/replay", "internal/tools/versions", "public"},
		"internal/testing/...":  {"internal/...", "public"},
		"internal/devtools/...": {},
	}
}

// thirdParties says which of our packages may import the packages of other modules. A module with
// "" is imported by tests only.
func thirdParties() map[string]string {
	return map[string]string{
		"github.com/yuin/gopher-lua/...":          "luabridge/...",
		"layeh.com/gopher-json":                   "luabridge/internal/inspect",
		"github.com/zeebo/xxh3":                   "internal/core/commands/...",
		"github.com/alecthomas/kong":              "cmd/...",
		"github.com/BurntSushi/toml":              "internal/base/project",
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
	for _, name := range []string{"internal/tools/lint", "internal/tools/luafmt", "internal/tools/assist"} {
		found := ourDependencies(packages, name)
		require.Contains(t, found, "luabridge/luatext", name)
		assert.LessOrEqual(t, len(found)+1, most, "%s: %v", name, slices.Sorted(maps.Keys(found)))
		for _, target := range []string{"datastore", "engine", "internal/core/server", "luabridge", "luabridge/internal/machine"} {
			assert.NotContains(t, found, target, name)
		}
	}
	found := ourDependencies(packages, "cmd/redmoon")
	for _, target := range []string{"datastore", "engine", "internal/core/server", "luabridge", "luabridge/internal/machine"} {
		assert.Contains(t, found, target)
	}
}

type lawError string

func (e lawError) Error() string { return string(e) }

// mayImport applies the longest line that covers a package.
func mayImport(name, target string) error {
	line, found := "", false
	for pattern := range importLaw() {
		if covers(pattern, name) && len(pattern) >= len(line) {
			line, found = pattern, true
		}
	}
	switch {
	case !found:
		return lawError("the import law has no line for " + name)
	case !slices.ContainsFunc(importLaw()[line], func(allowed string) bool { return covers(allowed, target) }):
		return lawError(name + " must not import " + target)
	}
	return nil
}

// storeys are the floors of the house, from the ground up. A package belongs to the floor of the
// longest name that covers it.
var storeys = [][]string{
	{"internal/base"},
	{"reply", "datastore", "luabridge"},
	{"internal/core"},
	{"engine"},
	{"resp", "persist", "debugger", "goredis", "scripts"},
	{"internal/tools"},
	{"redmoontest", "goredis/goredistest"},
	{"cmd"},
	{"internal/testing", "internal/devtools"},
}

func storeyOf(name string) int {
	storey, longest := -1, 0
	for i, rooms := range storeys {
		for _, room := range rooms {
			if covers(room+"/...", name) && len(room) > longest {
				storey, longest = i, len(room)
			}
		}
	}
	return storey
}

// What the law allows, too, never points up.
func TestNoStoreyImportsAHigherOne(t *testing.T) {
	for _, p := range listPackages(t) {
		name, ours := strings.CutPrefix(p.ImportPath, ModulePath+"/")
		if !ours {
			continue
		}
		assert.GreaterOrEqual(t, storeyOf(name), 0, "%s stands in no storey", name)
		for _, imp := range p.Imports {
			if target, ok := strings.CutPrefix(imp, ModulePath+"/"); ok {
				assert.LessOrEqual(t, storeyOf(target), storeyOf(name), "%s imports %s", name, target)
			}
		}
	}
	require.Equal(t, -1, storeyOf("nosuch"))
	require.Less(t, storeyOf("goredis"), storeyOf("goredis/goredistest"))
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
	require.Error(t, mayImport("datastore/rdbfile", "internal/base/parts"), "the longer line holds")
	require.Error(t, mayImport("luabridge", "engine"))
	require.Error(t, mayImport("cmd/redmoon", "internal/core/server"))
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
