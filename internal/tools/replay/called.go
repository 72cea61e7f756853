package replay

// The commands that scripts call, and the keys that they use.

import (
	"slices"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// called are the commands that the scripts of an operation have called.
type called struct {
	table      *cmdtable.Table
	specs      []*cmdtable.Spec // each once
	facts      facts            // of all of them together
	writes     []keyUse         // keys that were written
	reads      []keyUse         // keys that were read
	incomplete bool             // there were too many keys to keep
}

// maxCalledKeys is the number of keys of a script that are kept.
const maxCalledKeys = 1 << 12

// reset forgets the commands of the operation before.
func (c *called) reset() {
	*c = called{table: c.table, specs: c.specs[:0], writes: c.writes[:0], reads: c.reads[:0]}
}

// probe notes a command that has run. The engine calls it, on its own goroutine.
func (c *called) probe(p engine.ProbedCommand, _ engine.Value) {
	if !p.Script {
		return
	}
	f := factsOf(c.table, p.Args)
	if f.spec == nil {
		return
	}
	if !slices.Contains(c.specs, f.spec) {
		c.specs = append(c.specs, f.spec)
		c.facts.order = c.facts.order || f.order
		c.facts.chance = c.facts.chance || f.chance
		c.facts.clock = c.facts.clock || f.clock
		c.facts.server = c.facts.server || (f.server && !p.Write)
		c.facts.global = c.facts.global || f.global
	}
	if len(c.writes)+len(c.reads) >= maxCalledKeys {
		c.incomplete = true
		return
	}
	for _, key := range p.Keys() {
		if p.Write {
			c.writes = append(c.writes, keyUse{p.DB, key, true})
		} else {
			c.reads = append(c.reads, keyUse{p.DB, key, false})
		}
	}
}
