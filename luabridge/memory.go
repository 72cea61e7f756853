package luabridge

import (
	"fmt"
	"runtime/metrics"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/heap"
)

// A script's memory is the size of its reachable values, plus what library functions hold; see
// package budget. A walk over the values measures them. It is due when the program has allocated
// enough since the last walk, or when a library function is about to allocate much. Allocations of
// other goroutines may cause a walk, but never end a script.

// largeString is the length in bytes from which strings are processed in pieces.
const largeString = 1 << 20

// meter limits the memory of scripts.
type meter struct {
	allocated uint64 // bytes the program had allocated at the last walk; 0: not asked yet in this run
	allowance int64  // bytes the program may allocate until the next walk
	large     int64  // bytes reserved since the last walk
}

// newRun resets the meter for another run.
func (m *meter) newRun() { *m = meter{} }

// programAllocated returns the number of bytes that the program has allocated since it began.
func programAllocated() uint64 {
	sample := [1]metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample[:])
	return sample[0].Value.Uint64()
}

// watchMemory ends the script if its values exceed the limit.
func (vm *VM) watchMemory(L *lua.LState) {
	limit := vm.opt.MaxMemory
	if limit <= 0 {
		return
	}
	now := programAllocated()
	if vm.allocated == 0 {
		vm.allocated, vm.allowance = now, limit/2
		return
	}
	if int64(now-vm.allocated) > vm.allowance {
		vm.needs(L)
	}
}

// reserving is called before library functions allocate n bytes, which they already hold.
func (vm *VM) reserving(L *lua.LState, n int64) {
	vm.poll(L)
	limit := vm.opt.MaxMemory
	if limit <= 0 {
		return
	}
	if vm.allowance == 0 {
		vm.allowance = limit / 2
	}
	if vm.large += n; vm.large > vm.allowance {
		vm.needs(L)
	}
}

// reserve is called before n bytes are allocated that no library function holds.
func (vm *VM) reserve(L *lua.LState, n int) { vm.budget.Ask(L, n) }

// needs measures the script's memory and ends the script if it exceeds the limit.
func (vm *VM) needs(L *lua.LState) {
	limit := vm.opt.MaxMemory
	live := vm.budget.Held()
	if live <= limit {
		live += vm.measure(L, limit-live)
	}
	if live > limit {
		vm.exceed(&stopOrder{text: fmt.Sprintf("ERR Script stopped: it needs more than %d bytes of memory", limit)})
	}
	vm.mustRun(L)
	vm.allocated, vm.allowance, vm.large = programAllocated(), max(limit-live, limit/8), 0
}

// measure returns the memory of the values that the running script can reach, in bytes. It stops
// early when the sum exceeds enough.
func (vm *VM) measure(L *lua.LState, enough int64) int64 {
	s := heap.NewScale(vm.look)
	s.Reach(vm.L)
	for th := L; th != nil; th = th.Parent {
		s.Reach(th)
	}
	for _, g := range vm.guarded {
		s.Reach(g.thread)
		s.Reach(g.caller)
	}
	for _, th := range vm.spare {
		s.AddThread(th)
	}
	s.Reach(vm.globals.Env)
	s.Reach(vm.globals.Env.RawGetString("KEYS"))
	s.Reach(vm.globals.Env.RawGetString("ARGV"))
	if s.Weigh(enough) {
		vm.weighLoaded(s)
	}
	return s.Sum()
}

// weighLoaded adds what the VM remembers of texts that the script has loaded. It forgets functions
// that the script no longer keeps. It does not forget those of a library, because functions that
// cannot be reached from the running one may keep them.
func (vm *VM) weighLoaded(s *heap.Scale) {
	for p, o := range vm.loaded {
		if s.First(unsafe.Pointer(p)) {
			if !vm.opt.Functions && vm.debug.evals == 0 {
				delete(vm.loaded, p)
				continue
			}
			s.Code(p)
		}
		if o.text != nil && s.First(unsafe.Pointer(o.text)) {
			s.Reach(lua.LString(o.text.source))
			s.Reach(lua.LString(o.text.name))
		}
	}
}

// look serves pending interrupts during a walk. A stop order takes effect after the walk.
func (vm *VM) look() {
	if vm.attention.Load() && vm.opt.Attend != nil {
		vm.attention.Store(false)
		vm.opt.Attend()
	}
}
