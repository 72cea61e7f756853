package luabridge

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// freshShared makes VMs with this kind of options find parts that no VM has used.
func freshShared(t *testing.T, kind sharedKind) {
	p := &sharedParts
	p.Lock()
	defer p.Unlock()
	if p.made == nil {
		p.made = map[sharedKind]*shared{}
	}
	p.made[kind] = newShared(kind)
	t.Cleanup(func() {
		p.Lock()
		defer p.Unlock()
		delete(p.made, kind)
	})
}

const walkMetatables = `
local function walk(v, seen)
  local n = 0
  if type(v) ~= 'table' or seen[v] then return n end
  seen[v] = true
  for k, e in pairs(v) do n = n + 1 + walk(k, seen) + walk(e, seen) end
  table.foreach(v, function() n = n + 1 end)
  if next(v) ~= nil then n = n + #v end
  return n + walk(getmetatable(v), seen)
end
local function all() return walk(getmetatable(''), {}) + walk(_G, {}) + walk(redis, {}) end
`

// The first walks over what VMs share happen at the same time. The race detector looks for tables
// that are not ready for it.
func TestFirstWalksAtOnce(t *testing.T) {
	const server, vms = servers.Valkey81, 16
	freshShared(t, sharedKind{server: server})
	freshShared(t, sharedKind{server: server, functions: true})
	var ready, all sync.WaitGroup
	ready.Add(2 * vms)
	counts := make([]int64, 2*vms)
	for i := range vms {
		all.Go(func() {
			vm := New(Options{Server: server.String()})
			defer vm.Close()
			s, err := vm.Compile(walkMetatables + "return all()")
			ready.Done()
			ready.Wait()
			if err != nil {
				t.Error(err)
				return
			}
			counts[i], _ = vm.Run(benchHost{}, s, nil, nil).Int()
		})
		all.Go(func() {
			vm := New(Options{Server: server.String(), Functions: true})
			defer vm.Close()
			lib, err := ParseLibrary("#!lua name=l\nlocal r = redis redis.register_function('f', function()\n" + walkMetatables +
				"return all() + walk(getmetatable(r), {}) + walk(r, {}) end)")
			if err == nil {
				err = vm.LoadLibrary(lib)
			}
			ready.Done()
			ready.Wait()
			if err != nil {
				t.Error(err)
				return
			}
			counts[vms+i], _ = vm.CallFunction(benchHost{}, lib.Functions[0], nil, nil).Int()
		})
	}
	all.Wait()
	for i := range vms {
		require.Positive(t, counts[i])
		require.Equal(t, counts[0], counts[i])
		require.Equal(t, counts[vms], counts[vms+i])
	}
}
