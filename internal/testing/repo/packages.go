package repo

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Package holds the size of a Go package.
type Package struct {
	Path      string // folder relative to the root
	Module    string // folder of its go.mod relative to the root, "." for the main module
	Files     int    // Go files without tests
	Lines     int    // their lines, comments and blank lines included
	Exported  int    // their exported names: top-level ones, and methods of exported types
	TestFiles int
	TestLines int
}

// Packages returns all Go packages below root in the order of their paths.
func Packages(root string) ([]Package, error) {
	files, err := Files(root, ".go", "go.mod")
	if err != nil {
		return nil, err
	}
	modules := map[string]bool{}
	for _, name := range files {
		if path.Base(name) == "go.mod" {
			modules[path.Dir(name)] = true
		}
	}
	all := map[string]*Package{}
	for _, name := range files {
		if path.Base(name) == "go.mod" {
			continue
		}
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		dir := path.Dir(name)
		p := all[dir]
		if p == nil {
			p = &Package{Path: dir, Module: moduleOf(dir, modules)}
			all[dir] = p
		}
		lines := bytes.Count(source, []byte("\n"))
		if strings.HasSuffix(name, "_test.go") {
			p.TestFiles++
			p.TestLines += lines
			continue
		}
		p.Files++
		p.Lines += lines
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.Exported += exported(file)
	}
	var list []Package
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		list = append(list, *all[dir])
	}
	return list, nil
}

func moduleOf(dir string, modules map[string]bool) string {
	for dir != "." && !modules[dir] {
		dir = path.Dir(dir)
	}
	return dir
}

// exported counts the exported names that a file declares.
func exported(file *ast.File) int {
	n := 0
	count := func(id *ast.Ident) {
		if id.IsExported() {
			n++
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type)) {
				count(d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					count(s.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						count(id)
					}
				}
			}
		}
	}
	return n
}

// receiver returns the name of a method's receiver type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
