package luac

import (
	"encoding/binary"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// theirs maps gopher-lua's opcodes to Lua's.
var theirs = func() map[int]uint32 {
	m := map[int]uint32{}
	for i, op := range [...]int{lua.OP_MOVE, lua.OP_LOADK, lua.OP_LOADBOOL, lua.OP_LOADNIL, lua.OP_GETUPVAL, lua.OP_GETGLOBAL, lua.OP_GETTABLE,
		lua.OP_SETGLOBAL, lua.OP_SETUPVAL, lua.OP_SETTABLE, lua.OP_NEWTABLE, lua.OP_SELF, lua.OP_ADD, lua.OP_SUB, lua.OP_MUL, lua.OP_DIV,
		lua.OP_MOD, lua.OP_POW, lua.OP_UNM, lua.OP_NOT, lua.OP_LEN, lua.OP_CONCAT, lua.OP_JMP, lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST,
		lua.OP_TESTSET, lua.OP_CALL, lua.OP_TAILCALL, lua.OP_RETURN, lua.OP_FORLOOP, lua.OP_FORPREP, lua.OP_TFORLOOP, lua.OP_SETLIST,
		lua.OP_CLOSE, lua.OP_CLOSURE, lua.OP_VARARG} {
		m[op] = uint32(i)
	}
	return m
}()

// Dump returns a function in the format of string.dump on a 64-bit machine. p must come from
// Compile unchanged. chunk is the chunk name as it was given to Lua.
func Dump(p *lua.FunctionProto, chunk string) []byte {
	d := dumper("\x1bLua\x51\x00\x01\x04\x08\x04\x08\x00")
	d.function(p, chunk)
	return d
}

type dumper []byte

func (d *dumper) int(n int) { *d = binary.LittleEndian.AppendUint32(*d, uint32(n)) }

// text writes a string and a NUL after it.
func (d *dumper) text(s string) {
	*d = binary.LittleEndian.AppendUint64(*d, uint64(len(s)+1))
	*d = append(append(*d, s...), 0)
}

// function writes a function and those nested in it. Nested functions have the same source, which
// is written once.
func (d *dumper) function(p *lua.FunctionProto, source string) {
	if source == "" {
		*d = binary.LittleEndian.AppendUint64(*d, 0)
	} else {
		d.text(source)
	}
	d.int(p.LineDefined)
	d.int(p.LastLineDefined)
	*d = append(*d, p.NumUpvalues, p.NumParameters, p.IsVarArg, p.NumUsedRegisters)
	d.code(p.Code)
	d.int(len(p.Constants))
	for _, v := range p.Constants {
		switch v := v.(type) {
		case lua.LBool:
			*d = append(*d, 1, 0)
			if v {
				(*d)[len(*d)-1] = 1
			}
		case lua.LNumber:
			*d = binary.LittleEndian.AppendUint64(append(*d, 3), math.Float64bits(float64(v)))
		case lua.LString:
			*d = append(*d, 4)
			d.text(string(v))
		default:
			*d = append(*d, 0)
		}
	}
	d.int(len(p.FunctionPrototypes))
	for _, f := range p.FunctionPrototypes {
		d.function(f, "")
	}
	d.int(len(p.DbgSourcePositions))
	for _, line := range p.DbgSourcePositions {
		d.int(line)
	}
	d.int(len(p.DbgLocals))
	for _, l := range p.DbgLocals {
		d.text(l.Name)
		d.int(l.StartPc)
		d.int(l.EndPc)
	}
	d.int(len(p.DbgUpvalues))
	for _, name := range p.DbgUpvalues {
		d.text(name)
	}
}

// code writes instructions in Lua's encoding.
func (d *dumper) code(code []uint32) {
	d.int(len(code))
	raw := false
	for _, inst := range code {
		if raw {
			d.int(int(inst))
			raw = false
			continue
		}
		op := opcode(inst)
		theirs := theirs[op] | uint32(argA(inst))<<6
		switch op {
		case lua.OP_LOADK, lua.OP_GETGLOBAL, lua.OP_SETGLOBAL, lua.OP_JMP, lua.OP_FORLOOP, lua.OP_FORPREP, lua.OP_CLOSURE:
			theirs |= inst & 0x3ffff << 14
		default:
			theirs |= uint32(argC(inst))<<14 | uint32(argB(inst))<<23
		}
		d.int(int(theirs))
		raw = op == lua.OP_SETLIST && argC(inst) == 0
	}
}

// Function returns function number n of a chunk. 0 is the chunk itself; the others are numbered in
// the order in which they begin in the text.
func Function(chunk *lua.FunctionProto, n int) *lua.FunctionProto {
	var found *lua.FunctionProto
	var walk func(p *lua.FunctionProto)
	walk = func(p *lua.FunctionProto) {
		if n == 0 {
			found = p
		}
		n--
		for i := 0; found == nil && i < len(p.FunctionPrototypes); i++ {
			walk(p.FunctionPrototypes[i])
		}
	}
	walk(chunk)
	return found
}
