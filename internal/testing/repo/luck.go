package repo

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Luck is a place in a test that may depend on real time, on the speed of the machine, on random
// numbers that nobody can repeat, or on a port that another process may have.
type Luck struct {
	File, Func string // Func is the function or Type.Method that contains the place; "" outside of one
	Call       string // for example time.Sleep, SetDeadline, or the address with a fixed port
	Line       int
}

func (l Luck) String() string {
	return fmt.Sprintf("%s:%d: %s in %s", l.File, l.Line, l.Call, l.Func)
}

// clockCalls are functions of packages that read the clock or wait for it.
var clockCalls = map[string]string{
	"time": "Sleep After AfterFunc Now Since Until NewTimer NewTicker Tick",
	// Bounds that end a hang are patience's.
	"context": "WithTimeout WithTimeoutCause WithDeadline WithDeadlineCause",
}

// waitingMethods wait, or say how long something may take. The receiver may be anything: a
// connection, or testify's assertions.
const waitingMethods = "SetDeadline SetReadDeadline SetWriteDeadline Eventually EventuallyWithT Never WithinDuration"

// boundsOfPatience are arguments that only end a hang, or end no wait at all.
var boundsOfPatience = map[string]bool{"patience.Deadline()": true, "patience.Limit": true, "time.Time{}": true}

// fixedPort matches an address on this machine with a port that another process may have.
var fixedPort = regexp.MustCompile(`^(?:127\.0\.0\.1|localhost|\[::1\]|0\.0\.0\.0)?:[1-9]\d{1,4}$`)

// FindLuck returns the places of luck in the tests below root, and in the packages that serve
// tests: those below internal/testing. It leaves out what runs in a bubble of testing/synctest.
func FindLuck(root string) ([]Luck, error) {
	files, err := Files(root, ".go")
	if err != nil {
		return nil, err
	}
	var all []Luck
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") && !strings.HasPrefix(file, "internal/testing/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		found, err := luckOf(file, text)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func luckOf(file string, text []byte) ([]Luck, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	l := &luckFinder{file: file, fset: fset, packages: map[string]string{}}
	for _, imp := range f.Imports {
		path, _ := strconv.Unquote(imp.Path.Value)
		name := path[strings.LastIndex(path, "/")+1:]
		if strings.HasPrefix(path, "math/rand") {
			name = "rand"
		}
		if imp.Name != nil {
			name = imp.Name.Name
		}
		l.packages[name] = path
	}
	for _, d := range f.Decls {
		l.name = ""
		if fn, ok := d.(*ast.FuncDecl); ok {
			l.name = funcName(fn)
		}
		ast.Inspect(d, l.visit)
	}
	return l.found, nil
}

type luckFinder struct {
	file     string
	fset     *token.FileSet
	packages map[string]string // import path by name
	name     string            // of the declaration that is visited
	found    []Luck
}

func (l *luckFinder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.KeyValueExpr: // Options{Addr: "127.0.0.1:6379"}
		if key, ok := n.Key.(*ast.Ident); ok && strings.HasPrefix(key.Name, "Addr") {
			l.port(n.Value)
		}
	case *ast.CallExpr:
		if l.excused(n) {
			for _, a := range n.Args {
				ast.Inspect(a, l.visit)
			}
			return false
		}
		if listens.MatchString(calledName(n)) {
			for _, a := range n.Args {
				l.port(a)
			}
		}
		sel, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		path := ""
		if x, ok := sel.X.(*ast.Ident); ok {
			path = l.packages[x.Name]
		}
		if path == "testing/synctest" && sel.Sel.Name == "Test" {
			return false
		}
		name := sel.Sel.Name
		switch {
		case has(clockCalls[path], name):
			name = path + "." + name
		case strings.HasPrefix(path, "math/rand") && !strings.HasPrefix(name, "New"):
			name = "rand." + name
		case path == "" && has(waitingMethods, name), strings.HasPrefix(path, "github.com/stretchr/testify/") && has(waitingMethods, name):
		default:
			return true
		}
		l.add(n, name)
	case *ast.SelectorExpr: // a function that is passed on
		if x, ok := n.X.(*ast.Ident); ok && has(clockCalls[l.packages[x.Name]], n.Sel.Name) && l.packages[x.Name] == "time" {
			l.addOnce(n, "time."+n.Sel.Name)
		}
	}
	return true
}

// excused reports whether a call of a function or method has an argument that only ends a hang.
func (l *luckFinder) excused(n *ast.CallExpr) bool {
	sel, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if x, ok := sel.X.(*ast.Ident); ok && has(clockCalls[l.packages[x.Name]], sel.Sel.Name) || has(waitingMethods, sel.Sel.Name) {
		return slices.ContainsFunc(n.Args, func(a ast.Expr) bool { return boundsOfPatience[expression(a)] })
	}
	return false
}

// listens matches the names of functions whose arguments are addresses that are really used.
var listens = regexp.MustCompile(`(?i)listen|dial`)

func calledName(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// port adds a text that is an address with a fixed port.
func (l *luckFinder) port(e ast.Expr) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return
	}
	if text, err := strconv.Unquote(lit.Value); err == nil && fixedPort.MatchString(text) {
		l.add(lit, text)
	}
}

func (l *luckFinder) add(n ast.Node, call string) {
	l.found = append(l.found, Luck{l.file, l.name, call, l.fset.Position(n.Pos()).Line})
}

// addOnce adds a place unless its call has just been added: the call is visited before its
// function.
func (l *luckFinder) addOnce(n ast.Node, call string) {
	line := l.fset.Position(n.Pos()).Line
	for _, f := range l.found {
		if f.Line == line && f.Call == call {
			return
		}
	}
	l.add(n, call)
}

func has(words, word string) bool {
	for _, w := range strings.Fields(words) {
		if w == word {
			return true
		}
	}
	return false
}

// expression returns the text of a simple expression: patience.Deadline(), time.Time{}; or "".
func expression(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return expression(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		if len(e.Args) == 0 {
			return expression(e.Fun) + "()"
		}
	case *ast.CompositeLit:
		if len(e.Elts) == 0 && e.Type != nil {
			return expression(e.Type) + "{}"
		}
	}
	return ""
}

// funcName returns the name of a function, or Type.Method.
func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
			continue
		case *ast.IndexExpr:
			t = x.X
			continue
		case *ast.Ident:
			return x.Name + "." + fn.Name.Name
		}
		return fn.Name.Name
	}
}
