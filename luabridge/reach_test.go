package luabridge

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// goFunctions walks all that Lua code can come to from the roots, and beyond: through metatables,
// environments and upvalues, which scripts cannot see. It returns the Go functions with a path by
// which each was found.
func goFunctions(vm *VM, roots ...lua.LValue) map[string]string {
	found, seen := map[string]string{}, map[lua.LValue]bool{}
	var walk func(path string, v lua.LValue)
	walk = func(path string, v lua.LValue) {
		switch v.(type) {
		case *lua.LTable, *lua.LFunction, *lua.LUserData:
			if seen[v] {
				return
			}
			seen[v] = true
		}
		switch v := v.(type) {
		case *lua.LTable:
			walk(path+"<metatable>", v.Metatable)
			for _, e := range tables.Entries(v, nil) {
				walk(path+"."+e.Key.String(), e.Value)
			}
			v.ForEach(func(key, value lua.LValue) { walk(path+"."+key.String(), value) })
		case *lua.LUserData:
			walk(path+"<metatable>", v.Metatable)
		case *lua.LFunction:
			if v.GFunction != nil {
				found[runtime.FuncForPC(reflect.ValueOf(v.GFunction).Pointer()).Name()] = path
			}
			walk(path+"<environment>", v.Env)
			for _, up := range v.Upvalues {
				walk(path+"<upvalue>", up.Value())
			}
		}
	}
	for i, v := range roots {
		walk("root"+string(rune('0'+i)), v)
	}
	return found
}

// TestScriptsReachNoGoFunctionsButOurs looks at every Go function that Lua code can come to.
func TestScriptsReachNoGoFunctionsButOurs(t *testing.T) {
	for _, functions := range []bool{false, true} {
		vm := New(Options{Functions: functions})
		s, err := vm.Compile("return 1")
		require.NoError(t, err)
		fn := vm.L.NewFunctionFromProto(s.proto)
		roots := []lua.LValue{vm.globals.Env, fn, vm.L.Env, vm.L.GetMetatable(lua.LString("")), vm.globals.Value, vm.L.G.Registry}
		for _, v := range []lua.LValue{lua.LString(""), vm.globals.Value} {
			shown, ok := vm.globals.Metatable(v)
			require.True(t, ok)
			roots = append(roots, shown)
		}
		if functions {
			roots = append(roots, vm.L.Env.Metatable)
			vm.globals.Load(true) // its __index leads to what the text of a library sees
			roots = append(roots, vm.L.Env.Metatable.(*lua.LTable).RawGetString("__index"))
			vm.globals.Load(false)
		}
		found := goFunctions(vm, roots...)
		require.Greater(t, len(found), 100)
		for name, path := range found {
			ours := strings.HasPrefix(name, "github.com/redmoon-lua/redmoon/luabridge")
			coroutines := strings.HasPrefix(name, "github.com/yuin/gopher-lua.co") // coCreate and the like, which ours call
			require.True(t, ours || coroutines, "%s reaches %s", path, name)
		}
		vm.Close()
	}
}

// TestTheBridgeImportsNoWayOut looks at what the packages behind those functions may do: nothing
// there opens files, connections or processes.
func TestTheBridgeImportsNoWayOut(t *testing.T) {
	barred := map[string]bool{"os": true, "os/exec": true, "io/fs": true, "io/ioutil": true, "net": true, "net/http": true, "syscall": true,
		"plugin":        true,
		"path/filepath": true, "embed": true, "runtime/cgo": true, "C": true}
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		if len(f.Comments) > 0 && f.Comments[0].Pos() < f.Package && f.Comments[0].List[0].Text == "//go:build ignore" {
			return nil // a program of its own, which is not part of the bridge
		}
		files++
		for _, spec := range f.Imports {
			require.False(t, barred[strings.Trim(spec.Path.Value, `"`)], "%s imports %s", path, spec.Path.Value)
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, files, 50)
}
