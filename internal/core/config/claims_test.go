package config

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClaimsAreTrue checks what the table says about effects: a parameter with an effect is read by
// code, and no code reads one without.
func TestClaimsAreTrue(t *testing.T) {
	read := wordsOfCode(t, "../../..")
	for _, p := range params() {
		derived := p.limit != nil || p.apply != nil || p.Applied != ""
		switch {
		case p.does == "" && p.without == "":
			t.Errorf("%s: the table does not say what it does", p.Name)
		case p.does != "" && p.without != "":
			t.Errorf("%s: the table says that it has an effect, and that it has none", p.Name)
		case p.does != "" && !derived && !read[p.Name]:
			t.Errorf("%s: the table claims an effect, but no code reads it", p.Name)
		case p.without != "" && (derived || read[p.Name]):
			t.Errorf("%s: the table claims no effect, but code reads it", p.Name)
		}
		require.False(t, strings.HasSuffix(p.does+p.without, "."), p.Name)
	}
}

// wordsOfCode are the values of all string literals of the code of this module that are neither in
// tests nor in this package. Packages recording and cmdrows know parameters of any server.
func wordsOfCode(t *testing.T, root string) map[string]bool {
	words := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testing" || d.Name() == "testdata" || path == "../../../internal/core/config" ||
			path == "../../../internal/tools/recording" || path == "../../../internal/base/cmdrows" || path == "../../../.git"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					words[s] = true
				}
			}
			return true
		})
		return nil
	}))
	return words
}
