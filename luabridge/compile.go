package luabridge

import (
	"errors"
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// traits are what the runner wants to know of a chunk.
type traits struct {
	keys, argv bool // it may look at KEYS, at ARGV
	escapes    bool // it may do more with one of them than read and set its elements, and read its length
	debug      debugInfo
}

// treeText is the largest size in bytes of a text that becomes a tree. Package luac compiles longer
// ones in less time and memory, but its code lacks optimizations such as library functions in one
// lookup.
const treeText = 64 << 10

// compile turns source into a prototype, of a chunk, or of one that makes a function which stands in a scope. The error's text is what Lua's compiler says,
// position first.
//
// Short texts become a tree, which gopher-lua compiles. Package luac compiles whatever that way
// cannot compile or refuses. luac accepts what Lua accepts and has Lua's error messages.
func compile(source, name string, bound *boundScope, o luac.Options) (*lua.FunctionProto, traits, error) {
	var err error
	if len(source) <= treeText || bound != nil {
		proto, t, treeErr := compileTree(source, name, bound, o)
		if treeErr == nil || bound != nil {
			return proto, t, treeErr
		}
	}
	proto, err := luac.Compile(source, name, o)
	if err != nil {
		return nil, traits{}, err
	}
	t := traits{keys: true, argv: true, escapes: true, debug: debugInfo{}}
	adapt(proto, t.debug)
	return proto, t, nil
}

func compileTree(source, name string, bound *boundScope, o luac.Options) (proto *lua.FunctionProto, t traits, err error) {
	defer func() {
		if r := recover(); r != nil { // gopher-lua's compiler gives up on some chunks with a panic
			proto, err = nil, fmt.Errorf("%s: chunk cannot be compiled: %v", name, r)
		}
	}()
	chunk, functions, err := syntax.Parse(source, name, o.Depth)
	if err != nil {
		return nil, t, err
	}
	r := &rewriter{idents: idents{}, jumps: map[ast.Expr]jumps{}, constructors: map[*ast.TableExpr]constructor{}, hidden: hidden{}}
	r.open(false)
	if bound == nil {
		chunk = r.block(chunk)
	} else {
		chunk = r.enclose(bound, chunk)
	}
	a := &annotator{sites: make([]site, 1), idents: r.idents, constructors: r.constructors, hidden: r.hidden}
	a.numbers = make(map[*ast.FunctionExpr]int, len(functions))
	for i, f := range functions {
		a.numbers[f] = i + 1
	}
	a.stmts(chunk)
	proto, err = lua.Compile(chunk, name)
	if err != nil {
		return nil, t, a.compileError(err, name)
	}
	if tooLong(proto) {
		return nil, t, errTooLong
	}
	r.debug = debugInfo{}
	a.settle(proto, r.debug)
	proto.IsVarArg &^= lua.VarArgNeedsArg // a chunk has no arg table, yet gopher-lua makes one at each call
	return proto, r.traits, nil
}

// unplaced reports whether an error is raised like a run-time error, without a place in the text.
func unplaced(err error) bool { return err == luac.ErrConstants || err == luac.ErrVariables }

// errTooLong refuses functions in which gopher-lua may have compiled jumps wrongly.
var errTooLong = errors.New("function too long")

func tooLong(p *lua.FunctionProto) bool {
	return len(p.Code) >= 1<<17 || slices.ContainsFunc(p.FunctionPrototypes, tooLong)
}

func (a *annotator) compileError(err error, name string) error {
	var e *lua.CompileError
	if errors.As(err, &e) {
		return fmt.Errorf("%s:%d: %s", name, a.at(e.Line).line, e.Message)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// constructor is what Lua's compiler would know of a table constructor.
type constructor struct {
	array, hash int // fields without a key, but for a call or ... in the last place; fields with one
	batch       int // the batch that the last fields without a key are, when the rewriter has moved them; or 0
}

// fix puts into an instruction what Lua would have there: the sizes that a constructor makes room for, and the place of
// its last fields.
func (s *site) fix(inst uint32) uint32 {
	switch int(inst >> 26) {
	case lua.OP_NEWTABLE:
		if s.table {
			return inst&^0x3ffff | floatingByte(s.hash)<<9 | floatingByte(s.array)
		}
	case lua.OP_SETLIST:
		if s.batch > 0 {
			return inst&^(0x1ff<<9) | uint32(s.batch)<<9
		}
	}
	return inst
}

// floatingByte writes a size in nine bits, rounded up: mantissa and exponent in one number.
func floatingByte(n int) uint32 {
	e := uint32(0)
	for n >= 16 {
		n = (n + 1) >> 1
		e++
	}
	if n < 8 {
		return uint32(n)
	}
	return (e+1)<<3 | uint32(n-8)
}
