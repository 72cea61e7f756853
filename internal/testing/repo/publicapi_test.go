package repo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Users cannot import an internal package, so no public package shows a type of one, except by an
// alias of its own. The building blocks of docs/compatibility.md do.
func TestPublicPackagesShowNoInternalTypes(t *testing.T) {
	files, err := Files(Root(), ".go")
	require.NoError(t, err)
	for _, name := range files {
		dir := path.Dir(name)
		exempt := func(pattern string) bool { return covers(pattern, dir) }
		if !covers("public", dir) || slices.ContainsFunc([]string{"cmd/...", "datastore/...", "luabridge/..."}, exempt) ||
			strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(Root(), name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, shown := range shownInternals(file) {
			assert.Fail(t, name+" shows "+shown)
		}
	}
}

// shownInternals returns the names of internal packages that the types in the exported declarations
// of a file use.
func shownInternals(file *ast.File) (list []string) {
	internal := map[string]bool{}
	for _, imp := range file.Imports {
		target, _ := strconv.Unquote(imp.Path.Value)
		if covers("public", target) {
			continue
		}
		name := path.Base(target)
		if imp.Name != nil {
			name = imp.Name.Name
		}
		internal[name] = true
	}
	ast.FileExports(file)
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			if f.Recv != nil && !ast.IsExported(receiver(f.Recv.List[0].Type)) {
				continue
			}
			f.Body = nil
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				n.Values = nil
			case *ast.TypeSpec:
				return !n.Assign.IsValid() // the alias has the name of the type
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && internal[x.Name] {
					list = append(list, x.Name+"."+n.Sel.Name)
				}
			}
			return true
		})
	}
	return list
}

func TestShownInternals(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "", `package p
import ("m/internal/a"; b "m/internal/c"; "m/d")
type T struct { A a.T; b b.T }
type hidden struct { A a.U }
type Alias = a.V
var V a.W = b.F()
type I interface { M(b.V); hidden(b.W) }
func F(d.T) { a.F() }
func (hidden) M() a.X { return nil }
func (*T) M() (x b.Y) { return }
`, parser.SkipObjectResolution)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"a.T", "a.W", "b.V", "b.Y"}, shownInternals(file))
}
