package luabridge

import (
	"reflect"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
)

// siteAt returns the site of the instruction that a function on the stack is at, with the instruction;
// nil for functions that are no Lua code of a script.
func (vm *VM) siteAt(L *lua.LState, level int) (s *site, inst uint32) {
	dbg, ok := L.GetStack(level)
	if !ok {
		return nil, 0
	}
	fn, pc := frameOf(dbg)
	if fn.IsG || pc < 0 {
		return nil, 0
	}
	info := vm.script.debug[fn.Proto]
	if info == nil {
		info = vm.loaded[fn.Proto]
	}
	if info == nil || pc >= len(fn.Proto.Code) {
		return nil, 0
	}
	return info.site(fn.Proto, pc), fn.Proto.Code[pc]
}

// site is the site of an instruction of p, whose origin o is.
func (o *origin) site(p *lua.FunctionProto, pc int) *site {
	if o.stepped {
		return &site{line: p.DbgSourcePositions[pc], names: luac.NamesOf(p, pc)}
	}
	return o.sites[pc]
}

// frameOf is the function of a frame, and the index of the instruction that it is at.
func frameOf(dbg *lua.Debug) (fn *lua.LFunction, pc int) {
	frame := reflect.ValueOf(dbg).Elem().FieldByName("frame").Elem()
	return (*lua.LFunction)(frame.FieldByName("Fn").UnsafePointer()), int(frame.FieldByName("Pc").Int()) - 1
}

// chunkOf is the name of the chunk that a frame's function stands in, as it was given to Lua: with @ or = before it, and
// not shortened.
func (vm *VM) chunkOf(dbg *lua.Debug) string {
	if fn, _ := frameOf(dbg); vm.loaded[fn.Proto] != nil {
		return vm.loaded[fn.Proto].chunk
	}
	return "@" + dbg.Source
}

func (s *site) name(i int) string {
	if s == nil || i >= len(s.names) {
		return ""
	}
	return s.names[i]
}

// typeError is Lua's message about a value of the wrong type.
func typeError(what, name, typ string) string {
	if name == "" {
		return "attempt to " + what + " a " + typ + " value"
	}
	return "attempt to " + what + " " + name + " (a " + typ + " value)"
}

// translate words an error that gopher-lua raised as Lua does: the only one that scripts can still bring about is that the stack
// of values is full.
func translate(message string) string {
	if where, ok := strings.CutSuffix(message, "registry overflow"); ok {
		return where + "stack overflow"
	}
	return message
}

// argumentError words a complaint about an argument after the way the function was called.
func (vm *VM) argumentError(L *lua.LState, n int, problem string) string {
	s, inst := vm.siteAt(L, 1)
	kind, name, _ := strings.Cut(s.name(0), " ")
	switch {
	case s != nil && int(inst>>26) == lua.OP_TFORLOOP: // in a register of the loop's own
		name = "'(for generator)'"
	case name == "":
		name = "'?'"
	}
	if kind == "method" {
		if n--; n == 0 {
			return "calling " + name + " on bad self (" + problem + ")"
		}
	}
	return "bad argument #" + strconv.Itoa(n) + " to " + name + " (" + problem + ")"
}

// blame raises the error that v, operand n of the running instruction, is no value to do what with.
func (vm *VM) blame(L *lua.LState, what string, n int, v lua.LValue) {
	name := ""
	if n >= 0 {
		s, _ := vm.siteAt(L, 0)
		name = s.name(n)
	}
	vm.raise(L, lua.LString(vm.where(L, 0)+typeError(what, name, v.Type().String())))
}
