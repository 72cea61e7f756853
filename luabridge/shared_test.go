package luabridge

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/names"
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
	"github.com/redmoon-lua/redmoon/reply"
)

// everywhere are scripts that read, walk and try to change all that VMs share.
var everywhere = []string{
	`local n = 0 for _, lib in pairs(_G) do if type(lib) == 'table' then for k, v in pairs(lib) do n = n + 1 end end end return n`,
	`local n = 0 for k in next, string do n = n + #k end table.foreach(math, function(k) n = n + #k end) return n`,
	`for _, lib in pairs(_G) do
	  if type(lib) == 'table' and lib ~= KEYS and lib ~= ARGV then
	    pcall(function() lib.x = 1 end) pcall(rawset, lib, 'x', 1) pcall(table.insert, lib, 1) pcall(table.sort, lib)
	    local t = setmetatable({}, lib)
	    pcall(function() getmetatable(t).x = 1 end) pcall(setmetatable, getmetatable(t), nil) pcall(rawset, getmetatable(t), 1, 1)
	    pcall(function() getmetatable(lib).__index = nil end)
	  end
	end
	pcall(function() getmetatable('').__index = nil end)
	return tostring(string.x)`,
	`local w = setmetatable({string, redis.call, _G, {}}, {__mode = 'kv'}) collectgarbage() return {type(w[1]), type(w[2]), type(w[4])}`,
	`local s = ('x'):rep(100):gsub('x', string.upper)
	return {s, cjson.encode(cjson.decode('{"a":[1,2,{"b":null}]}')), cmsgpack.unpack(cmsgpack.pack({1, 2}))}`,
	`cjson.encode_max_depth(5) math.randomseed(7) return {math.random(100), math.random(100), cjson.encode_max_depth(), bit.tohex(255)}`,
	`local co = coroutine.wrap(function(a) for i = 1, 3 do a = coroutine.yield(a + i) end end) return {co(1), co(2), co(3)}`,
	`local ok, e = pcall(error, {err = 'E'}) return {tostring(ok), tostring(e), select(2, pcall(function() return nope end))}`,
	`local f = loadstring('local a = ... return a + 1') return {f(1), #string.dump(f), #string.dump(function() return 1 end)}`,
	`local t = {} for i = 1, 200 do t['k' .. i] = i end local n = 0 for k, v in pairs(t) do n = n + v end
	return {n, struct.size('>I4'), #KEYS, ARGV[1]}`,
	`redis.breakpoint() local a, b = 1, {2} redis.debug(a, b) return redis.sha1hex('x')`,
}

// picture is a text of everything that is in the tables from a value on, with identities.
func picture(v lua.LValue) string {
	var b strings.Builder
	seen := map[lua.LValue]bool{}
	var add func(v lua.LValue)
	add = func(v lua.LValue) {
		switch v := v.(type) {
		case *lua.LTable:
			fmt.Fprintf(&b, "%p{", v)
			if seen[v] {
				return
			}
			seen[v] = true
			for _, e := range tables.Entries(v, nil) {
				add(e.Key)
				add(e.Value)
			}
			b.WriteString("}<")
			add(v.Metatable)
			b.WriteString(">")
		case *lua.LFunction:
			fmt.Fprintf(&b, "%p %p %v %v;", v, v.GFunction, v.Env == nil, v.Upvalues)
		case *lua.LUserData:
			fmt.Fprintf(&b, "%p %v %v;", v, v.Value, v.Metatable)
		default:
			fmt.Fprintf(&b, "%v;", v)
		}
	}
	add(v)
	return b.String()
}

// TestManyVMsAtOnce runs scripts on many goroutines, which find and leave everything as if each was
// alone. The race detector looks for changes of what they share.
func TestManyVMsAtOnce(t *testing.T) {
	keys, argv := []string{"k"}, []string{"a", "b"}
	run := func(vm *VM) []string {
		var got []string
		for _, source := range everywhere {
			s, err := vm.Compile(source)
			if err != nil {
				got = append(got, err.Error())
				continue
			}
			v := vm.Run(benchHost{}, s, keys, argv)
			got = append(got, v.String())
			vm.measure(vm.L, 1<<40)
		}
		return got
	}
	alone := New(Options{})
	defer alone.Close()
	want := run(alone)
	for i, text := range want {
		require.NotContains(t, text, "ERR", everywhere[i])
	}
	require.Equal(t, `"nil"`, want[2], "a script has changed a library")
	before := picture(alone.common.globals.Get("string")) + picture(alone.globals.Env.Metatable)
	var all sync.WaitGroup
	results := make([][]string, 24)
	for i := range results {
		all.Go(func() {
			vm := New(Options{MaxMemory: 64 << 20})
			defer vm.Close()
			if i%3 == 0 {
				vm.Debug(&watchingDebugger{})
			}
			for range 3 {
				results[i] = run(vm)
				vm.SetState(State{})
				vm.Reset()
			}
		})
	}
	all.Wait()
	for _, got := range results {
		require.Equal(t, want, got)
	}
	require.Equal(t, before, picture(alone.common.globals.Get("string"))+picture(alone.globals.Env.Metatable))
}

// watchingDebugger reads what a debugger can read at each line.
type watchingDebugger struct{ lines int }

func (d *watchingDebugger) Line(s *Stack, _ int) {
	d.lines++
	for _, f := range s.Frames() {
		f.Locals()
		f.Upvalues()
	}
	s.Globals().Fields()
}
func (d *watchingDebugger) Call(*Stack, []string)               {}
func (d *watchingDebugger) Reply(*Stack, []string, reply.Value) {}
func (d *watchingDebugger) Raise(*Stack, Value, bool)           {}
func (d *watchingDebugger) Complain(*Stack, string)             {}
func (d *watchingDebugger) Breakpoint(*Stack) bool              { return false }
func (d *watchingDebugger) Print(*Stack, []Value)               {}
func (d *watchingDebugger) Log(*Stack, int, string)             {}

// TestFunctionVMsAtOnce is the same for libraries of functions, which see other globals while they
// are loaded.
func TestFunctionVMsAtOnce(t *testing.T) {
	const source = "#!lua name=l\nlocal r = redis redis.register_function('f', function(keys, args)\n" +
		"local n = 0 for _, lib in pairs(_G) do if type(lib) == 'table' then for k in pairs(lib) do n = n + 1 end end end\n" +
		"pcall(function() r.x = 1 end) for k in pairs(r) do n = n + 1 end\n" +
		"return {n, tostring(rawget(r, 'x')), type(getmetatable(r)), keys[1], tostring(pcall(function() return KEYS end))} end)"
	run := func(vm *VM) string {
		lib, err := ParseLibrary(source)
		if err == nil {
			err = vm.LoadLibrary(lib)
		}
		if err != nil {
			return err.Error()
		}
		return vm.CallFunction(benchHost{}, lib.Functions[0], []string{"k"}, nil).String()
	}
	alone := New(Options{Functions: true})
	defer alone.Close()
	want := run(alone)
	require.Contains(t, want, "table")
	before := picture(alone.globals.Env)
	var all sync.WaitGroup
	results := make([]string, 16)
	for i := range results {
		all.Go(func() {
			vm := New(Options{Functions: true})
			defer vm.Close()
			for range 3 {
				results[i] = run(vm)
			}
		})
	}
	all.Wait()
	for _, got := range results {
		require.Equal(t, want, got)
	}
	require.Equal(t, before, picture(alone.globals.Env))
}

// VMs that follow another server have its constants and its names.
func TestServersDifferInWhatScriptsReach(t *testing.T) {
	for _, server := range servers.All() {
		vm := New(Options{Server: server.String()})
		s, err := vm.Compile("return {redis.REDIS_VERSION, rawget(_G, 'server') == redis and server.VALKEY_VERSION or 'none'}")
		require.NoError(t, err)
		got := vm.Run(benchHost{}, s, nil, nil).Slice()
		require.Equal(t, server.RedisRelease(), got[0].Text())
		if server.Kind() == servers.Valkey && server != servers.Valkey72 {
			require.Equal(t, server.Release(), got[1].Text())
		}
		inventory := vm.Inventory()
		require.True(t, slices.IsSorted(inventory))
		for _, name := range names.Globals(server) {
			require.Contains(t, inventory, name, server)
			for _, field := range names.Fields(name, server) {
				require.Contains(t, inventory, name+"."+field, server)
			}
		}
		require.Equal(t, inventory, slices.Compact(slices.Clone(inventory)))
		vm.Close()
	}
	require.Panics(t, func() { New(Options{Server: "redis-1.0"}) })
}
