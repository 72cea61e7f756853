package miniredis

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// dirOf returns the folder of a package.
func dirOf(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// exported returns the exported names that a package declares at its top level, sorted.
func exported(t *testing.T, path string) []string {
	t.Helper()
	notTest := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	packages, err := parser.ParseDir(token.NewFileSet(), dirOf(t, path), notTest, parser.SkipObjectResolution)
	require.NoError(t, err)
	names := map[string]bool{}
	for _, p := range packages {
		for _, file := range p.Files {
			for _, d := range file.Decls {
				for _, name := range declared(d) {
					if ast.IsExported(name) {
						names[name] = true
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// declared returns the names of a declaration, except methods.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}
