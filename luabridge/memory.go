package luabridge

import (
	"fmt"
	"runtime/metrics"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/addresses"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// A script's memory is the size of its reachable values, plus what library functions hold; see
// package budget. A walk over the values measures them. It is due when the program has allocated
// enough since the last walk, or when a library function is about to allocate much. Allocations of
// other goroutines may cause a walk, but never end a script.

// largeString is the length in bytes from which strings are processed in pieces.
const largeString = 1 << 20

// meter bounds the memory of scripts.
type meter struct {
	allocated uint64 // bytes the program had allocated at the last walk; 0: not asked yet in this run
	allowance int64  // bytes the program may allocate until the next walk
	large     int64  // bytes reserved since the last walk
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

// Approximate sizes in bytes.
const (
	functionSize = 112
	upvalueSize  = 64 + 8
)

// looksEvery is how many values are walked over between two looks at who wants attention.
const looksEvery = 1 << 13

// The memory of a chunk's code, about, in bytes: of a function, of an instruction with its place in
// the text, and of a local or upvalue.
const (
	codeSize        = 2048
	instructionSize = 4 + 8
	siteSize        = 8 + int64(unsafe.Sizeof(site{}))
	variableSize    = 64
)

// scale adds up the memory that values keep alive.
//
// A number or a short string keeps its block alive, and the bytes of a string keep all blocks that
// they are in; see package boxes. So scale counts blocks, each once, not values.
type scale struct {
	objects *addresses.Set // tables, functions and threads
	blocks  *addresses.Set
	todo    []lua.LValue
	sum     int64
	walks   int    // number of values visited
	look    func() // serves pending interrupts
}

// log2 of the granules: of the smallest object with an address of its own, and of a block.
const (
	objectShift = 4
	blockShift  = 9 // boxes.Block
)

// measure returns the memory of the values that the running script can reach, in bytes. It stops
// early when the sum exceeds enough.
func (vm *VM) measure(L *lua.LState, enough int64) int64 {
	s := scale{objects: addresses.New(objectShift), blocks: addresses.New(blockShift), look: vm.look}
	s.reach(vm.L)
	for th := L; th != nil; th = th.Parent {
		s.reach(th)
	}
	for _, g := range vm.guarded {
		s.reach(g.thread)
		s.reach(g.caller)
	}
	for _, th := range vm.spare {
		s.sum += machine.Footprint(th)
	}
	s.reach(vm.env)
	s.reach(vm.env.RawGetString("KEYS"))
	s.reach(vm.env.RawGetString("ARGV"))
	for len(s.todo) > 0 && s.sum <= enough {
		v := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		s.weigh(v)
	}
	vm.weighLoaded(&s)
	return s.sum
}

// weighLoaded adds what is remembered of the chunks that the script has loaded. Functions that the
// script no longer keeps are forgotten. Those of a library are not: functions that cannot be reached
// from the one that runs may keep them.
func (vm *VM) weighLoaded(s *scale) {
	if len(s.todo) > 0 {
		return // it is too much already
	}
	for p, o := range vm.loaded {
		if s.objects.Add(unsafe.Pointer(p)) {
			if !vm.opt.Functions && vm.evals == 0 {
				delete(vm.loaded, p)
				continue
			}
			s.code(p)
		}
		s.sum += int64(len(o.sites)) * siteSize
		if o.text != nil && s.objects.Add(unsafe.Pointer(o.text)) {
			s.reach(lua.LString(o.text.source))
			s.reach(lua.LString(o.text.name))
		}
	}
}

// prototype weighs the code of a function, and of those in it, once.
func (s *scale) prototype(p *lua.FunctionProto) {
	if p != nil && s.objects.Add(unsafe.Pointer(p)) {
		s.code(p)
		for _, inner := range p.FunctionPrototypes {
			s.prototype(inner)
		}
	}
}

// code weighs the code of one function.
func (s *scale) code(p *lua.FunctionProto) {
	s.sum += codeSize + int64(cap(p.Code))*instructionSize + int64(len(p.DbgLocals)+len(p.DbgUpvalues)+len(p.DbgCalls))*variableSize
	for _, c := range p.Constants {
		s.sum += 2 * int64(unsafe.Sizeof(c)) // gopher-lua keeps the strings a second time
		s.reach(c)
	}
}

// look serves pending interrupts during a walk. A stop order takes effect after the walk.
func (vm *VM) look() {
	if vm.attention.Load() && vm.opt.Attend != nil {
		vm.attention.Store(false)
		vm.opt.Attend()
	}
}

// reach takes v into account, once.
func (s *scale) reach(value lua.LValue) {
	if s.walks++; s.walks%looksEvery == 0 {
		s.look()
	}
	var p unsafe.Pointer
	switch v := value.(type) {
	case lua.LNumber:
		s.block(boxes.Address(value))
		return
	case lua.LString:
		if boxes.Shared(value) {
			s.block(boxes.Address(value))
		} else {
			s.sum += int64(unsafe.Sizeof(v))
		}
		if len(v) > 0 {
			s.sum += boxes.Block * int64(s.blocks.AddRange(unsafe.Pointer(unsafe.StringData(string(v))), len(v)))
		}
		return
	case *lua.LTable:
		p = unsafe.Pointer(v)
	case *lua.LFunction:
		p = unsafe.Pointer(v)
	case *lua.LState:
		p = unsafe.Pointer(v)
	default:
		return
	}
	if p != nil && s.objects.Add(p) {
		s.todo = append(s.todo, value)
	}
}

// block counts the block at an address.
func (s *scale) block(p unsafe.Pointer) {
	if s.blocks.Add(p) {
		s.sum += boxes.Block
	}
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
		s.prototype(v.Proto)
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
		s.sum += machine.Footprint(v)
		for _, r := range machine.Registers(v) {
			if r != nil {
				s.reach(r)
			}
		}
	}
}
