package server

// CallStat counts the calls of one command.
type CallStat struct {
	Calls, Rejected, Failed int64
	Nanos                   int64
	Times                   histogram
}

// CallStats counts the calls of each command, by Spec.ID. Most engines call few commands, so the
// counters are allocated in pages when they are needed.
type CallStats struct {
	pages []*callPage
}

// log2 of the number of commands of a page.
const callPageBits = 2

type callPage [1 << callPageBits]CallStat

func newCallStats(commands int) CallStats {
	return CallStats{make([]*callPage, (commands+1<<callPageBits-1)>>callPageBits)}
}

// Of returns the counters of a command.
func (c *CallStats) Of(id int) *CallStat {
	if page := c.pages[id>>callPageBits]; page != nil {
		return &page[id&(1<<callPageBits-1)]
	}
	return c.first(id)
}

// first does the work of Of for a command whose page does not exist yet.
func (c *CallStats) first(id int) *CallStat {
	page := new(callPage)
	c.pages[id>>callPageBits] = page
	return &page[id&(1<<callPageBits-1)]
}

// Peek returns a copy of the counters of a command.
func (c *CallStats) Peek(id int) CallStat {
	if page := c.pages[id>>callPageBits]; page != nil {
		return page[id&(1<<callPageBits-1)]
	}
	return CallStat{}
}

// Reset sets all counters to zero. The pages stay: the command that resets them is still to be
// counted in its own.
func (c *CallStats) Reset() {
	for _, page := range c.pages {
		if page != nil {
			*page = callPage{}
		}
	}
}
