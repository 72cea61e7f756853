package play

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/tools/explore"
)

// serialEnd is the end of an order in which the clients run one after the other.
type serialEnd struct {
	blocks []int // clients, and the clock between them
	end    string
}

// maxSerial is the largest number of serial orders that are run.
const maxSerial = 5000

// findSerialEnds runs the serial orders of the clients that take part, if that has not been done.
func (g *game) findSerialEnds(out explore.Actors) error {
	for i, c := range g.Clients {
		if c.Crashes {
			out |= explore.Set(g.crash(i))
		}
	}
	if _, ok := g.serial[out]; ok {
		return nil
	}
	g.outside = true
	defer func() { g.outside = false }()
	orders := g.serialOrders(out)
	if len(orders) > maxSerial {
		return fmt.Errorf("in Serializable: there are more than %d serial orders of these clients and ticks", maxSerial)
	}
	ends := []serialEnd{}
	for _, blocks := range orders {
		g.end = ""
		r, err := explore.Serial(g, out, blocks)
		if err != nil {
			return err
		}
		if r.Broken == nil {
			ends = append(ends, serialEnd{blocks, g.end})
		}
	}
	g.serial[out] = ends
	return nil
}

// serialOrders returns the orders of the clients that take part, with the ticks of the clock
// anywhere between them.
func (g *game) serialOrders(out explore.Actors) (orders [][]int) {
	ticks := len(g.Ticks)
	if out.Has(g.clock()) {
		ticks = 0
	}
	var extend func(blocks []int, used explore.Actors, ticks int)
	extend = func(blocks []int, used explore.Actors, ticks int) {
		if len(orders) > maxSerial {
			return
		}
		more := false
		for i := range g.Clients {
			if !out.Has(i) && !used.Has(i) {
				more = true
				extend(append(slices.Clone(blocks), i), used|explore.Set(i), ticks)
			}
		}
		if ticks > 0 {
			more = true
			extend(append(slices.Clone(blocks), g.clock()), used, ticks-1)
		}
		if !more {
			orders = append(orders, blocks)
		}
	}
	extend(nil, 0, ticks)
	return orders
}

// endText describes the end of an order: the keyspace, and what the clients have noted.
func (g *game) endText() (string, error) {
	ks, err := keyspaceOf(g.host.Engine, true)
	if err != nil {
		return "", err
	}
	return ks.String() + g.notesText(), nil
}

func (g *game) notesText() string {
	var b strings.Builder
	for _, a := range g.actors {
		for _, n := range a.notes {
			fmt.Fprintf(&b, "  %s noted %s: %v\n", a.Name, n.name, n.value)
		}
	}
	return b.String()
}

// checkSerial compares the end of an order with those of the serial orders.
func (g *game) checkSerial() error {
	if g.crashes != 0 {
		for i := range g.Clients {
			if g.actors[i].crashed {
				return nil // no serial order ends like this
			}
		}
	}
	end, err := g.endText()
	if err != nil {
		return err
	}
	out := g.out
	for i, c := range g.Clients {
		if c.Crashes {
			out |= explore.Set(g.crash(i))
		}
	}
	same := []serialEnd{}
	for _, s := range g.serial[out] {
		if s.end == end {
			same = append(same, s)
		}
	}
	switch {
	case len(same) == 0:
		return &explore.Broken{Kind: kindSerializable, Err: errors.New("no order in which the clients run one after the other ends like this:\n" +
			strings.TrimSuffix(end, "\n"))}
	case g.Linearizable && !slices.ContainsFunc(same, g.inTime):
		return &explore.Broken{Kind: kindSerializable, Err: fmt.Errorf("this ends as if the clients had run in the order %s, "+
			"but one had ended before another began", g.names(same[0].blocks))}
	}
	return nil
}

// inTime reports whether s runs no block earlier than one that had ended when it began.
func (g *game) inTime(s serialEnd) bool {
	type span struct{ first, last int }
	spans := make([]span, len(s.blocks))
	ticks := 0
	for i, actor := range s.blocks {
		spans[i] = span{-1, -1}
		tick := 0
		for n, e := range g.steps {
			switch {
			case actor == g.clock() && e.Actor == actor:
				if tick++; tick == ticks+1 {
					spans[i] = span{n, n}
				}
			case actor != g.clock() && (e.Actor == actor || slices.Contains(e.Wakes, actor)):
				if spans[i].last = n; spans[i].first < 0 {
					spans[i].first = n
				}
			}
		}
		if actor == g.clock() {
			ticks++
		}
	}
	for i, later := range spans {
		for _, earlier := range spans[:i] {
			if later.last >= 0 && later.last < earlier.first {
				return false
			}
		}
	}
	return true
}

func (g *game) names(actors []int) string {
	names := make([]string, len(actors))
	for i, a := range actors {
		names[i] = g.nameOf(a)
	}
	return strings.Join(names, ", ")
}
