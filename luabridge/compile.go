package luabridge

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// traits are what the runner wants to know of a chunk.
type traits struct {
	loops      bool // it has loops or functions, so that it may run for long
	keys, argv bool // it may look at KEYS, at ARGV
	escapes    bool // it may do more with one of them than read its elements and length
	debug      debugInfo
}

// compile turns source into a prototype. The error's text is what Lua's compiler says, position first.
func compile(source, name string) (proto *lua.FunctionProto, t traits, err error) {
	defer func() {
		if r := recover(); r != nil { // gopher-lua's compiler gives up on some chunks with a panic
			proto, err = nil, fmt.Errorf("%s: chunk cannot be compiled: %v", name, r)
		}
	}()
	chunk, err := syntax.Parse(source, name)
	if err != nil {
		return nil, t, err
	}
	r := &rewriter{idents: idents{}}
	r.open(false)
	chunk = r.block(chunk)
	a := &annotator{sites: make([]site, 1), idents: r.idents}
	a.stmts(chunk)
	proto, err = lua.Compile(chunk, name)
	if err != nil {
		return nil, t, a.compileError(err, name)
	}
	r.debug = debugInfo{}
	a.settle(proto, r.debug)
	proto.IsVarArg &^= lua.VarArgNeedsArg // a chunk has no arg table, yet gopher-lua makes one at each call
	sizeConstructors(proto)
	return proto, r.traits, nil
}

func (a *annotator) compileError(err error, name string) error {
	var e *lua.CompileError
	if errors.As(err, &e) {
		return fmt.Errorf("%s:%d: %s", name, a.at(e.Line).line, e.Message)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// sizeConstructors changes the hints of the table constructors: an empty one gets a small map at its
// first key instead of one for 32, and one with keyed fields remembers how many it had (see
// [tables.Presize]).
func sizeConstructors(p *lua.FunctionProto) {
	for i, inst := range p.Code {
		if int(inst>>26) != lua.OP_NEWTABLE {
			continue
		}
		array, hash := inst&0x1ff, inst>>9&0x1ff
		if array == 0 {
			array = uint32(tables.Presize(floatingByte(int(hash))))
		}
		hash = max(hash, 1)
		p.Code[i] = inst&^0x3ffff | hash<<9 | array
	}
	for _, f := range p.FunctionPrototypes {
		sizeConstructors(f)
	}
}

// floatingByte reads a size as the compiler wrote it: mantissa and exponent in one number.
func floatingByte(x int) int {
	e := x >> 3 & 31
	if e == 0 {
		return x
	}
	return (x&7 + 8) << (e - 1)
}
