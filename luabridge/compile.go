package luabridge

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// traits are what the runner wants to know of a chunk.
type traits struct {
	keys, argv bool // it may look at KEYS, at ARGV
	escapes    bool // it may do more with one of them than read and set its elements, and read its length
	debug      debugInfo
}

// compile turns source into a prototype, of a chunk, or of one that makes a function which stands in a scope. The error's text is what Lua's compiler says,
// position first.
func compile(source, name string, depth int, bound *boundScope) (proto *lua.FunctionProto, t traits, err error) {
	defer func() {
		if r := recover(); r != nil { // gopher-lua's compiler gives up on some chunks with a panic
			proto, err = nil, fmt.Errorf("%s: chunk cannot be compiled: %v", name, r)
		}
	}()
	chunk, err := syntax.Parse(source, name, depth)
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
	constants := &pool{hidden: r.hidden}
	constants.function(chunk)
	a := &annotator{sites: make([]site, 1), idents: r.idents, constructors: r.constructors, hidden: r.hidden}
	a.stmts(chunk)
	proto, err = lua.Compile(chunk, name)
	if err != nil {
		return nil, t, a.compileError(err, name)
	}
	r.debug = debugInfo{}
	a.settle(proto, r.debug)
	if tooMany(proto) {
		return nil, t, errTooMany
	}
	if line := overlong(proto); line > 0 {
		return nil, t, fmt.Errorf("%s:%d: %s", name, line, tooLong)
	}
	proto.IsVarArg &^= lua.VarArgNeedsArg // a chunk has no arg table, yet gopher-lua makes one at each call
	return proto, r.traits, nil
}

// errTooMany is raised as run-time errors are, unlike other complaints about a text.
var errTooMany = errors.New("constant table overflow")

// tooMany looks for more constants than an instruction can tell apart.
func tooMany(p *lua.FunctionProto) bool {
	return len(p.Constants) > 1<<18-1 || slices.ContainsFunc(p.FunctionPrototypes, tooMany)
}

// tooLong is Lua's complaint about a loop or branch of more than 131071 instructions.
const (
	tooLong = "control structure too long near 'end'"
	maxJump = 1<<17 - 1
)

// overlong looks for numeric loops that are too long, which gopher-lua compiles into a wrong jump. It returns the last line of
// the function, 0 when there are none.
func overlong(p *lua.FunctionProto) int {
	if len(p.Code) > maxJump {
		for pc, inst := range p.Code {
			if int(inst>>26) != lua.OP_FORPREP {
				continue
			}
			if to := pc + 1 + int(inst&0x3ffff) - maxJump; to <= pc || to >= len(p.Code) || int(p.Code[to]>>26) != lua.OP_FORLOOP {
				return slices.Max(p.DbgSourcePositions)
			}
		}
	}
	for _, f := range p.FunctionPrototypes {
		if line := overlong(f); line > 0 {
			return line
		}
	}
	return 0
}

func (a *annotator) compileError(err error, name string) error {
	var e *lua.CompileError
	if errors.As(err, &e) {
		if strings.HasPrefix(e.Message, "too long to jump") {
			return fmt.Errorf("%s:%d: %s", name, a.at(len(a.sites)-1).line, tooLong)
		}
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
