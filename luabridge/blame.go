package luabridge

import (
	"reflect"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
)

// namesAt returns what Lua calls the operands of the instruction that a function on the stack is
// at, with the instruction. It returns no names for functions that are not a script's own.
func (vm *VM) namesAt(L *lua.LState, level int) (names []string, inst uint32) {
	dbg, ok := L.GetStack(level)
	if !ok {
		return nil, 0
	}
	fn, pc := frameOf(dbg)
	if fn.IsG || pc < 0 || vm.originOf(fn.Proto) == nil || pc >= len(fn.Proto.Code) {
		return nil, 0
	}
	return luac.NamesOf(fn.Proto, pc), fn.Proto.Code[pc]
}

// frameOf returns the function of a frame, and the index of the instruction that it is at.
func frameOf(dbg *lua.Debug) (fn *lua.LFunction, pc int) {
	frame := reflect.ValueOf(dbg).Elem().FieldByName("frame").Elem()
	return (*lua.LFunction)(frame.FieldByName("Fn").UnsafePointer()), int(frame.FieldByName("Pc").Int()) - 1
}

// chunkOf returns the name of the chunk of a frame's function as it was given to Lua: with @ or =
// before it, and not shortened.
func (vm *VM) chunkOf(dbg *lua.Debug) string {
	if fn, _ := frameOf(dbg); vm.chunks.loaded[fn.Proto] != nil {
		return vm.chunks.loaded[fn.Proto].chunk
	}
	return "@" + dbg.Source
}

// nameAt returns name i, or "" if it is unknown.
func nameAt(names []string, i int) string {
	if i >= len(names) {
		return ""
	}
	return names[i]
}

// typeError returns Lua's message about a value of the wrong type.
func typeError(what, name, typ string) string {
	if name == "" {
		return "attempt to " + what + " a " + typ + " value"
	}
	return "attempt to " + what + " " + name + " (a " + typ + " value)"
}

// translate turns an error text of gopher-lua into Lua's. The only such error that scripts can
// cause is a full stack of values.
func translate(message string) string {
	if where, ok := strings.CutSuffix(message, "registry overflow"); ok {
		return where + "stack overflow"
	}
	return message
}

// argumentError returns Lua's message about argument n. It depends on how the function was called.
func (vm *VM) argumentError(L *lua.LState, n int, problem string) string {
	names, inst := vm.namesAt(L, 1)
	kind, name, _ := strings.Cut(nameAt(names, 0), " ")
	switch {
	case int(inst>>26) == lua.OP_TFORLOOP: // the function is in a hidden register
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

// blame raises the error that v, operand n of the running instruction, has the wrong type for what.
func (vm *VM) blame(L *lua.LState, what string, n int, v lua.LValue) {
	name := ""
	if n >= 0 {
		names, _ := vm.namesAt(L, 0)
		name = nameAt(names, n)
	}
	vm.raise(L, lua.LString(vm.where(L, 0)+typeError(what, name, v.Type().String())))
}
