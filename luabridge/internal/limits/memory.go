package limits

import (
	"fmt"
	"runtime/metrics"

	lua "github.com/yuin/gopher-lua"
)

// meter counts what may make a walk over the values of a run due.
type meter struct {
	allocated uint64 // bytes the program had allocated at the last walk; 0: not asked yet in this run
	allowance int64  // bytes the program may allocate until the next walk
	large     int64  // bytes reserved since the last walk
}

// ProgramAllocated returns the number of bytes that the program has allocated since it began.
func ProgramAllocated() uint64 {
	sample := [1]metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample[:])
	return sample[0].Value.Uint64()
}

// watchMemory ends the script if its values exceed the limit.
func (l *Limits) watchMemory(L *lua.LState) {
	limit := l.opt.MaxMemory
	if limit <= 0 {
		return
	}
	now := ProgramAllocated()
	if l.allocated == 0 {
		l.allocated, l.allowance = now, limit/2
		return
	}
	if int64(now-l.allocated) > l.allowance {
		l.needs(L)
	}
}

// reserving is called before library functions allocate n bytes, which they already hold.
func (l *Limits) reserving(L *lua.LState, n int64) {
	l.Poll(L)
	limit := l.opt.MaxMemory
	if limit <= 0 {
		return
	}
	if l.allowance == 0 {
		l.allowance = limit / 2
	}
	if l.large += n; l.large > l.allowance {
		l.needs(L)
	}
}

// needs measures the script's memory and ends the script if it exceeds the limit.
func (l *Limits) needs(L *lua.LState) {
	limit := l.opt.MaxMemory
	live := l.Budget.Held()
	if l.opt.HostMemory != nil {
		live += l.opt.HostMemory()
	}
	if live <= limit {
		live += l.opt.Measure(L, limit-live)
	}
	if live > limit {
		l.exceed(fmt.Sprintf("ERR Script stopped: it needs more than %d bytes of memory", limit))
	}
	l.Check(L)
	l.allocated, l.allowance, l.large = ProgramAllocated(), max(limit-live, limit/8), 0
}

// Look serves what has set the attention flag during a walk. An order takes effect after the walk.
func (l *Limits) Look() {
	if l.Attention.Load() && l.opt.Attend != nil {
		l.Attention.Store(false)
		l.opt.Attend()
	}
}
