package luabridge

import (
	"crypto/sha1"
	"encoding/hex"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

// watched is what is counted and measured of a text when it runs. It belongs to the VM that runs
// the text.
type watched struct {
	text    *coveredText // nil: nothing is counted
	counted machine.Counted
	counts  []*machine.Counters // of each function

	profile *Profile // nil: nothing is measured
	root    *machine.Cost
	origins map[*lua.FunctionProto]frameKey
}

// watches reports whether texts are counted or measured.
func (l CompileLimits) watches() bool { return l.Coverage != nil || l.Profile != nil }

// watch makes a compiled text one that is counted and measured. shift is the number of bytes of the
// source before the compiled text.
func (l CompileLimits) watch(c *code, source string, library bool, shift int) {
	if !l.watches() {
		return
	}
	sum := sha1.Sum([]byte(source))
	sha := hex.EncodeToString(sum[:])
	functions := functionsOf(c.proto, nil)
	c.watch = &watched{}
	if l.Coverage != nil {
		c.watch.cover(l.Coverage, &coveredText{sha: sha, source: source, library: library, shift: shift, functions: c.places}, functions)
	}
	if l.Profile != nil {
		c.watch.measure(l.Profile, sha, functions, c.places)
	}
	c.places = nil
}

// functionsOf returns a function and those in it, in the order in which they begin in the text.
func functionsOf(p *lua.FunctionProto, list []*lua.FunctionProto) []*lua.FunctionProto {
	list = append(list, p)
	for _, inner := range p.FunctionPrototypes {
		list = functionsOf(inner, list)
	}
	return list
}

// cover makes w count a text for c.
func (w *watched) cover(c *Coverage, t *coveredText, functions []*lua.FunctionProto) {
	for _, p := range functions {
		w.counts = append(w.counts, w.counted.Add(p))
		t.totals = append(t.totals, make([]uint64, 2*len(p.Code)))
		t.lines = append(t.lines, [2]int{p.LineDefined, p.LastLineDefined})
	}
	w.text = c.add(t)
}

// begin begins to watch a run on vm.
func (w *watched) begin(vm *VM) {
	if w.text != nil {
		vm.machine.Count(&w.counted)
	}
	if w.profile != nil {
		vm.beginProfile(w)
	}
}

// end ends the run. The counts become visible to others.
func (w *watched) end(vm *VM) {
	if w.text != nil {
		vm.machine.Count(nil)
		w.text.add(w.counts)
	}
	if w.profile != nil {
		vm.endProfile(w)
	}
}

// add adds counters to the totals, and clears them.
func (t *coveredText) add(counts []*machine.Counters) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, c := range counts {
		if !c.Touched {
			continue
		}
		c.Touched = false
		totals := t.totals[i]
		for j, n := range c.N {
			if n != 0 {
				totals[j] += n
				c.N[j] = 0
			}
		}
	}
}
