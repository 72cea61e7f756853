package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math/big"
	"slices"
	"strings"
)

// finder finds the places of a file.
type finder struct {
	*source
	lines    *lines
	stack    []ast.Node        // the nodes around the one that is visited
	reserves map[ast.Node]bool // arguments that only reserve memory
	seen     map[identity]int
	places   []*place
}

// findPlaces returns the places of a file in their order.
func findPlaces(s *source) []*place {
	f := &finder{source: s, lines: newLines(s), reserves: map[ast.Node]bool{}, seen: map[identity]int{}}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if n == nil {
			f.stack = f.stack[:len(f.stack)-1]
			return false
		}
		if !f.visit(n) {
			return false
		}
		f.stack = append(f.stack, n)
		return true
	})
	return f.places
}

// visit adds the place that a node is, and reports whether to look into the node.
func (f *finder) visit(n ast.Node) bool {
	if f.reserves[n] {
		return false
	}
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.FuncDecl:
		return n.Body != nil && !directed(n)
	case *ast.ArrayType, *ast.StructType, *ast.FuncType, *ast.InterfaceType, *ast.MapType, *ast.ChanType:
		return false
	case *ast.IncDecStmt:
		if n.Tok == token.INC {
			f.change(n, n.TokPos, "++", "--", f.simpleForm(), "")
		}
	case *ast.AssignStmt:
		if n.Tok == token.ADD_ASSIGN && is(f.info.TypeOf(n.Lhs[0]), types.IsNumeric) {
			f.change(n, n.TokPos, "+=", "-=", f.simpleForm(), "")
		}
	case *ast.BranchStmt:
		if n.Tok == token.BREAK && n.Label == nil && f.inLoop() && f.simpleForm() == statement {
			f.change(n, n.TokPos, "break", "continue", statement, "")
		}
	case ast.Expr:
		return f.visitExpr(n)
	}
	return true
}

func (f *finder) visitExpr(e ast.Expr) bool {
	tv := f.info.Types[e]
	if tv.IsType() {
		return false
	}
	if tv.Value != nil { // only a literal by itself changes, not an expression of constants
		f.literal(e, tv)
		return false
	}
	switch e := e.(type) {
	case *ast.CallExpr:
		f.skipReserves(e)
	case *ast.UnaryExpr:
		if e.Op == token.NOT && plainBool(tv.Type) {
			f.change(e, e.OpPos, "!", "", condition, "")
		}
	case *ast.BinaryExpr:
		f.binary(e, tv.Type)
	}
	return true
}

// literal adds a number or a truth value.
func (f *finder) literal(e ast.Expr, tv types.TypeAndValue) {
	if !f.mayVary(e) {
		return
	}
	switch e := e.(type) {
	case *ast.Ident:
		if obj := f.info.Uses[e]; obj == nil || obj.Parent() != types.Universe || !plainBool(tv.Type) {
			return
		}
		other := "true"
		if e.Name == "true" {
			other = "false"
		}
		f.change(e, e.Pos(), e.Name, other, condition, "")
	case *ast.BasicLit:
		typ, ok := f.typeName(tv.Type)
		if e.Kind != token.INT || !ok {
			return
		}
		n, ok := new(big.Int).SetString(constant.ToInt(tv.Value).ExactString(), 10)
		if !ok {
			return
		}
		f.changeAs("n to n+1", e, e.Pos(), e.Value, n.Add(n, big.NewInt(1)).String(), value, typ)
	}
}

// mayVary reports whether an expression that is not constant may stand for a literal.
func (f *finder) mayVary(e ast.Expr) bool {
	switch parent := f.stack[len(f.stack)-1].(type) {
	case *ast.CaseClause:
		return false
	case *ast.KeyValueExpr:
		if parent.Key != e {
			return true
		}
		_, isMap := under(f.info.TypeOf(f.stack[len(f.stack)-2].(*ast.CompositeLit))).(*types.Map)
		return isMap
	}
	return true
}

// binary adds an operation.
func (f *finder) binary(e *ast.BinaryExpr, typ types.Type) {
	to, ok := swapped[e.Op]
	if !ok {
		return
	}
	form, name := condition, ""
	switch e.Op {
	case token.ADD, token.SUB, token.MUL, token.SHL, token.AND:
		if !is(typ, types.IsNumeric) {
			return
		}
		if name, ok = f.typeName(typ); !ok {
			return
		}
		if form = value; e.Op == token.MUL && !f.mayDivideBy(e.Y, typ) {
			to = token.ADD
		}
	default:
		if !plainBool(typ) {
			return
		}
	}
	if p := f.change(e, e.OpPos, e.Op.String(), to.String(), form, name); p != nil {
		for _, x := range []ast.Expr{e.X, e.Y} { // the new operator may bind more closely
			if _, ok := x.(*ast.BinaryExpr); ok {
				p.group = append(p.group, edit{f.offset(x.Pos()), f.offset(x.Pos()), "("}, edit{f.offset(x.End()), f.offset(x.End()), ")"})
			}
		}
	}
}

// mayDivideBy reports whether a division by y cannot panic.
func (f *finder) mayDivideBy(y ast.Expr, typ types.Type) bool {
	if !is(typ, types.IsInteger) {
		return true
	}
	v := f.info.Types[y].Value
	return v != nil && constant.Sign(v) != 0
}

func (f *finder) change(n ast.Node, at token.Pos, old, text string, form form, typ string) *place {
	kind := old + " to " + text
	if text == "" {
		kind = "remove " + old
	}
	return f.changeAs(kind, n, at, old, text, form, typ)
}

// changeAs adds a place.
func (f *finder) changeAs(kind string, n ast.Node, at token.Pos, old, text string, form form, typ string) *place {
	start := f.offset(at)
	p := &place{form: form, typ: typ, start: f.offset(n.Pos()), end: f.offset(n.End()), token: edit{start, start + len(old), text}}
	p.line, p.text, p.mutated = f.lines.around(p.token)
	p.identity.path, p.function, p.kind = f.path, f.function(), kind
	f.seen[p.identity]++
	p.ordinal = f.seen[p.identity]
	f.places = append(f.places, p)
	return p
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

// function names the declaration around the visited node.
func (f *finder) function() string {
	for _, n := range f.stack {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil {
				return n.Name.Name
			}
			return "(" + types.ExprString(n.Recv.List[0].Type) + ")." + n.Name.Name
		case *ast.ValueSpec:
			return "var " + n.Names[0].Name
		}
	}
	return ""
}

// simpleForm says how a statement without a block can vary.
func (f *finder) simpleForm() form {
	switch f.stack[len(f.stack)-1].(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return statement
	}
	return simple
}

// inLoop reports whether a break ends a loop.
func (f *finder) inLoop() bool {
	for _, n := range slices.Backward(f.stack) {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.FuncLit:
			return false
		}
	}
	return false
}

// skipReserves leaves out arguments that only reserve memory: no test sees their value.
func (f *finder) skipReserves(call *ast.CallExpr) {
	name := ""
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr:
		name = fun.Sel.Name
	}
	first := len(call.Args)
	switch name {
	case "Grow":
		first = 0
	case "make":
		if first = 2; len(call.Args) > 0 {
			if _, ok := under(f.info.TypeOf(call.Args[0])).(*types.Map); ok {
				first = 1
			}
		}
	}
	for i := first; i < len(call.Args); i++ {
		f.reserves[call.Args[i]] = true
	}
}

// typeName writes a type as the file can write it. It knows basic types and types that have a name
// in this package or in an imported one.
func (f *finder) typeName(t types.Type) (string, bool) {
	switch t := t.(type) {
	case *types.Basic:
		return t.Name(), t.Info()&types.IsUntyped == 0 && t.Info()&types.IsNumeric != 0
	case *types.Named:
		obj := t.Obj()
		if t.TypeArgs().Len() > 0 || !is(t, types.IsNumeric) || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
			return "", false
		}
		if obj.Pkg() == f.pkg {
			return obj.Name(), true
		}
		for _, spec := range f.file.Imports {
			if strings.Trim(spec.Path.Value, `"`) == obj.Pkg().Path() && spec.Name == nil {
				return obj.Pkg().Name() + "." + obj.Name(), true
			}
		}
	}
	return "", false
}

// directed reports whether a function has a directive that a rewritten body may not fit.
func directed(n *ast.FuncDecl) bool {
	if n.Doc == nil {
		return false
	}
	return slices.ContainsFunc(n.Doc.List, func(c *ast.Comment) bool {
		directive, _, _ := strings.Cut(c.Text, " ")
		return slices.Contains([]string{"//go:nosplit", "//go:linkname", "//go:noescape", "//go:norace", "//go:systemstack"}, directive)
	})
}

func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// is reports whether a type is basic and has a property. A type parameter is not basic.
func is(t types.Type, property types.BasicInfo) bool {
	b, ok := under(t).(*types.Basic)
	return ok && b.Info()&property != 0
}

func plainBool(t types.Type) bool {
	return t == types.Typ[types.Bool] || t == types.Typ[types.UntypedBool]
}
