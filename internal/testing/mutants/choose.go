package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
)

// A choice holds the chosen mutants and, for each folder, the places that may replace one of them.
type choice struct {
	mutants []*mutant
	spare   map[string][]*place
	used    map[string][]*mutant // by file
	dropped int
}

// chooseBySeed takes the same number of places in each folder. A folder that has fewer gives all,
// and the rest is divided among the others.
func chooseBySeed(places []*place, count int, seed uint64) *choice {
	c := &choice{spare: map[string][]*place{}, used: map[string][]*mutant{}}
	for _, p := range places {
		c.spare[p.folder] = append(c.spare[p.folder], p)
	}
	for _, list := range c.spare {
		slices.SortFunc(list, func(a, b *place) int {
			return cmp.Or(cmp.Compare(rank(seed, a), rank(seed, b)), cmp.Compare(a.identity.String(), b.identity.String()))
		})
	}
	for len(c.mutants) < count {
		before := len(c.mutants)
		for _, f := range folders { // one more of each folder
			if len(c.mutants) < count {
				c.add(f)
			}
		}
		if len(c.mutants) == before {
			break
		}
	}
	return c
}

// rank orders places at random, but always in the same way.
func rank(seed uint64, p *place) uint64 {
	h := fnv.New64a()
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	h.Write(b[:])
	io.WriteString(h, p.identity.String())
	x := h.Sum64() // FNV mixes its last bytes badly
	x ^= x >> 31
	x *= 0x9e3779b97f4a7c15
	return x ^ x>>32
}

// chooseOnly takes places by their identities. It returns those that the tree does not have.
func chooseOnly(places []*place, wanted []identity) (*choice, []identity) {
	c := &choice{spare: map[string][]*place{}, used: map[string][]*mutant{}}
	have := map[identity]*place{}
	for _, p := range places {
		have[p.identity] = p
	}
	var missing []identity
	for _, i := range wanted {
		if p := have[i]; p == nil || c.overlaps(p) {
			missing = append(missing, i)
		} else {
			c.take(p)
		}
	}
	return c, missing
}

// add takes the next place of a folder, if there is one.
func (c *choice) add(folder string) {
	for len(c.spare[folder]) > 0 {
		p := c.spare[folder][0]
		c.spare[folder] = c.spare[folder][1:]
		if !c.overlaps(p) {
			c.take(p)
			return
		}
	}
}

func (c *choice) take(p *place) {
	m := &mutant{place: p, id: len(c.mutants) + 1 + c.dropped}
	c.mutants = append(c.mutants, m)
	c.used[p.path] = append(c.used[p.path], m)
}

// overlaps reports whether a place and a chosen one are inside each other.
func (c *choice) overlaps(p *place) bool {
	return slices.ContainsFunc(c.used[p.path], func(m *mutant) bool { return p.start < m.end && m.start < p.end })
}

// drop removes a mutant that does not compile and takes another one of the same folder.
func (c *choice) drop(m *mutant) {
	is := func(other *mutant) bool { return other == m }
	c.mutants = slices.DeleteFunc(c.mutants, is)
	c.used[m.path] = slices.DeleteFunc(c.used[m.path], is)
	c.dropped++
	c.add(m.folder)
}

// at returns the mutant whose code is on a line of a rewritten file.
func (c *choice) at(file string, line int) (*mutant, error) {
	for _, m := range c.used[file] {
		if m.first <= line && line <= m.last {
			return m, nil
		}
	}
	return nil, fmt.Errorf("no mutant is at %s:%d", file, line)
}
