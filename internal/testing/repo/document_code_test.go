package repo

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// surroundings declares what the code blocks of documents use without declaring it.
const surroundings = `
var ctx context.Context
var e *engine.Engine
var client engine.Client
var script *engine.Script
var t *testing.T
var db *sql.DB
var w http.ResponseWriter
var q *delayqueue.Queue
var orderID, orderToken, userID string
var shanghai *time.Location
var ErrShopDone error
var a, b, c, d engine.Client
var addrs []string
type Record struct { User string; Amount int64 }
func seconds(time.Duration) string { return "" }
func write(context.Context, int64) error { return nil }
`

const ours = ModulePath + "/"

// blockImports are the import paths of the packages that code blocks use, by package name.
var blockImports = map[string]string{
	"context": "context",
	"errors":  "errors",
	"fmt":     "fmt",
	"http":    "net/http",
	"json":    "encoding/json",
	"log":     "log",
	"os":      "os",
	"signal":  "os/signal",
	"sql":     "database/sql",
	"strconv": "strconv",
	"syscall": "syscall",
	"testing": "testing",
	"time":    "time",
	"redis":   "github.com/redis/go-redis/v9",
	"require": "github.com/stretchr/testify/require",

	"coupon":      ours + "scripts/coupon",
	"debugger":    ours + "debugger",
	"delayqueue":  ours + "scripts/delayqueue",
	"engine":      ours + "engine",
	"goredis":     ours + "goredis",
	"ldb":         ours + "debugger/ldb",
	"miniredis":   ours + "redmoontest/minicompat",
	"lock":        ours + "scripts/lock",
	"persist":     ours + "persist",
	"rapidtest":   ours + "redmoontest/rapidtest",
	"ratelimit":   ours + "scripts/ratelimit",
	"redlock":     ours + "scripts/lock/redlock",
	"redmoontest": ours + "redmoontest",
	"redpacket":   ours + "scripts/redpacket",
	"resp":        ours + "resp",
	"stock":       ours + "scripts/stock",
}

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```")

// TestGoBlocksOfDocumentsCompile type-checks each Go code block of README.md, docs and the
// examples. Unused variables and missing returns are allowed: blocks are parts of functions.
func TestGoBlocksOfDocumentsCompile(t *testing.T) {
	tier.Landing(t) // it compiles all packages of the module
	exports := exportData(t)
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	blocks := 0
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/scripts/*.md", "examples/*/README.md"} {
		files, err := filepath.Glob(filepath.Join(Root(), pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, at := range goBlock.FindAllSubmatchIndex(text, -1) {
				blocks++
				line := strings.Count(string(text[:at[2]]), "\n") + 1
				for _, err := range checkBlock(fset, imports, fmt.Sprint(filepath.Base(file), " from line ", line), string(text[at[2]:at[3]])) {
					t.Error(err)
				}
			}
		}
	}
	require.Greater(t, blocks, 10)
}

// checkBlock returns the type errors of a block.
func checkBlock(fset *token.FileSet, imports types.Importer, name, block string) (errs []error) {
	if !strings.HasPrefix(block, "func ") {
		block = "func _() error {\n" + block + "\nreturn nil }"
	}
	code := block + surroundings
	var head strings.Builder
	head.WriteString("package block\n")
	for name, path := range blockImports {
		if regexp.MustCompile(`\b` + name + `\.`).MatchString(code) {
			fmt.Fprintf(&head, "import %q\n", path)
		}
	}
	file, err := parser.ParseFile(fset, name, head.String()+code, 0)
	if err != nil {
		return []error{err}
	}
	config := types.Config{Importer: imports, Error: func(err error) {
		if !strings.HasSuffix(err.Error(), " and not used") && !strings.Contains(err.Error(), "declared and not used") {
			errs = append(errs, err)
		}
	}}
	_, _ = config.Check("block", fset, []*ast.File{file}, nil) // the errors have been collected
	return errs
}

// exportData returns the export data files of the packages, by import path.
func exportData(t *testing.T) map[string]string {
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, path := range blockImports {
		args = append(args, path)
	}
	out, err := exec.Command("go", args...).Output()
	require.NoError(t, err)
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return files
}
