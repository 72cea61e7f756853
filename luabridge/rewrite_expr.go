package luabridge

import (
	"slices"
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

func (r *rewriter) exprs(es []ast.Expr) {
	for i := range es {
		es[i] = r.expr(es[i])
	}
}

// expr rewrites an expression whose value is used.
func (r *rewriter) expr(e ast.Expr) ast.Expr { return r.settle(r.operand(e)) }

// operand rewrites an expression that may become a part of a constant.
func (r *rewriter) operand(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.IdentExpr:
		r.notice(e.Value)
		if table, key := r.spilled(e.Value); key != "" {
			return r.spilledField(e, table, key)
		}
		switch {
		case r.isOwnLocal(e.Value):
			r.idents[e] = "local '" + e.Value + "'"
		case r.isLocal(e.Value):
			r.idents[e] = "upvalue '" + e.Value + "'"
		default:
			r.idents[e] = "global '" + e.Value + "'"
		}
	case *ast.AttrGetExpr:
		return r.attr(e)
	case *ast.TableExpr:
		r.table(e)
	case *ast.FuncCallExpr:
		r.call(e)
	case *ast.LogicalOpExpr:
		return r.logical(e)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.StringConcatOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = r.term(e.Lhs), r.term(e.Rhs)
		if f := r.fold(e); f != ast.Expr(e) {
			return f
		}
		e.Rhs = r.settle(e.Rhs) // a numeral on the left is the later of the two
		e.Lhs = r.settle(e.Lhs)
	case *ast.UnaryMinusOpExpr:
		e.Expr = r.term(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = r.operand(e.Expr)
		if truth, constant := truthOf(e.Expr); constant {
			if truth {
				return at(&ast.FalseExpr{}, e)
			}
			return at(&ast.TrueExpr{}, e)
		}
	case *ast.UnaryLenOpExpr:
		if !r.reads(e.Expr) {
			e.Expr = r.expr(e.Expr)
		}
	case *ast.FunctionExpr:
		r.function(e)
	}
	return e
}

// notice learns from a name what the script may look at. Only these lead to the globals.
func (r *rewriter) notice(name string) {
	switch name {
	case "KEYS":
		r.keys, r.escapes = true, true
	case "ARGV":
		r.argv, r.escapes = true, true
	case "_G", "load", "loadstring":
		r.keys, r.argv, r.escapes = true, true, true
	}
}

// reads notices KEYS or ARGV where the script only reads or sets elements, or reads the length, and so cannot keep the table.
func (r *rewriter) reads(e ast.Expr) bool {
	id, ok := e.(*ast.IdentExpr)
	if !ok || id.Value != "KEYS" && id.Value != "ARGV" || r.isLocal(id.Value) {
		return false
	}
	if id.Value == "KEYS" {
		r.keys = true
	} else {
		r.argv = true
	}
	return true
}

func (r *rewriter) call(e *ast.FuncCallExpr) {
	if e.Func != nil {
		e.Func = r.expr(e.Func)
	} else {
		e.Receiver = r.expr(e.Receiver)
	}
	e.Args = r.narrow(e.Args, e)
	rest := e.Args
	if len(rest) > 0 && r.borrows(e) && r.reads(rest[0]) {
		rest = rest[1:]
	}
	r.exprs(rest)
}

// borrows reports whether a call gives the script nothing of its first argument but elements. Scripts cannot change what these globals are.
func (r *rewriter) borrows(e *ast.FuncCallExpr) bool {
	f, ok := e.Func.(*ast.IdentExpr)
	if !ok || r.isLocal(f.Value) {
		return false
	}
	return f.Value == "unpack" || e == r.iterator && (f.Value == "ipairs" || f.Value == "pairs")
}

// attr turns a field of a library into the global that holds the same value.
func (r *rewriter) attr(e *ast.AttrGetExpr) ast.Expr {
	if lib, ok := e.Object.(*ast.IdentExpr); ok && !r.isLocal(lib.Value) {
		if key, ok := e.Key.(*ast.StringExpr); ok && slices.Contains(libraryFields[lib.Value], key.Value) {
			id := ident(aliasPrefix+lib.Value+"."+key.Value, e)
			r.idents[id] = "field '" + key.Value + "'"
			return id
		}
	}
	if !r.reads(e.Object) {
		e.Object = r.expr(e.Object)
	}
	e.Key = r.expr(e.Key)
	return e
}

// Bounds of gopher-lua's constructors: how many fields without a key are stored at a time, and how many of these
// batches an instruction can count.
const (
	fieldsPerFlush = 50
	maxBatches     = 511
)

// table cuts calls down to one value where only one is stored: the compiler looks only whether the last field is a
// call, so that {1, 2, k = f()} stores all that is on the stack. After a full batch of fields without a key it
// stores the batch again at each keyed field, and stores a last call over it; then their positions are written out as keys.
func (r *rewriter) table(e *ast.TableExpr) {
	var c constructor
	last := len(e.Fields) - 1
	multi := false
	for i, f := range e.Fields {
		if f.Key != nil {
			f.Key = r.expr(f.Key)
		}
		f.Value = r.expr(f.Value)
		switch {
		case f.Key != nil:
			c.hash++
			adjust(f.Value)
		case i == last && isMulti(f.Value):
			multi = true
		default:
			c.array++
			adjust(f.Value)
		}
	}
	full := c.array / fieldsPerFlush
	if full > 0 && (c.hash > 0 || multi && c.array%fieldsPerFlush == 0) || full >= maxBatches {
		if c.batch = full + 1; !multi && full >= maxBatches {
			full, c.batch = full+1, 0 // all of them
		}
		n := 0
		for i, f := range e.Fields {
			if f.Key != nil || i == last && multi {
				continue
			}
			if n++; n <= full*fieldsPerFlush {
				f.Key = at(&ast.NumberExpr{Value: strconv.Itoa(n)}, f.Value)
			}
		}
	}
	r.constructors[e] = c
}

func isMulti(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		return !e.AdjustRet
	case *ast.Comma3Expr:
		return !e.AdjustRet
	}
	return false
}

// adjust makes a call or ... give one value, as parentheses do.
func adjust(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
	return e
}

// logical folds and/or with a constant on the left, which the compiler gets wrong.
func (r *rewriter) logical(e *ast.LogicalOpExpr) ast.Expr {
	e.Lhs, e.Rhs = r.operand(e.Lhs), r.operand(e.Rhs)
	truth, constant := truthOf(e.Lhs)
	if !constant {
		e.Rhs = r.settle(e.Rhs)
		return e
	}
	value := e.Lhs
	if truth == (e.Operator == "and") {
		value = adjust(e.Rhs)
	}
	j := r.join(e)
	if !j.ifTrue && !j.ifFalse {
		return value
	}
	value = r.settle(value)
	r.jumps[value] = j
	return value
}

// truthOf tells how a constant counts as a condition.
func truthOf(e ast.Expr) (truth, constant bool) {
	switch e.(type) {
	case *ast.FalseExpr, *ast.NilExpr:
		return false, true
	case *ast.TrueExpr, *ast.NumberExpr, *ast.StringExpr, *ast.TableExpr:
		_, table := e.(*ast.TableExpr)
		return true, !table
	}
	if _, ok := numeral(e); ok {
		return true, true
	}
	return false, false
}
