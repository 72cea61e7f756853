package machine

import (
	"reflect"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// opField replaces a GETGLOBAL that is followed by a GETTABLE of the same register, where the two
// read a field of a library. It has the operands of the GETGLOBAL, but the constant is the name
// of a global with the value of the field; the next constant is the original one. Both instructions
// stay where they are, so jumps, lines and names stay right. The loop skips the second one. The
// debug loop runs the original two.
const opField = lua.OP_NOP + 1

// original returns the instruction that inst replaced.
func original(inst uint32) uint32 {
	if int(inst>>26) == opField {
		return uint32(lua.OP_GETGLOBAL)<<26 | inst&^(63<<26) + 1
	}
	return inst
}

// Environment describes the globals to [Adapt].
type Environment struct {
	// Fields maps fields of libraries to the names of globals with the same values: by the name of
	// the library, then by that of the field.
	Fields map[string]map[string]string
	// NewGlobal is the name of a global that does not exist, so that assigning to it is an error.
	// All assignments to globals assign to it.
	NewGlobal string
}

// Adapt makes code of package luac ready to be run by a [Machine]. Without an environment, globals
// can be written, and nothing is assumed about libraries.
func Adapt(p *lua.FunctionProto, e *Environment) {
	if e != nil {
		a := adapter{p: p, env: e}
		a.code()
	}
	texts := make([]string, len(p.Constants))
	for i, v := range p.Constants {
		if s, ok := v.(lua.LString); ok {
			texts[i] = string(s)
		}
	}
	setConstantTexts(p, texts)
	p.NumUsedRegisters += 2 // a tail call leaves the last register behind, which may be that of arg
	for _, f := range p.FunctionPrototypes {
		Adapt(f, e)
	}
}

// adapter adapts the code of one function.
type adapter struct {
	p    *lua.FunctionProto
	env  *Environment
	have int // number of the function's own constants; those that the adapter has added follow
}

const maxConstants = 1 << 18

func (a *adapter) code() {
	p := a.p
	a.have = len(p.Constants)
	for pc := 0; pc < len(p.Code); pc++ {
		inst := p.Code[pc]
		switch int(inst >> 26) {
		case lua.OP_SETLIST:
			if inst>>9&0x1ff == 0 {
				pc++ // a number follows
			}
		case lua.OP_CLOSURE:
			pc += int(p.FunctionPrototypes[inst&0x3ffff].NumUpvalues)
		case lua.OP_SETGLOBAL:
			p.Code[pc] = inst&^0x3ffff | uint32(a.constant(a.env.NewGlobal, 1))
		case lua.OP_GETGLOBAL:
			if pc+1 < len(p.Code) {
				p.Code[pc] = a.field(inst, p.Code[pc+1])
			}
		}
	}
}

// field returns what a GETGLOBAL becomes.
func (a *adapter) field(inst, next uint32) uint32 {
	register, key := inst>>18&0xff, next>>9&0x1ff
	if int(next>>26) != lua.OP_GETTABLE || next>>18&0xff != register || next&0x1ff != register || key&constant == 0 {
		return inst
	}
	library := a.p.Constants[inst&0x3ffff]
	name, ok := library.(lua.LString)
	if !ok {
		return inst
	}
	field, ok := a.p.Constants[key&^constant].(lua.LString)
	if !ok {
		return inst
	}
	global, ok := a.env.Fields[string(name)][string(field)]
	if !ok {
		return inst
	}
	at := a.constant(global, 2)
	if at+1 >= maxConstants {
		return inst
	}
	if at+1 == len(a.p.Constants) {
		a.p.Constants = append(a.p.Constants, library)
	}
	return uint32(opField)<<26 | inst&(0xff<<18) | uint32(at)
}

// constant returns the index of a constant among the added ones, where n are added at a time.
func (a *adapter) constant(name string, n int) int {
	for i := a.have; i < len(a.p.Constants); i++ {
		if a.p.Constants[i] == lua.LString(name) {
			return i
		}
	}
	a.p.Constants = append(a.p.Constants, lua.LString(name))
	return len(a.p.Constants) - 1
}

// setConstantTexts gives a function the constants that are strings, which gopher-lua keeps a second
// time.
func setConstantTexts(p *lua.FunctionProto, texts []string) {
	field := reflect.ValueOf(p).Elem().FieldByName("stringConstants")
	*(*[]string)(unsafe.Pointer(field.UnsafeAddr())) = texts
}
