package luabridge

import (
	"slices"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
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
	return ParseLibraryOf(source, luatext.FirstLine{})
}

// ParseLibraryOf is [ParseLibrary] for a server that reads the first line in its own way.
func ParseLibraryOf(source string, first luatext.FirstLine) (*Library, error) {
	name, _, err := first.ReadLibrary(source)
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
	var err error
	switch {
	case v.IsError():
		err = reply.ParseError("ERR Error registering functions: " + v.Text())
	case vm.opt.server.Has(servers.CheckedAfterLoad):
		err = lib.check()
	}
	if err != nil {
		lib.Functions = old
		return err
	}
	if old != nil { // loaded again: the functions stay the same values
		for i, f := range lib.Functions[:min(len(old), len(lib.Functions))] {
			*old[i] = *f
		}
		lib.Functions = old
	}
	return nil
}

// check returns the error about the first name of a function that is invalid or not its own.
func (lib *Library) check() error {
	for i, f := range lib.Functions {
		if !luatext.IsName(f.Name) {
			return reply.ParseError("ERR Function " + luatext.NameRule)
		}
		if slices.ContainsFunc(lib.Functions[:i], func(g *Function) bool { return g.Name == f.Name }) {
			return reply.ParseError("ERR " + functionExists)
		}
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
	values := make([]lua.LValue, len(ss), h.Room(len(ss)))
	for i, s := range ss {
		values[i] = b.String(s)
	}
	return h.Array(values)
}
