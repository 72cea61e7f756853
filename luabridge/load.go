package luabridge

import (
	"fmt"
	"maps"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// loadString is loadstring(text [, name]).
func (vm *VM) loadString(L *lua.LState) int {
	s, ok := str(L.Get(1))
	if !ok {
		return vm.badType(L, 1, "string")
	}
	name := s
	if L.GetTop() >= 2 && L.Get(2) != lua.LNil {
		if name, ok = str(L.Get(2)); !ok {
			return vm.badType(L, 2, "string")
		}
	}
	return vm.loadChunk(L, s, name)
}

// load is load(function [, name]): the function gives the text in pieces.
func (vm *VM) load(L *lua.LState) int {
	fn, ok := L.Get(1).(*lua.LFunction)
	if !ok {
		return vm.badType(L, 1, "function")
	}
	name := "=(load)"
	if s, ok := str(L.Get(2)); ok {
		name = s
	}
	var b strings.Builder
	for {
		L.Push(fn)
		L.Call(0, 1)
		piece := L.Get(-1)
		L.Pop(1)
		s, ok := str(piece)
		if !ok && piece != lua.LNil {
			return vm.fail(L, "reader function must return a string")
		}
		if s == "" {
			return vm.loadChunk(L, b.String(), name)
		}
		b.WriteString(s)
	}
}

func (vm *VM) loadChunk(L *lua.LState, source, name string) int {
	proto, traits, err := compile(source, displayName(name))
	if err != nil {
		L.Push(lua.LNil)
		L.Push(lua.LString(err.Error()))
		return 2
	}
	if vm.loaded == nil {
		vm.loaded = debugInfo{}
	}
	maps.Copy(vm.loaded, traits.debug)
	fn := L.NewFunctionFromProto(proto)
	if traits.loops && !vm.script.loops {
		fn = vm.interruptible(L, fn)
	}
	L.Push(fn)
	return 1
}

// interruptible wraps a chunk with loops for a script that had none of its own and therefore
// runs without looking for interrupts.
func (vm *VM) interruptible(L *lua.LState, fn *lua.LFunction) *lua.LFunction {
	return L.NewFunction(func(L *lua.LState) int {
		n := L.GetTop()
		L.SetContext(&vm.kill)
		L.Insert(fn, 1)
		L.Call(n, lua.MultRet)
		return L.GetTop()
	})
}

// displayName is how error positions show a chunk's name (luaO_chunkid in Lua).
func displayName(name string) string {
	const room = 60
	if name != "" && name[0] == '=' {
		return name[1:min(len(name), room)]
	}
	if name != "" && name[0] == '@' {
		if name = name[1:]; len(name) > room-8 {
			name = "..." + name[len(name)-(room-8):]
		}
		return name
	}
	line, _, more := strings.Cut(name, "\n")
	if i := strings.IndexByte(line, '\r'); i >= 0 {
		line, more = line[:i], true
	}
	const most = room - len(` [string "..."] `) - 1
	if len(line) > most {
		line, more = line[:most], true
	}
	if more {
		line += "..."
	}
	return fmt.Sprintf("[string %q]", rawQuoted(line))
}

// rawQuoted lets %q pass a string as it is.
type rawQuoted string

// Format implements [fmt.Formatter].
func (r rawQuoted) Format(f fmt.State, _ rune) { fmt.Fprintf(f, `"%s"`, string(r)) }
