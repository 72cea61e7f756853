package luabridge

import (
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
	"github.com/redmoon-lua/redmoon/reply"
)

// Library is a set of functions that one text registers. FUNCTION LOAD loads it. It belongs to the
// VM that loaded it.
type Library struct {
	Name      string
	Source    string // including the first line, such as "#!lua name=mylib"
	Functions []*Function

	script Script    // the text itself
	gen    int       // the state that the functions belong to
	loaded debugInfo // functions of texts that its functions have compiled and may have kept
}

// Function is a function that a library registered.
type Function struct {
	Name        string
	Description string
	Described   bool // a description was given; it may be empty
	Flags       Flags

	library *Library
	script  Script // its closure; SHA is the name, for error texts
}

// Library returns the library of f.
func (f *Function) Library() *Library { return f.library }

// What a library remembers of the texts that its functions have compiled: the number of functions
// in them, and the length of the texts.
const (
	keptLoaded      = 1024
	keptLoadedBytes = 1 << 20
)

// loadTime is the time that the text of a library may run when it is loaded.
const loadTime = 500 * time.Millisecond

var errNoFunctions = reply.ParseError("ERR No functions registered")

// ParseLibrary reads the first line of a library, which gives the engine and the name. It compiles
// nothing. The error is a *[reply.Error] with Redis's text.
func ParseLibrary(source string) (*Library, error) {
	name, _, err := luatext.ReadLibrary(source)
	if err != nil {
		return nil, err
	}
	return &Library{Name: name, Source: source}, nil
}

// LoadLibrary runs the text of a library from [ParseLibrary], which registers its functions. It
// compiles the library first if necessary. The error is a *[reply.Error] with Redis's text. The VM
// must be one for functions.
func (vm *VM) LoadLibrary(lib *Library) error {
	if lib.script.Dropped() {
		if err := lib.Compile(CompileLimits{}); err != nil {
			return err
		}
	}
	if err := vm.register(lib); err != nil {
		return err
	}
	if len(lib.Functions) == 0 {
		return errNoFunctions
	}
	return nil
}

// register runs the text of a library in the current state.
func (vm *VM) register(lib *Library) error {
	old := lib.Functions
	lib.Functions = nil
	lib.script.fn, lib.script.gen = vm.L.NewFunctionFromProto(lib.script.proto), vm.gen
	vm.making, vm.given = lib, nil
	vm.globals.Load(true)
	v := vm.run(nil, &lib.script)
	vm.chunks.loaded, vm.making = nil, nil
	vm.globals.Load(false)
	lib.gen = vm.gen
	if vm.broken {
		vm.rebuild()
	}
	if v.IsError() {
		lib.Functions = old
		return reply.ParseError("ERR Error registering functions: " + v.Text())
	}
	if old != nil { // loaded again: the functions stay the same values
		for i, f := range lib.Functions[:min(len(old), len(lib.Functions))] {
			*old[i] = *f
		}
		lib.Functions = old
	}
	return nil
}

// CallFunction calls a function with keys and arguments and returns its reply. An error is an error
// reply with Redis's text. CallFunction does not keep keys and argv.
//
// The locals of a library live until the library is loaded again. An abnormal end (a stack
// overflow, a Go panic) also loads it again.
func (vm *VM) CallFunction(h Host, f *Function, keys, argv []string) reply.Value {
	lib := f.library
	if lib.gen != vm.gen {
		if err := vm.register(lib); err != nil {
			return reply.Err(err.Error())
		}
	}
	vm.chunks.loaded = lib.loaded
	before := len(lib.loaded)
	vm.given = append(vm.given[:0], textArray(vm.lib.Hashing, &vm.redis.Convert.Boxes, keys),
		textArray(vm.lib.Hashing, &vm.redis.Convert.Boxes, argv))
	v := vm.run(h, &f.script)
	clear(vm.given)
	if n := len(vm.chunks.loaded); n > keptLoaded || n > before && vm.chunks.bytes() > keptLoadedBytes {
		vm.chunks.loaded = nil
	}
	lib.loaded = vm.chunks.loaded
	vm.chunks.loaded = nil
	if vm.broken {
		vm.rebuild()
	} else if machine.Room(vm.L) > keptRoom {
		machine.Shrink(vm.L)
	}
	return v
}

// textArray makes a table of strings.
func textArray(h tables.Hashing, b *boxes.Boxes, ss []string) *lua.LTable {
	values := make([]lua.LValue, len(ss), tables.ArrayRoom(len(ss)))
	for i, s := range ss {
		values[i] = b.String(s)
	}
	return h.Use(tables.NewArray(values))
}
