package luabridge

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/globals"
)

// namesOf returns the names that the globals of a VM have: "name", and "library.field".
func namesOf(vm *VM) (found []string) {
	shared := vm.globals.Env.Metatable.(*lua.LTable).RawGetString("__index").(*lua.LTable)
	for _, tb := range []*lua.LTable{vm.globals.Env, shared} {
		tb.ForEach(func(k, _ lua.LValue) {
			name := k.String()
			if globals.IsAlias(k) {
				name = strings.TrimLeft(name, "\x00")
			}
			found = append(found, name)
		})
	}
	return found
}

// Tools that do not run scripts know exactly the names that scripts can read. Redis adds the
// library debug and removes it.
func TestNamesAreThoseOfAVM(t *testing.T) {
	vm := New(Options{})
	var known []string
	for _, name := range GlobalNames() {
		known = append(known, name)
		for _, field := range LibraryFields(name) {
			known = append(known, name+"."+field)
			readable(t, vm, name+"."+field)
		}
		readable(t, vm, name)
	}
	require.Contains(t, known, "redis.call")
	require.ElementsMatch(t, known, namesOf(vm))
	require.NotContains(t, GlobalNames(), "debug")
}

func readable(t *testing.T, vm *VM, name string) {
	s, err := vm.Compile("return " + name + " ~= nil")
	require.NoError(t, err)
	require.Equal(t, int64(1), vm.Run(nil, s, nil, nil).MustInt(), name)
}
