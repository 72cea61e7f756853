package repo

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Place is a place in a test that depends on luck: on how fast the machine is, or on a port that
// another process may have.
type Place struct {
	File string // relative to the root, with slashes
	Func string // the function, or Type.Method, or the variable that contains it
	Call string // "time.Sleep", "c.SetDeadline" or "127.0.0.1:6379"
	Line int    // from 1
}

// String returns the place as compilers write theirs.
func (p Place) String() string {
	return fmt.Sprintf("%s:%d: %s uses %s", p.File, p.Line, p.Func, p.Call)
}

// Luck returns the places below root: in all tests, and in all code below internal/testing.
func Luck(root string) ([]Place, error) {
	files, err := Files(root, ".go")
	if err != nil {
		return nil, err
	}
	var all []Place
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "internal/testing/") {
			continue
		}
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		found, err := LuckIn(name, source)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// LuckIn returns the places in one file. A function that is used without a call, as in `now :=
// time.Now`, is a place as well.
func LuckIn(name string, source []byte) ([]Place, error) {
	s := luckScan{files: token.NewFileSet(), imports: map[string]string{}}
	file, err := parser.ParseFile(s.files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s.place.File, s.place.Func = name, "import"
	for _, imp := range file.Imports {
		s.useImport(imp)
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			s.place.Func = d.Name.Name
			if d.Recv != nil {
				s.place.Func = receiver(d.Recv.List[0].Type) + "." + d.Name.Name
			}
			s.scan(d, false)
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					s.place.Func = v.Names[0].Name
				}
				s.scan(spec, false)
			}
		}
	}
	return s.found, nil
}

const patiencePath = ModulePath + "/internal/testing/patience"

var (
	// luckyFuncs are the functions that read the clock or wait, by the path of their package.
	luckyFuncs = map[string][]string{
		"time":    {"Sleep", "After", "AfterFunc", "Now", "Since", "Until", "NewTimer", "NewTicker", "Tick"},
		"context": {"WithTimeout", "WithDeadline", "WithTimeoutCause", "WithDeadlineCause"},
	}
	luckyMethods = []string{"SetDeadline", "SetReadDeadline", "SetWriteDeadline"}
	// luckyAsserts are functions of testify's packages and methods of its objects. Each has a form
	// that ends in f.
	luckyAsserts = []string{"Eventually", "EventuallyWithT", "Never", "WithinDuration"}
	netCalls     = []string{"Listen", "ListenPacket", "Dial", "DialTimeout", "DialContext"}

	loopbackPort = regexp.MustCompile(`(?:127\.0\.0\.1|localhost|\[::1\]|0\.0\.0\.0):0*[1-9][0-9]*`)
	anyPort      = regexp.MustCompile(`^[^:]*:0*[1-9][0-9]*$`)
)

type luckScan struct {
	files   *token.FileSet
	imports map[string]string // the path of each package by its name in the file
	place   Place             // where the scan is
	found   []Place
}

func (s *luckScan) add(at ast.Node, call string) {
	s.place.Call, s.place.Line = call, s.files.Position(at.Pos()).Line
	s.found = append(s.found, s.place)
}

func (s *luckScan) useImport(imp *ast.ImportSpec) {
	p, _ := strconv.Unquote(imp.Path.Value)
	name := path.Base(p)
	if imp.Name != nil {
		name = imp.Name.Name
	}
	s.imports[name] = p
	if name == "." && luckyFuncs[p] != nil {
		s.add(imp, ". "+p) // the scan would miss its functions
	}
}

// selector returns the path of a package and the name that an expression selects from it. The path
// is empty if it selects from something else.
func (s *luckScan) selector(e ast.Expr) (pkg, name string) {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	if x, ok := sel.X.(*ast.Ident); ok {
		pkg = s.imports[x.Name]
	}
	return pkg, sel.Sel.Name
}

// scan looks at n and all below it. fake says that its clock is that of a bubble of synctest.
func (s *luckScan) scan(n ast.Node, fake bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if pkg, name := s.selector(n.Fun); pkg == "testing/synctest" && name == "Test" && !fake {
				for _, arg := range n.Args {
					_, literal := arg.(*ast.FuncLit)
					s.scan(arg, literal)
				}
				return false
			}
			s.call(n, fake)
		case *ast.SelectorExpr:
			if pkg, name := s.selector(n); !fake && slices.Contains(luckyFuncs[pkg], name) {
				s.add(n, path.Base(pkg)+"."+name)
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
				for _, address := range loopbackPort.FindAllString(text, -1) {
					s.add(n, address)
				}
			}
		}
		return true
	})
}

// call looks at the name and the arguments of a call.
func (s *luckScan) call(c *ast.CallExpr, fake bool) {
	_, name := s.selector(c.Fun)
	switch {
	case name == "":
	case slices.Contains(luckyMethods, name):
		if !fake && !(len(c.Args) == 1 && s.endsHangOnly(c.Args[0])) {
			s.add(c, types.ExprString(c.Fun))
		}
	case slices.Contains(luckyAsserts, strings.TrimSuffix(name, "f")):
		if !fake {
			s.add(c, types.ExprString(c.Fun))
		}
	case slices.Contains(netCalls, name):
		for _, arg := range c.Args {
			if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil && anyPort.MatchString(text) && !loopbackPort.MatchString(text) {
					s.add(lit, text)
				}
			}
		}
	}
}

// endsHangOnly returns whether a deadline is patience.Deadline() or time.Time{}.
func (s *luckScan) endsHangOnly(deadline ast.Expr) bool {
	switch d := deadline.(type) {
	case *ast.CallExpr:
		pkg, name := s.selector(d.Fun)
		return pkg == patiencePath && name == "Deadline"
	case *ast.CompositeLit:
		pkg, name := s.selector(d.Type)
		return pkg == "time" && name == "Time" && len(d.Elts) == 0
	}
	return false
}
