package luabridge

import (
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// loadString is loadstring(text [, name]).
func (vm *VM) loadString(L *lua.LState) int {
	s := vm.textArgument(L, 1)
	return vm.loadChunk(L, s, vm.optionalText(L, 2, s))
}

// load is load(function [, name]): the function gives the text in pieces.
func (vm *VM) load(L *lua.LState) int {
	name := vm.optionalText(L, 2, "=(load)")
	fn := vm.functionArgument(L, 1)
	L.SetTop(1)
	source, failure := vm.readPieces(L, fn, name)
	if failure == nil {
		return vm.loadChunk(L, source, name)
	}
	L.Push(lua.LNil)
	L.Push(failure)
	return 2
}

// checkedPieces is up to which piece each is looked through for mistakes; after that it is done when their number has
// doubled, so that a text in many pieces costs little.
const checkedPieces = 32

// readPieces calls a reader function until it returns nil or the empty string, or the text has a mistake: Lua compiles
// while it reads. The failure, when there is one, is the error value of the reader.
func (vm *VM) readPieces(L *lua.LState, fn *lua.LFunction, name string) (source string, failure lua.LValue) {
	var b strings.Builder
	for pieces := 0; ; pieces++ {
		L.SetTop(1)
		th, err := vm.protected(L, 1, 1)
		if err != nil {
			vm.release(th)
			return b.String(), vm.unprotectedError(L, err.(*lua.ApiError).Object)
		}
		piece := th.Get(1)
		vm.release(th)
		s, ok := str(piece)
		switch {
		case !ok && piece != lua.LNil:
			text := vm.where(L, 1) + "reader function must return a string"
			return b.String(), vm.unprotectedError(L, lua.LString(text))
		case s == "" && pieces > 0: // Lua looks at the beginning twice
			return b.String(), nil
		}
		b.WriteString(s)
		vm.spend(L, int64(1+len(s)))
		if (pieces&(pieces-1) == 0 || pieces < checkedPieces) && b.Len() < longChunk {
			var mistake *syntax.Error
			if _, err := luac.Compile(b.String(), name, luac.Options{Depth: vm.machine.Nesting().Depth()}); errors.As(err, &mistake) && !mistake.More {
				return b.String(), nil
			}
		}
		vm.poll(L)
	}
}

// unprotectedError is what an error inside load becomes: outside pcall and coroutines Redis's handler has seen it.
func (vm *VM) unprotectedError(L *lua.LState, v lua.LValue) lua.LValue {
	if L != vm.L {
		if n := len(vm.guarded) - 1; n >= 0 && vm.guarded[n].thread == L && vm.guarded[n].handler != nil {
			return vm.handled(L, vm.guarded[n].handler, v)
		}
		return v
	}
	source, line := vm.position(L)
	tb, ok := v.(*lua.LTable)
	if !ok || tb.Metatable == lua.LNil {
		return vm.errorTable(L, v, source, line)
	}
	top := L.GetTop()
	L.Push(vm.placeFn)
	L.Push(tb)
	L.Push(lua.LString(source))
	L.Push(lua.LNumber(line))
	th, err := vm.protected(L, top+1, 4)
	vm.release(th)
	L.SetTop(top)
	if err != nil { // the handler is asked again, about what failed in it
		return vm.errorTable(L, err.(*lua.ApiError).Object, "@"+handlerName, handlerLine)
	}
	return tb
}

func (vm *VM) loadChunk(L *lua.LState, source, name string) int {
	proto, traits, err := vm.compileWithin(L, source, name)
	if err != nil {
		L.Push(lua.LNil)
		if unplaced(err) {
			L.Push(vm.unprotectedError(L, lua.LString(err.Error())))
		} else {
			L.Push(lua.LString(err.Error()))
		}
		return 2
	}
	if vm.debugger != nil {
		if p, info, err := stepped(source, displayName(name, runtimeName)); err == nil {
			proto, traits.debug = p, info
		}
	}
	if vm.loaded == nil {
		vm.loaded = debugInfo{}
	}
	chunk := &text{source, name}
	for p, o := range traits.debug {
		o.chunk, o.text = cString(name), chunk
		vm.loaded[p] = o
	}
	fn := L.NewFunctionFromProto(proto)
	L.Push(fn)
	return 1
}

// loadedSize is how many bytes a loaded chunk takes at least, about.
const loadedSize = 2048

// longChunk is the length in bytes from which a text takes long to compile.
const longChunk = treeText

// compileWithin compiles the text of a chunk for the running script, on its goroutine. The
// compilation of a long text counts as the script's memory, and it serves other clients meanwhile.
func (vm *VM) compileWithin(L *lua.LState, source, name string) (*lua.FunctionProto, traits, error) {
	o := luac.Options{Depth: vm.machine.Nesting().Depth()}
	if len(source) >= longChunk {
		vm.spend(L, int64(len(source)))
		o.Poll = func() error { vm.poll(L); return nil }
		total, told := 0, 0 // bytes allocated so far, all in use
		o.Reserve = func(n int) error {
			if total += n; total-told >= largeString {
				told = total
				vm.reserve(L, total)
			}
			return nil
		}
	}
	if len(source) <= treeText {
		vm.reserve(L, loadedSize+treeSize*len(source))
	}
	return compileChunk(source, name, nil, o)
}

// Lua shows this much of a chunk's name: less at run time than in syntax errors.
const (
	runtimeName = 60
	syntaxName  = 80
)

func compileChunk(source, name string, bound *boundScope, o luac.Options) (*lua.FunctionProto, traits, error) {
	shown := displayName(name, runtimeName)
	proto, t, err := compile(source, shown, bound, o)
	if long := displayName(name, syntaxName); err != nil && long != shown {
		_, _, err = compile(source, long, bound, o)
	}
	return proto, t, err
}

// displayName is how error positions show a chunk's name (luaO_chunkid in Lua); room counts C's final NUL.
func displayName(name string, room int) string {
	name = cString(name)
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
	most := room - len(` [string "..."] `) - 1
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
