package luabridge

import (
	"strconv"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// A list of values goes through a table when it is this long, or when this many registers are in use with it. gopher-lua
// gives a function 200 registers, Lua 250: redis.call('HMSET', ...) with a hundred literal fields is a call that fits only
// Lua's.
const (
	wideList  = 100
	wideFrame = 180
)

// narrow puts a long list, of arguments or results, through a table: a, b, ... becomes spread({a, b, ...}, n).
func (r *rewriter) narrow(es []ast.Expr, like ast.PositionHolder) []ast.Expr {
	if len(es) < wideList && (len(es) <= 2 || len(es)+r.locals() < wideFrame) {
		return es
	}
	var rest []ast.Expr
	if last := len(es) - 1; isMulti(es[last]) {
		es, rest = es[:last], es[last:]
	}
	tb := at(&ast.TableExpr{}, like)
	for i, e := range es {
		f := &ast.Field{Value: adjust(e)}
		if fieldsPerFlush+r.locals() >= wideFrame { // with a key each is stored at once
			f.Key = at(&ast.NumberExpr{Value: strconv.Itoa(i + 1)}, like)
		}
		tb.Fields = append(tb.Fields, f)
	}
	n := at(&ast.NumberExpr{Value: strconv.Itoa(len(es))}, like)
	args := append([]ast.Expr{tb, n}, rest...)
	return []ast.Expr{at(&ast.FuncCallExpr{Func: ident(spreadGlobal, like), Args: args}, like)}
}

// locals is how many locals of the function being compiled are in scope.
func (r *rewriter) locals() int {
	n := 0
	for s := r.scope; s != nil; s = s.outer {
		if n += len(s.names); s.function {
			break
		}
	}
	return n
}

// spread(t, n, ...) returns the elements 1 to n of a table, then its other arguments.
func spread(L *lua.LState) int {
	tb, n, top := L.Get(1).(*lua.LTable), int(L.Get(2).(lua.LNumber)), L.GetTop()
	for i := 1; i <= n; i++ {
		L.Push(tables.GetInt(tb, i))
	}
	for i := 3; i <= top; i++ {
		L.Push(L.Get(i))
	}
	return n + top - 2
}
