package luabridge

import (
	"fmt"
	"runtime/metrics"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// A script's memory is what its values take that can be reached. Whether to walk over them is decided by how much the
// program has allocated since the last walk, which is read when attention is given, and by the long strings that are about to be
// built. So what other goroutines allocate may bring about a walk, and never the end of a script.

// largeString is the length in bytes from which a string is accounted for before it is built.
const largeString = 1 << 20

// meter bounds the memory of scripts.
type meter struct {
	allocated uint64 // bytes the program had allocated at the last walk; 0: not asked yet in this run
	allowance int64  // bytes the program may allocate until the next walk
	large     int64  // bytes of long strings since the last walk
}

// newRun forgets what is known of the run before.
func (m *meter) newRun() { *m = meter{} }

// programAllocated is how many bytes the program has allocated since it began.
func programAllocated() uint64 {
	sample := [1]metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample[:])
	return sample[0].Value.Uint64()
}

// watchMemory ends the script when its values take more than they may.
func (vm *VM) watchMemory(L *lua.LState) {
	limit := vm.opt.MaxMemory
	if limit <= 0 {
		return
	}
	now := programAllocated()
	if vm.allocated == 0 {
		vm.allocated, vm.allowance = now, limit/2
	}
	if int64(now-vm.allocated) > vm.allowance {
		vm.needs(L, 0)
	}
}

// reserve is called before n bytes are taken at once, from largeString on.
func (vm *VM) reserve(L *lua.LState, n int) {
	vm.poll(L)
	limit := vm.opt.MaxMemory
	if limit <= 0 {
		return
	}
	if vm.large += int64(n); vm.large > limit/8 {
		vm.needs(L, int64(n))
	}
}

// needs ends the script when its values and n bytes more are too much.
func (vm *VM) needs(L *lua.LState, n int64) {
	limit := vm.opt.MaxMemory
	live := n
	if n <= limit {
		live += vm.measure(L, limit-n)
	}
	if live > limit {
		vm.exceed(&stopOrder{text: fmt.Sprintf("ERR Script stopped: it needs more than %d bytes of memory", limit)})
	}
	vm.mustRun(L)
	vm.allocated, vm.allowance, vm.large = programAllocated(), max(limit-live, limit/8), 0
}

// What values take, about, in bytes.
const (
	stringSize   = 16
	functionSize = 96
	upvalueSize  = 56
	threadSize   = 4096
	valueSize    = 16
)

// looksEvery is how many values are walked over between two looks at who wants attention.
const looksEvery = 1 << 13

// scale adds up what values take.
type scale struct {
	seen  map[unsafe.Pointer]struct{}
	todo  []lua.LValue
	sum   int64
	walks int    // values walked over
	look  func() // looks at who wants attention
}

// measure adds up what the values take that the running script can reach. It stops when they take more than enough.
func (vm *VM) measure(L *lua.LState, enough int64) int64 {
	s := scale{seen: map[unsafe.Pointer]struct{}{}, look: func() {
		if vm.attention.Load() && vm.opt.Attend != nil {
			vm.attention.Store(false)
			vm.opt.Attend()
		}
	}}
	s.reach(vm.L)
	for th := L; th != nil; th = th.Parent {
		s.reach(th)
	}
	for _, g := range vm.guarded {
		s.reach(g.thread)
		s.reach(g.caller)
	}
	s.reach(vm.env)
	s.reach(vm.env.RawGetString("KEYS"))
	s.reach(vm.env.RawGetString("ARGV"))
	for len(s.todo) > 0 && s.sum <= enough {
		v := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		s.weigh(v)
	}
	return s.sum
}

// reach takes v into account, once.
func (s *scale) reach(v lua.LValue) {
	if s.walks++; s.walks%looksEvery == 0 {
		s.look()
	}
	var p unsafe.Pointer
	switch v := v.(type) {
	case lua.LString:
		if len(v) < 2*stringSize {
			s.sum += int64(stringSize + len(v))
			return
		}
		p = unsafe.Pointer(unsafe.StringData(string(v)))
	case *lua.LTable:
		p = unsafe.Pointer(v)
	case *lua.LFunction:
		p = unsafe.Pointer(v)
	case *lua.LState:
		p = unsafe.Pointer(v)
	default:
		return
	}
	if _, ok := s.seen[p]; ok || p == nil {
		return
	}
	s.seen[p] = struct{}{}
	if text, ok := v.(lua.LString); ok {
		s.sum += int64(stringSize + len(text))
		return
	}
	s.todo = append(s.todo, v)
}

// weigh adds what v takes and reaches what it holds.
func (s *scale) weigh(v lua.LValue) {
	switch v := v.(type) {
	case *lua.LTable:
		s.sum += tables.Footprint(v)
		s.reach(v.Metatable)
		tables.Visit(v, func(key, value lua.LValue) {
			s.reach(key)
			s.reach(value)
		})
	case *lua.LFunction:
		s.sum += functionSize
		for _, up := range v.Upvalues {
			if up != nil {
				s.sum += upvalueSize
				s.reach(up.Value())
			}
		}
		if v.Env != nil {
			s.reach(v.Env)
		}
	case *lua.LState:
		s.sum += threadSize + int64(machine.Room(v)*valueSize)
		for _, r := range machine.Registers(v) {
			if r != nil {
				s.reach(r)
			}
		}
	}
}
