package luac

import (
	"errors"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// compiler reads the tokens of a text, and emits as it goes.
type compiler struct {
	tokens []syntax.Token
	at     int  // the token at hand
	ahead  bool // the one behind it has been looked at
	line   int  // of the token read last
	last   int  // what line was when the token at hand was taken
	name   string
	fn     *function
}

// errTooLarge is of a function that does not fit into instructions; Lua's own complaint about it is package syntax's to make.
var errTooLarge = errors.New("luac: function too large")

// Compile compiles a chunk. name is how error positions call it. The error is one of package syntax, or that a function exceeds what instructions can hold.
func Compile(source, name string) (proto *lua.FunctionProto, err error) {
	defer func() {
		switch r := recover(); r {
		case nil:
		case errTooLarge:
			proto, err = nil, errTooLarge
		default:
			panic(r)
		}
	}()
	tokens, err := syntax.Tokens(source, name)
	if err != nil {
		return nil, err
	}
	c := &compiler{tokens: tokens, at: -1, line: 1, last: 1, name: name}
	c.fn = newFunction(nil, name, 0, &c.last)
	c.fn.proto.IsVarArg = lua.VarArgIsVarArg
	c.next()
	c.chunk()
	return c.finish(), nil
}

// finish ends the function at hand.
func (c *compiler) finish() *lua.FunctionProto {
	f := c.fn
	f.leave(0)
	f.abc(lua.OP_RETURN, 0, 1, 0)
	f.proto.NumUpvalues = uint8(len(f.upvalues))
	f.proto.NumUsedRegisters = uint8(f.most)
	c.fn = f.outer
	return f.proto
}

func (c *compiler) kind() string { return c.tokens[c.at].Kind }

func (c *compiler) next() {
	c.last = c.line
	c.at++
	if !c.ahead {
		c.line = c.tokens[c.at].Line
	}
	c.ahead = false
}

// following is the kind of the token behind the one at hand.
func (c *compiler) following() string {
	c.ahead = true
	c.line = c.tokens[c.at+1].Line
	return c.tokens[c.at+1].Kind
}

func (c *compiler) accept(kind string) bool {
	if c.kind() != kind {
		return false
	}
	c.next()
	return true
}

func (c *compiler) identifier() string {
	name := c.tokens[c.at].Text
	c.next()
	return name
}

func (c *compiler) blockEnds() bool {
	return slices.Contains([]string{"else", "elseif", "end", "until", syntax.EOS}, c.kind())
}

// declare makes a local that comes into scope with the next call of enter.
func (c *compiler) declare(names ...string) {
	for _, name := range names {
		c.fn.declared = append(c.fn.declared, len(c.fn.proto.DbgLocals))
		c.fn.proto.DbgLocals = append(c.fn.proto.DbgLocals, &lua.DbgLocalInfo{Name: name})
	}
}

// enter brings the next n locals that were declared into scope.
func (f *function) enter(n int) {
	for range n {
		f.proto.DbgLocals[f.declared[f.active]].StartPc = f.pc()
		f.active++
	}
}

// leave takes the locals but the first n out of scope.
func (f *function) leave(n int) {
	for f.active > n {
		f.active--
		f.proto.DbgLocals[f.declared[f.active]].EndPc = f.pc()
	}
	f.declared = f.declared[:n]
}

func (f *function) open(loop bool) *block {
	f.block = &block{outer: f.block, loop: loop, active: f.active, breaks: noJump}
	return f.block
}

func (f *function) close() {
	b := f.block
	f.block = b.outer
	f.leave(b.active)
	if b.upval {
		f.abc(lua.OP_CLOSE, b.active, 0, 0)
	}
	f.free = f.active
	f.leadHere(b.breaks)
}

// variable is what a name stands for.
func (f *function) variable(name string) operand {
	v := f.find(name, true)
	if v.kind == global {
		v.info = f.text(name)
	}
	return v
}

// find looks for a variable; own: in the function that uses it, not in one around it.
func (f *function) find(name string, own bool) operand {
	if f == nil {
		return made(global, 0)
	}
	for i := f.active - 1; i >= 0; i-- {
		if f.proto.DbgLocals[f.declared[i]].Name == name {
			if !own {
				b := f.block
				for b != nil && b.active > i {
					b = b.outer
				}
				if b != nil {
					b.upval = true
				}
			}
			return made(local, i)
		}
	}
	v := f.outer.find(name, false)
	if v.kind == global {
		return v
	}
	u := upvalue{v.kind == local, v.info}
	at := slices.Index(f.upvalues, u)
	if at < 0 {
		at = len(f.upvalues)
		f.upvalues = append(f.upvalues, u)
		f.proto.DbgUpvalues = append(f.proto.DbgUpvalues, name)
	}
	return made(upval, at)
}
