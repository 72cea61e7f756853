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

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/baselib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/corolib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/mathlib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/redisapi"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tablelib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// goFunctions walks all that Lua code can come to from the roots, and beyond: through metatables,
// environments and upvalues, which scripts cannot see. It returns the Go functions with a path by
// which each was found.
func goFunctions(roots ...lua.LValue) map[*lua.LFunction]string {
	found, seen := map[*lua.LFunction]string{}, map[lua.LValue]bool{}
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
				found[v] = path
			}
			if v.Env != nil {
				walk(path+"<environment>", v.Env)
			}
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

// roots are what code of a VM begins with, and what leads to the globals.
func roots(t *testing.T, vm *VM) []lua.LValue {
	s, err := vm.Compile("return 1")
	require.NoError(t, err)
	roots := []lua.LValue{vm.globals.Env, vm.L.NewFunctionFromProto(s.proto), vm.L.Env, vm.L.GetMetatable(lua.LString("")),
		vm.globals.Value, vm.L.G.Registry}
	for _, v := range []lua.LValue{lua.LString(""), vm.globals.Value} {
		shown, ok := vm.globals.Metatable(v)
		require.True(t, ok)
		roots = append(roots, shown)
	}
	if vm.opt.Functions {
		roots = append(roots, vm.L.Env.Metatable)
		vm.globals.Load(true) // its __index leads to what the text of a library sees
		roots = append(roots, vm.L.Env.Metatable.(*lua.LTable).RawGetString("__index"))
		vm.globals.Load(false)
	}
	return roots
}

// nameOf returns the name of a Go function.
func nameOf(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }

// TestScriptsReachNoGoFunctionsButOurs looks at every Go function that Lua code can come to, and at
// what the shared ones call.
func TestScriptsReachNoGoFunctionsButOurs(t *testing.T) {
	for _, functions := range []bool{false, true} {
		vm := New(Options{Functions: functions})
		found := goFunctions(roots(t, vm)...)
		require.Greater(t, len(found), 100)
		for fn, path := range found {
			name := nameOf(fn.GFunction)
			require.True(t, strings.HasPrefix(name, "github.com/redmoon-lua/redmoon/luabridge"), "%s reaches %s", path, name)
		}
		vm.Close()
	}
	var calls []any
	calls = appendCalls(calls, baselib.Functions())
	calls = appendCalls(calls, corolib.Functions())
	calls = appendCalls(calls, mathlib.Functions())
	calls = appendCalls(calls, redisapi.Functions())
	calls = appendCalls(calls, tablelib.Functions())
	require.GreaterOrEqual(t, len(calls), 70)
	for _, call := range calls {
		require.True(t, strings.HasPrefix(nameOf(call), "github.com/redmoon-lua/redmoon/luabridge"), nameOf(call))
	}
}

func appendCalls[T any](to []any, functions []args.Function[T]) []any {
	for _, f := range functions {
		to = append(to, f.Call)
	}
	return to
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
