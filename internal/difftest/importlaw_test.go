package difftest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const modulePath = "github.com/redmoon-lua/redmoon"

// importLaw is the table of DESIGN.md: what a package may import of ours. A name ending in /... stands for a
// package and all below it; "public" for every package that is not internal. Whatever is not listed is refused.
func importLaw() map[string][]string {
	aboveEngine := []string{"engine", "internal/reply"}
	return map[string][]string{
		"datastore/...":      {"datastore/internal/..."},
		"internal/reply":     {"internal/quoting"},
		"internal/numbers":   {},
		"internal/geohash":   {"internal/numbers"},
		"internal/quoting":   {},
		"internal/money":     {},
		"internal/goroutine": {},
		"internal/errtext":   {},
		"internal/glob":      {},
		"internal/parse":     {"datastore", "internal/errtext", "internal/glob", "internal/reply"},
		"internal/cmdtable":  {"internal/parse"},
		"internal/config":    {"datastore", "internal/parse", "internal/quoting"},
		"internal/acl":       {"internal/cmdtable", "internal/config", "internal/errtext", "internal/glob", "internal/parse", "internal/quoting", "internal/reply"},
		"internal/conffile":  {"datastore", "internal/acl", "internal/cmdtable", "internal/config", "internal/quoting"},
		"internal/server": {"datastore", "internal/acl", "internal/cmdtable", "internal/conffile", "internal/config",
			"internal/errtext", "internal/glob", "internal/parse", "internal/quoting", "internal/reply"},
		"internal/commands": {"internal/cmdtable", "internal/commands/..."},
		"internal/commands/...": {"datastore", "internal/acl", "internal/cmdtable", "internal/commands/...", "internal/conffile",
			"internal/config", "internal/errtext", "internal/geohash", "internal/glob", "internal/parse", "internal/quoting",
			"internal/reply", "internal/server"},
		"luabridge/...": {"luabridge/...", "internal/reply", "internal/numbers"},
		"engine": {"datastore", "internal/cmdtable", "internal/commands", "internal/conffile", "internal/config", "internal/glob",
			"internal/goroutine", "internal/parse", "internal/reply", "internal/server", "luabridge/..."},
		"resp":         append([]string{"internal/quoting"}, aboveEngine...),
		"debugger":     aboveEngine,
		"debugger/dap": append([]string{"debugger", "internal/quoting"}, aboveEngine...),
		"debugger/ldb": append([]string{"debugger", "resp", "internal/quoting"}, aboveEngine...),
		"goredis":      append([]string{"resp", "internal/goroutine"}, aboveEngine...),
		"redmoontest":  aboveEngine,
		"scripts/...":  append([]string{"scripts/..."}, aboveEngine...),
		"persist/...":  append([]string{"persist/...", "datastore"}, aboveEngine...),
		"cmd/...":      {"cmd/...", "public", "internal/money", "internal/quoting"},

		"internal/difftest/luagen": {},
		"internal/redistest":       {"engine", "resp"},
		"internal/screen":          {"internal/redistest"},
		"internal/everywhere":      {"engine", "goredis", "internal/redistest"},
	}
}

// thirdParties says who may import the packages of other modules. Modules that only tests use are not named:
// outside tests nobody may import them.
func thirdParties() map[string]string {
	return map[string]string{
		"github.com/yuin/gopher-lua/...":          "luabridge/...",
		"layeh.com/gopher-json":                   "luabridge/...",
		"github.com/alecthomas/kong":              "cmd/...",
		"github.com/reeflective/readline/...":     "cmd/...",
		"golang.org/x/term":                       "cmd/...",
		"github.com/HdrHistogram/hdrhistogram-go": "cmd/...",
		"github.com/google/go-dap":                "debugger/dap",
		"github.com/redis/go-redis/v9/...":        "goredis",
		"github.com/go-redsync/redsync/v4/...":    "scripts/lock/...",
		"github.com/redmoon-lua/redmoon/...":      "...",
		"github.com/anishathalye/porcupine":       "",
		"github.com/stretchr/testify/...":         "",
		"github.com/rogpeppe/go-internal/...":     "",
		"github.com/alicebob/miniredis/v2/...":    "",
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

// listedPackage is what `go list -json` tells of a package.
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

// TestImportLaw keeps the picture in DESIGN.md true: no import points up, and nothing but tests imports the harness.
func TestImportLaw(t *testing.T) {
	packages := listPackages(t)
	standard := map[string]bool{"C": true, "unsafe": true}
	for _, p := range packages {
		standard[p.ImportPath] = p.Standard
	}
	for _, p := range packages {
		name, ours := strings.CutPrefix(p.ImportPath, modulePath+"/")
		if !ours || name == "internal/difftest" || name == "internal/everywhere" {
			continue
		}
		for _, imp := range p.Imports {
			if target, ok := strings.CutPrefix(imp, modulePath+"/"); ok {
				require.NoError(t, mayImport(name, target))
			} else if !standard[imp] {
				require.NoError(t, mayImportOther(name, imp))
			}
		}
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
	for pattern, who := range thirdParties() {
		if covers(pattern, imp) && covers(who, name) {
			return nil
		}
	}
	return lawError(name + " must not import " + imp)
}

func TestImportLawRefuses(t *testing.T) {
	require.Error(t, mayImport("datastore", "internal/reply"))
	require.Error(t, mayImport("luabridge", "engine"))
	require.Error(t, mayImport("cmd/redmoon", "internal/server"))
	require.Error(t, mayImport("engine", "internal/difftest"))
	require.Error(t, mayImport("nosuch", "engine"))
	require.Error(t, mayImportOther("engine", "github.com/yuin/gopher-lua"))
	require.Error(t, mayImportOther("engine", "github.com/stretchr/testify/require"))
	require.NoError(t, mayImport("luabridge/cjson", "internal/reply"))
	require.NoError(t, mayImportOther("luabridge/cjson", "github.com/yuin/gopher-lua/ast"))
}
