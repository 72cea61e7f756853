package replay

import (
	"slices"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// called are the commands that the scripts of an op have called.
type called struct {
	table  *cmdtable.Table
	specs  []*cmdtable.Spec // each once
	facts  facts            // of all of them together
	writes []use            // keys that were written
	reads  []use            // keys that were read
	more   bool             // there were too many keys to keep
}

// maxCalledKeys is the number of keys of a script that are kept.
const maxCalledKeys = 1 << 12

func (c *called) reset() {
	c.specs, c.writes, c.reads, c.facts, c.more = c.specs[:0], c.writes[:0], c.reads[:0], facts{}, false
}

// ran takes a command that has run. It is the probe of the engine, on the engine's goroutine.
func (c *called) ran(p engine.ProbedCommand, _ engine.Value) {
	if !p.Script {
		return
	}
	f := factsOf(c.table, p.Args)
	if f.spec == nil {
		return
	}
	if !slices.Contains(c.specs, f.spec) {
		c.specs = append(c.specs, f.spec)
		c.facts.order, c.facts.chance, c.facts.clock = c.facts.order ||
			f.order, c.facts.chance ||
			f.chance, c.facts.clock ||
			f.clock
		c.facts.server = c.facts.server || f.server && !p.Write
		c.facts.global = c.facts.global || f.global
	}
	if len(c.writes)+len(c.reads) >= maxCalledKeys {
		c.more = true
		return
	}
	for _, key := range p.Keys() {
		if p.Write {
			c.writes = append(c.writes, use{p.DB, key, true})
		} else {
			c.reads = append(c.reads, use{p.DB, key, false})
		}
	}
}
