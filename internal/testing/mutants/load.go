package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// folders are the folders with code that is mutated, with their subfolders.
var folders = []string{"datastore", "internal/core/commands", "internal/core/server", "engine", "luabridge", "resp", "scripts", "persist"}

// source is a file with the types of its package.
type source struct {
	path string // relative to the module
	text []byte
	file *ast.File
	fset *token.FileSet
	info *types.Info
	pkg  *types.Package
}

// listed is what go list prints about a package.
type listed struct {
	Dir, ImportPath, Name, Export string
	GoFiles                       []string
	Module                        *struct{ Path, Dir string }
}

// goList runs go list in dir.
func goList(dir string, args ...string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-json=Dir,ImportPath,Name,Export,GoFiles,Module"}, args...)...)
	var out, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	var list []listed
	for d := json.NewDecoder(&out); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, err
		}
		list = append(list, p)
	}
}

// load parses and checks the packages below the folders of the module in root.
func load(root string) ([]*source, error) {
	var patterns []string
	for _, f := range folders {
		if _, err := os.Stat(filepath.Join(root, f)); err == nil {
			patterns = append(patterns, "./"+f+"/...")
		}
	}
	if patterns == nil {
		return nil, fmt.Errorf("%s has none of the folders %v", root, folders)
	}
	list, err := goList(root, append([]string{"-export", "-deps"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range list {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var all []*source
	for _, p := range list {
		if p.Module == nil {
			continue
		}
		rel, err := filepath.Rel(root, p.Dir)
		if err != nil {
			return nil, err
		}
		if rel = filepath.ToSlash(rel); folderOf(rel) == "" {
			continue
		}
		sources, err := check(fset, imp, p, rel)
		if err != nil {
			return nil, err
		}
		all = append(all, sources...)
	}
	return all, nil
}

// folderOf returns the entry of folders that holds a package, or "". Helpers of tests belong to
// none.
func folderOf(dir string) string {
	if slices.Contains(strings.Split(dir, "/"), "testing") {
		return ""
	}
	for _, f := range folders {
		if dir == f || strings.HasPrefix(dir, f+"/") {
			return f
		}
	}
	return ""
}

// check returns the files of a package that are not generated.
func check(fset *token.FileSet, imp types.Importer, p listed, rel string) ([]*source, error) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	var files []*ast.File
	var sources []*source
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		s, err := parse(fset, path.Join(rel, name), text)
		if err != nil {
			return nil, err
		}
		files, s.info = append(files, s.file), info
		if !ast.IsGenerated(s.file) && !strings.HasSuffix(name, ".gen.go") {
			sources = append(sources, s)
		}
	}
	pkg, err := (&types.Config{Importer: imp}).Check(p.ImportPath, fset, files, info)
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		s.pkg = pkg
	}
	return sources, nil
}

func parse(fset *token.FileSet, name string, text []byte) (*source, error) {
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &source{path: name, text: text, file: file, fset: fset}, nil
}
