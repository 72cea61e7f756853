package luabridge

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/heap"
)

// measure returns the memory of the values that the running script can reach, in bytes. It stops
// early when the sum exceeds enough.
func (vm *VM) measure(L *lua.LState, enough int64) int64 {
	s := heap.NewScale(vm.limits.Look)
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
		vm.chunks.weigh(s)
	}
	return s.Sum()
}

// weigh adds what is remembered of texts that the script has loaded. It forgets functions that the
// script no longer keeps. It does not forget those of a library or a tool, because functions that
// cannot be reached from the running one may keep them.
func (c *chunks) weigh(s *heap.Scale) {
	for p, o := range c.loaded {
		if s.First(unsafe.Pointer(p)) {
			if !c.vm.opt.Functions && c.vm.opt.tool == nil && c.vm.limits.Evals == 0 {
				delete(c.loaded, p)
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
