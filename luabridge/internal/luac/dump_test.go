package luac_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// ours is gopher-lua's number of each of Lua's instructions, by Lua's number.
var ours = [...]int{lua.OP_MOVE, lua.OP_LOADK, lua.OP_LOADBOOL, lua.OP_LOADNIL, lua.OP_GETUPVAL, lua.OP_GETGLOBAL, lua.OP_GETTABLE,
	lua.OP_SETGLOBAL, lua.OP_SETUPVAL, lua.OP_SETTABLE, lua.OP_NEWTABLE, lua.OP_SELF, lua.OP_ADD, lua.OP_SUB, lua.OP_MUL, lua.OP_DIV,
	lua.OP_MOD, lua.OP_POW, lua.OP_UNM, lua.OP_NOT, lua.OP_LEN, lua.OP_CONCAT, lua.OP_JMP, lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST,
	lua.OP_TESTSET, lua.OP_CALL, lua.OP_TAILCALL, lua.OP_RETURN, lua.OP_FORLOOP, lua.OP_FORPREP, lua.OP_TFORLOOP, lua.OP_SETLIST,
	lua.OP_CLOSE, lua.OP_CLOSURE, lua.OP_VARARG}

// dump reads what string.dump gives.
type dump struct {
	rest []byte
}

func (d *dump) byte() int {
	b := d.rest[0]
	d.rest = d.rest[1:]
	return int(b)
}

func (d *dump) int() int {
	v := int32(binary.LittleEndian.Uint32(d.rest))
	d.rest = d.rest[4:]
	return int(v)
}

func (d *dump) text() string {
	n := binary.LittleEndian.Uint64(d.rest)
	s := d.rest[8 : 8+n]
	d.rest = d.rest[8+n:]
	return strings.TrimSuffix(string(s), "\x00")
}

// listing is a dumped function as [listing] writes one.
func (d *dump) listing(w *strings.Builder) {
	d.text()
	first, last := d.int(), d.int()
	upvalues, params, vararg, registers := d.byte(), d.byte(), d.byte(), d.byte()
	fmt.Fprintf(w, "function %d-%d upvalues %d params %d vararg %d registers %d\n", first, last, upvalues, params, vararg, registers)
	code := make([]uint32, d.int())
	for i := range code {
		code[i] = uint32(d.int())
	}
	constants := make([]string, d.int())
	for i := range constants {
		switch d.byte() {
		case 0:
			constants[i] = "nil"
		case 1:
			constants[i] = fmt.Sprint(d.byte() != 0)
		case 3:
			constants[i] = number(math.Float64frombits(binary.LittleEndian.Uint64(d.rest)))
			d.rest = d.rest[8:]
		case 4:
			constants[i] = fmt.Sprintf("%q", d.text())
		}
	}
	var inner strings.Builder
	for range d.int() {
		d.listing(&inner)
	}
	lines := make([]int, d.int())
	for i := range lines {
		lines[i] = d.int()
	}
	raw := false
	for i, inst := range code {
		if raw {
			fmt.Fprintf(w, "%d %d raw %d\n", i, lines[i], inst)
			raw = false
			continue
		}
		op, a, c, b := int(inst&0x3f), inst>>6&0xff, inst>>14&0x1ff, inst>>23&0x1ff
		fmt.Fprintf(w, "%d %d op %d %d %d %d\n", i, lines[i], ours[op], a, b<<9|c, 0)
		raw = ours[op] == lua.OP_SETLIST && c == 0
	}
	fmt.Fprintln(w, constants)
	for range d.int() {
		fmt.Fprintln(w, "local", d.text(), d.int(), d.int())
	}
	for range d.int() {
		fmt.Fprintln(w, "upvalue", d.text())
	}
	w.WriteString(inner.String())
}

func number(f float64) string { return fmt.Sprintf("%v %x", f, math.Float64bits(f)) }

// listing writes a function that was compiled here.
func listing(p *lua.FunctionProto, w *strings.Builder) {
	fmt.Fprintf(w, "function %d-%d upvalues %d params %d vararg %d registers %d\n",
		p.LineDefined, p.LastLineDefined, p.NumUpvalues, p.NumParameters, p.IsVarArg, p.NumUsedRegisters)
	raw := false
	for i, inst := range p.Code {
		if raw {
			fmt.Fprintf(w, "%d %d raw %d\n", i, p.DbgSourcePositions[i], inst)
			raw = false
			continue
		}
		op, a, c, b := int(inst>>26), inst>>18&0xff, inst>>9&0x1ff, inst&0x1ff
		bc := b<<9 | c
		switch op {
		case lua.OP_LOADK, lua.OP_GETGLOBAL, lua.OP_SETGLOBAL, lua.OP_JMP, lua.OP_FORLOOP, lua.OP_FORPREP, lua.OP_CLOSURE:
			bc = inst & 0x3ffff
		}
		fmt.Fprintf(w, "%d %d op %d %d %d %d\n", i, p.DbgSourcePositions[i], op, a, bc, 0)
		raw = op == lua.OP_SETLIST && c == 0
	}
	constants := make([]string, len(p.Constants))
	for i, v := range p.Constants {
		switch v := v.(type) {
		case lua.LNumber:
			constants[i] = number(float64(v))
		case lua.LString:
			constants[i] = fmt.Sprintf("%q", string(v))
		default:
			constants[i] = v.String()
		}
	}
	fmt.Fprintln(w, constants)
	for _, l := range p.DbgLocals {
		fmt.Fprintln(w, "local", l.Name, l.StartPc, l.EndPc)
	}
	for _, u := range p.DbgUpvalues {
		fmt.Fprintln(w, "upvalue", u)
	}
	for _, f := range p.FunctionPrototypes {
		listing(f, w)
	}
}
