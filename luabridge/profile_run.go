package luabridge

import (
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

// profiling is what a VM needs to measure runs.
type profiling struct {
	costs   *machine.Profile          // nil until the first run that is measured
	names   map[*lua.LFunction]string // of library functions, in the state with number gen
	gen     int
	touched []*machine.Cost // by the last run
	last    *watched        // the text of the last run; nil: the run was not measured
}

// HotLine is the line of a script that took longest in one run.
type HotLine struct {
	SHA      string // SHA1 of the script
	File     string // its file, or ""
	Function string
	Line     int
	Time     time.Duration // of the line with its commands and library functions
	Run      time.Duration // of the whole run
}

// String returns "file:line, in function f (83% of 1.2ms)".
func (h HotLine) String() string {
	where := h.File
	if where == "" {
		where = h.SHA
	}
	return fmt.Sprintf("%s:%d, in function %s (%.0f%% of %v)", where, h.Line, h.Function,
		100*h.Time.Seconds()/max(h.Run.Seconds(), 1e-9), h.Run.Round(time.Microsecond))
}

// HotLine returns the line that took longest in the last run. ok is false if the run was not
// measured.
func (vm *VM) HotLine() (h HotLine, ok bool) {
	if vm.profiling.last == nil {
		return h, false
	}
	h = vm.profiling.last.hottest(vm.profiling.touched)
	return h, h.Line > 0
}

func (vm *VM) beginProfile(w *watched) {
	p := &vm.profiling
	if p.costs == nil {
		start := time.Now()
		p.costs = &machine.Profile{
			Now:   func() int64 { return int64(time.Since(start)) },
			Bytes: func() int64 { return vm.machine.Allocated() },
			Name:  vm.libraryName,
			Owns:  func(f *lua.FunctionProto) bool { _, own := vm.script.watch.origins[f]; return own },
		}
	}
	p.costs.Begin(w.root)
	vm.machine.Measure(p.costs)
}

func (vm *VM) endProfile(w *watched) {
	vm.machine.Measure(nil)
	p := &vm.profiling
	p.touched, p.last = p.costs.End(), w
	w.merge(p.touched)
}

// libraryName returns the name of a Go function that scripts can call.
func (vm *VM) libraryName(fn *lua.LFunction) string {
	p := &vm.profiling
	if p.names == nil || p.gen != vm.gen {
		p.names, p.gen = vm.globals.Functions(), vm.gen
	}
	if name := p.names[fn]; name != "" {
		return name
	}
	return "library function" // such as one that coroutine.wrap has made
}

// hottest returns the line that took longest. Commands and library functions count for the line
// that called them, functions of the script do not.
func (w *watched) hottest(touched []*machine.Cost) (hot HotLine) {
	type place struct {
		in   *lua.FunctionProto
		line int
	}
	sums := map[place]int64{}
	var run int64
	best := place{}
	for _, c := range touched {
		run += c.Last.Nanos
		at := c
		if at.In == nil && at.Caller != nil {
			at = at.Caller
		}
		if _, own := w.origins[at.In]; !own {
			continue
		}
		p := place{at.In, at.Line}
		sums[p] += c.Last.Nanos
		if s := sums[p]; s > sums[best] {
			best = p
		}
	}
	if best.in == nil {
		return hot
	}
	k := w.origins[best.in]
	k.line = best.line
	w.profile.mu.Lock()
	defer w.profile.mu.Unlock()
	f := w.profile.frame(k)
	return HotLine{SHA: f.SHA, File: f.File, Function: f.Function, Line: f.Line, Time: time.Duration(sums[best]), Run: time.Duration(run)}
}
