package command

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

const (
	graphRows   = 4
	graphLevels = "_o#" // of one row, from low to high
)

// latencyGraph draws the samples of an event as columns, each above its age.
func latencyGraph(c *Ctx) reply.Value {
	e := c.Server.latency.events[c.Args[2]]
	if e == nil {
		return reply.Errorf("ERR No samples available for event '%s'", oneLine(cut(c.Args[2], len(c.Args[2]))))
	}
	return reply.Verbatim("txt", e.graph(c.Args[2], c.Now()/1000))
}

func (e *latencyEvent) graph(name string, now int64) string {
	low, high := e.samples[0].ms, e.samples[0].ms
	for _, s := range e.samples {
		low, high = min(low, s.ms), max(high, s.ms)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s - high %d ms, low %d ms (all time high %d ms)\n%s\n", name, high, low, e.max, strings.Repeat("-", 80))
	const steps = graphRows * len(graphLevels)
	span := max(1, high-low)
	for row := graphRows - 1; row >= 0; row-- {
		for _, s := range e.samples {
			step := min(int((s.ms-low)*int64(steps)/span), steps-1)
			switch level := step - row*len(graphLevels); {
			case level < 0:
				b.WriteByte(' ')
			case level < len(graphLevels):
				b.WriteByte(graphLevels[level])
			default:
				b.WriteByte('|')
			}
		}
		b.WriteByte('\n')
	}
	ages := make([]string, len(e.samples))
	longest := 0
	for i, s := range e.samples {
		ages[i] = age(now - s.at)
		longest = max(longest, len(ages[i]))
	}
	b.WriteString(strings.Repeat(" ", len(ages)) + "\n")
	for i := range longest {
		for _, a := range ages {
			if i < len(a) {
				b.WriteByte(a[i])
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// age is a time in seconds with the largest unit that fits.
func age(seconds int64) string {
	switch {
	case seconds < 60:
		return fmt.Sprintf("%ds", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%dm", seconds/60)
	case seconds < 86400:
		return fmt.Sprintf("%dh", seconds/3600)
	}
	return fmt.Sprintf("%dd", seconds/86400)
}
