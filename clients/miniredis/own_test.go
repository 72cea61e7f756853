package miniredis

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// internalTests are the files of miniredis's tests that test its functions, not a server.
var internalTests = []string{"keys_test.go", "redis_test.go", "sorted_set_test.go", "stream_test.go", "geo_test.go"}

// internalFunctions are tests of miniredis's functions in other files.
var internalFunctions = []string{"TestMiniredis_isValidCMD", "TestParseHExpireArgs", "TestCheckHashFieldTTL", "TestDelElem", "TestSSRange"}

// internalSubtests are the names of subtests that test miniredis's functions.
var internalSubtests = []string{`"parse"`, `"TTL is actually stored in hashTTLs map"`}

// adapted are places where a test looks into a Miniredis, expects the name miniredis, or gives up
// on a busy machine.
var adapted = map[*regexp.Regexp]string{
	regexp.MustCompile(`_, ok := s\.dbs\[0\]\.ttl\["(\w+)"\]`):       `ok := s.TTL("$1") != 0`,
	regexp.MustCompile(`s\.effectiveNow\(\)`):                        `time.Now()`,
	regexp.MustCompile(`s\.srv\.Addr\(\)`):                           `s.Server().Addr()`,
	regexp.MustCompile(`time\.After\([25]00 \* time\.Millisecond\)`): `time.After(time.Hour)`,
	regexp.MustCompile(`"HELLO", "3", "miniredis"`):                  `"HELLO", "3", "redis"`,
}

// shim is package miniredis on minicompat, as its own tests use it.
const shim = `package miniredis

import (
	"github.com/alicebob/miniredis/v2/proto"
	compat "` + ourPath + `"
)

type (
	Miniredis      = compat.Miniredis
	StreamEntry    = compat.StreamEntry
	PubsubMessage  = compat.PubsubMessage
	PubsubPmessage = compat.PubsubPmessage
	Tester         = compat.Tester
)

var (
	NewMiniRedis = compat.NewMiniRedis
	Run          = compat.Run
	RunT         = compat.RunT
	RunTLS       = compat.RunTLS

	ErrKeyNotFound           = compat.ErrKeyNotFound
	ErrWrongType             = compat.ErrWrongType
	ErrNotValidHllValue      = compat.ErrNotValidHllValue
	ErrIntValueError         = compat.ErrIntValueError
	ErrIntValueOverflowError = compat.ErrIntValueOverflowError
	ErrFloatValueError       = compat.ErrFloatValueError
)

func runWithClient(t Tester) (*Miniredis, *proto.Client) {
	m := RunT(t)
	c, err := proto.Dial(m.Addr())
	if err != nil {
		t.Fatalf("could not connect to miniredis: %s", err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return m, c
}
`

// TestOwnSuite runs miniredis's own tests of its server on minicompat. What fails must be explained
// in ownDiffers.
func TestOwnSuite(t *testing.T) {
	src := newSources(t)
	src.copyModule(theirPath, func(path, text string) (string, bool) {
		switch {
		case strings.Contains(path, "/"):
			return text, true
		case slices.Contains(internalTests, path):
			return "", false
		case path == "miniredis.go":
			return shim, true
		case path == "redis.go" || path == "cmd_string.go":
			return onlyHelpers(t, text), true
		case !strings.HasSuffix(path, "_test.go"):
			return "", false
		}
		for pattern, by := range adapted {
			text = pattern.ReplaceAllString(text, by)
		}
		return without(t, text, internalFunctions), true
	})
	on, with := goTest(t, nil, theirPath), goTest(t, src, theirPath)
	fmt.Printf("%s: %d/%d passed, its tests of a server on minicompat %d/%d passed\n", theirPath, on.passed, on.total(), with.passed,
		with.total())
	compare(t, on, with, ownDiffers)
}

// onlyHelpers leaves of a file what the tests of a server use: constants, and the functions that
// return the text of an error or combine bits.
func onlyHelpers(t *testing.T, text string) string {
	return edit(t, text, func(d ast.Decl) bool {
		switch d := d.(type) {
		case *ast.GenDecl:
			return d.Tok == token.CONST
		case *ast.FuncDecl:
			return d.Recv == nil && (strings.HasPrefix(d.Name.Name, "err") || strings.HasPrefix(d.Name.Name, "msg") || d.Name.Name == "sliceBinOp")
		}
		return false
	})
}

// without leaves functions out of a file.
func without(t *testing.T, text string, names []string) string {
	return edit(t, text, func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return !ok || !slices.Contains(names, f.Name.Name)
	})
}

// withoutSubtests removes the internal subtests of a file and reports whether there were any.
func withoutSubtests(file *ast.File) (cut bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if b, ok := n.(*ast.BlockStmt); ok {
			before := len(b.List)
			b.List = slices.DeleteFunc(b.List, isInternalSubtest)
			cut = cut || len(b.List) < before
		}
		return true
	})
	return cut
}

// isInternalSubtest reports whether a statement is t.Run of an internal subtest.
func isInternalSubtest(s ast.Stmt) bool {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	c, ok := x.X.(*ast.CallExpr)
	if !ok || len(c.Args) != 2 {
		return false
	}
	name, ok := c.Args[0].(*ast.BasicLit)
	return ok && slices.Contains(internalSubtests, name.Value)
}

// edit leaves the declarations of a file that keep accepts, and the imports that they use.
func edit(t *testing.T, text string, keep func(ast.Decl) bool) string {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	cut := withoutSubtests(file)
	file.Decls = slices.DeleteFunc(file.Decls, func(d ast.Decl) bool {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			return false
		}
		cut = cut || !keep(d)
		return !keep(d)
	})
	if !cut {
		return text
	}
	file.Comments = slices.DeleteFunc(file.Comments, func(c *ast.CommentGroup) bool { return !strings.HasPrefix(c.List[0].Text, "//go:") })
	used := map[string]bool{}
	for _, d := range file.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); ok {
					used[id.Name] = true
				}
			}
			return true
		})
	}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool {
				path := strings.Trim(s.(*ast.ImportSpec).Path.Value, `"`)
				return !used[path[strings.LastIndex(path, "/")+1:]]
			})
		}
	}
	var out bytes.Buffer
	require.NoError(t, format.Node(&out, set, file))
	return out.String()
}
