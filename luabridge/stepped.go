package luabridge

import (
	"maps"
	"reflect"
	"strings"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
)

// stepped compiles a chunk for a debugger: to the instructions that Lua itself would run. The chunk must be one that compile takes.
func stepped(source, name string) (*lua.FunctionProto, debugInfo, error) {
	proto, err := luac.Compile(source, name, luac.Options{})
	if err != nil {
		return nil, nil, err
	}
	info := debugInfo{}
	adapt(proto, info)
	return proto, info, nil
}

// adapt makes Lua's code run here.
func adapt(p *lua.FunctionProto, info debugInfo) {
	info[p] = &origin{stepped: true, number: len(info)}
	refused, before := uint32(len(p.Constants)), uint32(0) // the number of the name that stands for all that are assigned to
	for pc, inst := range p.Code {
		if int(inst>>26) == lua.OP_SETGLOBAL && !(int(before>>26) == lua.OP_SETLIST && before>>9&0x1ff == 0) {
			if int(refused) == len(p.Constants) {
				p.Constants = append(p.Constants, lua.LString(newGlobal))
			}
			inst = inst&^0x3ffff | refused
			p.Code[pc] = inst
		}
		before = inst
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
		adapt(f, info)
	}
}

// local is a local variable: the register that holds it, and the instructions before which it is in scope.
type local struct {
	name     string
	register int
	from, to int // the first, and the one behind the last
}

// localsOf are the locals of a function: each has the register that follows those of the others in scope.
func localsOf(p *lua.FunctionProto) []local {
	locals := make([]local, len(p.DbgLocals))
	var ends []int // of the locals in scope
	for i, l := range p.DbgLocals {
		for len(ends) > 0 && ends[len(ends)-1] <= l.StartPc {
			ends = ends[:len(ends)-1]
		}
		locals[i] = local{name: l.Name, register: len(ends), from: l.StartPc, to: l.EndPc}
		ends = append(ends, l.EndPc)
	}
	return locals
}

// setConstantTexts gives a function the constants that are strings, which gopher-lua keeps a second time.
func setConstantTexts(p *lua.FunctionProto, texts []string) {
	field := reflect.ValueOf(p).Elem().FieldByName("stringConstants")
	*(*[]string)(unsafe.Pointer(field.UnsafeAddr())) = texts
}

// main is the function of the script that runs: while there is a debugger, what it steps through.
func (vm *VM) main() *lua.LFunction {
	s := vm.script
	if vm.debugger == nil || s.proto == nil {
		return s.fn
	}
	return vm.L.NewFunctionFromProto(s.stepping())
}

// stepping is what a debugger steps through.
func (s *Script) stepping() *lua.FunctionProto {
	if o := s.debug[s.proto]; o != nil && o.stepped {
		return s.proto
	}
	if s.steppedProto == nil {
		body, err := s.shebang()
		if err != nil {
			return s.proto
		}
		proto, info, err := stepped(body, chunkName)
		if err != nil {
			return s.proto
		}
		s.steppedProto = proto
		maps.Copy(s.debug, info)
	}
	return s.steppedProto
}

// follows reports whether the debugger is told of the lines of a function: those of the script and, as in Redis, of texts that it has
// loaded by a name that contains the script's.
func (vm *VM) follows(p *lua.FunctionProto) bool {
	if vm.script == nil {
		return false
	}
	o := vm.script.debug[p]
	if o == nil {
		o = vm.loaded[p]
	}
	return o != nil && o.stepped && strings.Contains(p.SourceName, chunkName)
}
