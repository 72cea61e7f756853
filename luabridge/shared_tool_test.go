package luabridge

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// runTool runs code on a tool and returns the texts of the results, or that of the error.
func runTool(tool *Tool, code string) (texts []string) {
	fn, err := tool.Load("f.lua", code)
	if err != nil {
		return []string{err.Error()}
	}
	values, err := tool.Call(fn)
	if err != nil {
		return []string{err.Error()}
	}
	for _, v := range values {
		texts = append(texts, v.raw().String())
	}
	return texts
}

// meddle changes everything that the code of a tool can change.
const meddle = `
local type = type
for name, lib in pairs(_G) do
  if type(lib) == 'table' and lib ~= _G then
    for k in pairs(lib) do lib[k] = 'changed' end
    lib.mine = name
    setmetatable(lib, {__index = function() return 'missing' end})
  end
end
local mt = getmetatable('')
mt.__index = function(s) return 'method of ' .. s end
for name, fn in pairs(_G) do
  if type(fn) == 'function' then _G[name] = false end
end
mine = 1
return string.len, string.nosuch, ('x').len, mine`

// What the code of a tool does to its libraries reaches neither another tool nor scripts.
func TestToolsHaveTheirOwnLibraries(t *testing.T) {
	vm, functions := New(Options{}), New(Options{Functions: true})
	defer vm.Close()
	defer functions.Close()
	all := func() string {
		return picture(vm.globals.Env) + picture(vm.L.GetMetatable(lua.LString(""))) +
			picture(functions.globals.Env)
	}
	before := all()
	tool, other := NewTool(ToolOptions{}), NewTool(ToolOptions{})
	defer tool.Close()
	defer other.Close()
	require.Equal(t, []string{"changed", "missing", "method of x", "1"}, runTool(tool, meddle))
	require.Equal(t, before, all())

	const look = "return string.len('abc'), ('x'):rep(2), tostring(mine), cjson.encode({1})"
	want := []string{"3", "xx", "nil", "[1]"}
	require.Equal(t, want, runTool(other, look))
	later := NewTool(ToolOptions{})
	defer later.Close()
	require.Equal(t, want, runTool(later, look))
	s, err := vm.Compile("return string.len('abc') .. ('x'):rep(2) .. " +
		"tostring(rawget(_G, 'mine')) .. cjson.encode({1})")
	require.NoError(t, err)
	require.Equal(t, "3xxnil[1]", vm.Run(benchHost{}, s, nil, nil).Text())
}

// A program may run tools and scripts on many goroutines. The race detector looks for changes of
// what they share.
func TestToolsAndVMsAtOnce(t *testing.T) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			tool := NewTool(ToolOptions{ShufflePairs: 7})
			defer tool.Close()
			if got := runTool(tool, meddle); got[0] != "changed" {
				t.Error(got)
			}
		})
		all.Go(func() {
			vm := New(Options{ShufflePairs: 7})
			defer vm.Close()
			for _, source := range everywhere {
				if s, err := vm.Compile(source); err == nil {
					vm.Run(benchHost{}, s, []string{"k"}, []string{"a"})
				}
			}
		})
	}
	all.Wait()
}

// collectgarbage keeps what the globals of a tool have, and the libraries.
func TestToolCollectsOnlyGarbage(t *testing.T) {
	tool := NewTool(ToolOptions{})
	defer tool.Close()
	require.Equal(t, []string{"table", "table", "function", "table", "nil"}, runTool(tool, `
kept = {inner = {}}
local weak = setmetatable({kept, kept.inner, string.len, string, {}}, {__mode = 'v'})
collectgarbage()
return type(weak[1]), type(weak[2]), type(weak[3]), type(weak[4]), type(weak[5])`))
	require.Equal(t, []string{"nil"}, runTool(tool, `
weak = setmetatable({{}}, {__mode = 'v'})
collectgarbage()
return type(weak[1])`))
}
