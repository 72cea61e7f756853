package engine

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
	"github.com/redmoon-lua/redmoon/reply"
)

// functions are the loaded libraries, in a Lua VM of their own. It implements server.Functions. The
// loop owns it.
type functions struct {
	e  *Engine
	vm *luabridge.VM // nil until the first library
	registry
}

// registry is a set of libraries whose functions have distinct names.
type registry struct {
	libraries map[string]*luabridge.Library
	byName    map[string]*luabridge.Function // by name in lower case
}

func newRegistry() registry {
	return registry{libraries: map[string]*luabridge.Library{}, byName: map[string]*luabridge.Function{}}
}

func newFunctions(e *Engine) *functions { return &functions{e: e, registry: newRegistry()} }

func (f *functions) close() {
	if f.vm != nil {
		f.vm.Close()
	}
}

// clash returns the name of a function of lib that another library has too, or "".
func (r registry) clash(lib *luabridge.Library) string {
	for _, fn := range lib.Functions {
		if other := r.byName[strings.ToLower(fn.Name)]; other != nil && other.Library().Name != lib.Name {
			return fn.Name
		}
	}
	return ""
}

// add adds lib and replaces a library with the same name.
func (r registry) add(lib *luabridge.Library) {
	r.remove(lib.Name)
	r.libraries[lib.Name] = lib
	for _, fn := range lib.Functions {
		r.byName[strings.ToLower(fn.Name)] = fn
	}
}

func (r registry) remove(name string) bool {
	lib := r.libraries[name]
	if lib == nil {
		return false
	}
	delete(r.libraries, name)
	for _, fn := range lib.Functions {
		delete(r.byName, strings.ToLower(fn.Name))
	}
	return true
}

// names returns the names of the libraries, sorted.
func (r registry) names() []string {
	names := make([]string, 0, len(r.libraries))
	for name := range r.libraries {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Flags implements server.Functions.
func (f *functions) Flags(name string) server.ScriptFlags {
	if fn := f.find(name); fn != nil {
		return scriptFlags(fn.Flags | luabridge.Shebang)
	}
	return server.ScriptFlags{}
}

// Bytes implements server.Functions.
func (f *functions) Bytes() (n int) {
	for _, lib := range f.libraries {
		n += len(lib.Source)
	}
	return n
}

func (f *functions) find(name string) *luabridge.Function {
	if fn := f.byName[name]; fn != nil {
		return fn
	}
	return f.byName[strings.ToLower(name)]
}

// Call implements server.Functions.
func (f *functions) Call(c *server.Ctx, name string, keys, argv []string, readOnly bool) reply.Value {
	fn := f.find(name)
	host := f.e.scripts
	if errv := host.begin(c, fn.Name, fn.Flags|luabridge.Shebang, readOnly); errv.IsError() {
		return errv
	}
	f.e.countRun(server.ScriptID{Library: fn.Library().Name, Name: fn.Name})
	if f.e.maybeDebugged() {
		return f.callWatched(c, fn, keys, argv, readOnly)
	}
	return f.callPlain(fn, keys, argv)
}

// callPlain calls a function. The host has begun.
func (f *functions) callPlain(fn *luabridge.Function, keys, argv []string) reply.Value {
	f.e.enterScript(f.vm)
	v := f.vm.CallFunction(f.e.scripts, fn, keys, argv)
	f.e.endScript(v)
	return v
}

// Load implements server.Functions.
func (f *functions) Load(c *server.Ctx, code string, replace bool) reply.Value {
	lib, err := luabridge.ParseLibraryOf(code, f.e.firstLine())
	if err != nil {
		return reply.Err(err.Error())
	}
	if f.libraries[lib.Name] != nil && !replace {
		return libraryExists(lib.Name)
	}
	if j := f.e.compiling.take(code, true); j != nil && j.err != nil {
		return reply.Err(j.err.Error())
	} else if j != nil {
		lib = j.lib
	}
	f.open()
	if err := f.e.compileFor(c, code, lib.Name, lib.Compile); err != nil {
		return reply.Err(err.Error())
	}
	if errv := f.loadWatched(c, lib); errv.IsError() {
		return errv
	}
	if name := f.clash(lib); name != "" {
		return functionExists(name)
	}
	f.willChange()
	f.add(lib)
	return reply.Bulk(lib.Name)
}

func libraryExists(name string) reply.Value {
	return reply.Errorf("ERR Library '%s' already exists", name)
}
func functionExists(name string) reply.Value {
	return reply.Errorf("ERR Function %s already exists", name)
}

// open makes the VM if there is none.
func (f *functions) open() {
	if f.vm == nil {
		f.vm = f.e.newVM(true)
	}
}

// load compiles a library within limits, unless it is compiled already, and runs its text.
func (f *functions) load(lib *luabridge.Library, l luabridge.CompileLimits) error {
	f.open()
	if err := lib.Compile(l); err != nil {
		return err
	}
	return f.vm.LoadLibrary(lib)
}

// Delete implements server.Functions.
func (f *functions) Delete(library string) bool {
	f.willChange()
	f.e.server.Stats.Scripts.Forget(func(id server.ScriptID) bool { return id.Library == library })
	return f.remove(library)
}

// Flush implements server.Functions. The Lua state stays, as in Redis: settings of cjson made by
// functions remain in force.
func (f *functions) Flush() {
	f.willChange()
	f.e.server.Stats.Scripts.Forget(func(id server.ScriptID) bool { return id.Library != "" })
	f.registry = newRegistry()
}

// List implements server.Functions. The libraries are sorted by name.
func (f *functions) List() []server.FunctionLibrary {
	var out []server.FunctionLibrary
	for _, name := range f.names() {
		lib := f.libraries[name]
		info := server.FunctionLibrary{Name: name, Code: lib.Source}
		for _, fn := range lib.Functions {
			info.Functions = append(info.Functions, server.FunctionInfo{
				Name: fn.Name, Description: fn.Description, Described: fn.Described, Flags: fn.Flags.FlagNames(),
			})
		}
		out = append(out, info)
	}
	return out
}

// Restore implements server.Functions.
func (f *functions) Restore(c *server.Ctx, codes []string, bad reply.Value, policy server.RestorePolicy) reply.Value {
	fresh := newRegistry()
	f.open()
	j := f.e.compileHere(c, "restore")
	defer j.end()
	j.vm = f.vm
	for _, code := range codes {
		err := fresh.addNew(code, f.e.firstLine(), func(lib *luabridge.Library) error {
			err := f.load(lib, j.limits())
			if j.err != nil {
				err = j.err
			}
			return err
		})
		if err != nil {
			return reply.Err(err.Error())
		}
	}
	if bad.IsError() {
		return bad
	}
	next, errv := f.merge(fresh, policy)
	if errv.IsError() {
		return errv
	}
	f.willChange()
	f.registry = next
	return reply.OK()
}

// willChange journals the libraries, which are about to change.
func (f *functions) willChange() {
	if st := f.e.server.Store; st.Recording() {
		old := registry{maps.Clone(f.libraries), maps.Clone(f.byName)}
		st.OnRollback(func() { f.registry = old })
	}
}

// addNew adds the library with that source text, whose first line is read as first says. load
// compiles and runs it. It is an error if r has the library, or a function of it.
func (r registry) addNew(code string, first luatext.FirstLine, load func(*luabridge.Library) error) error {
	lib, err := luabridge.ParseLibraryOf(code, first)
	if err != nil {
		return err
	}
	if r.libraries[lib.Name] != nil {
		return libraryExists(lib.Name).Err()
	}
	if err := load(lib); err != nil {
		return err
	}
	if name := r.clash(lib); name != "" {
		return functionExists(name).Err()
	}
	r.add(lib)
	return nil
}

// merge returns a registry of the libraries of r and fresh, as the policy says.
func (r registry) merge(fresh registry, policy server.RestorePolicy) (registry, reply.Value) {
	next := newRegistry()
	if policy != server.RestoreFlush {
		for _, lib := range r.libraries {
			next.add(lib)
		}
	}
	for _, name := range fresh.names() {
		if next.libraries[name] == nil {
			continue
		}
		if policy == server.RestoreAppend {
			return r, reply.Errorf("ERR Library %s already exists", name)
		}
		next.remove(name)
	}
	for _, name := range fresh.names() {
		lib := fresh.libraries[name]
		if name := next.clash(lib); name != "" {
			return r, functionExists(name)
		}
		next.add(lib)
	}
	return next, reply.OK()
}

// FCall calls a function of a library that FUNCTION LOAD has loaded: Redis's FCALL. The function
// gets keys and args as its two arguments. args are converted, and errors are returned, as by
// [Engine.Do].
func (e *Engine) FCall(ctx context.Context, function string, keys []string, args ...any) (Value, error) {
	return e.eval(ctx, e.shared, "FCALL", function, keys, args)
}

// FCall calls a function in the session's database; see [Engine.FCall].
func (s *Session) FCall(ctx context.Context, function string, keys []string, args ...any) (Value, error) {
	return s.e.eval(ctx, s.s, "FCALL", function, keys, args)
}
