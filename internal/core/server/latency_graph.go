package server

import (
	"fmt"
	"strings"
)

const (
	graphRows   = 4
	graphLevels = "_o#" // characters of one row, from low to high
)

// Graph returns the text of LATENCY GRAPH for the event. now is in seconds since the epoch.
func (e *latencyEvent) Graph(name string, now int64) string {
	low, high := e.Samples[0].Ms, e.Samples[0].Ms
	for _, s := range e.Samples {
		low, high = min(low, s.Ms), max(high, s.Ms)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s - high %d ms, low %d ms (all time high %d ms)\n%s\n", name, high, low, e.Max, strings.Repeat("-", 80))
	const steps = graphRows * len(graphLevels)
	span := max(1, high-low)
	for row := graphRows - 1; row >= 0; row-- {
		for _, s := range e.Samples {
			step := min(int((s.Ms-low)*int64(steps)/span), steps-1)
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
	ages := make([]string, len(e.Samples))
	longest := 0
	for i, s := range e.Samples {
		ages[i] = age(now - s.At)
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

// age formats a duration in seconds with the largest unit that fits.
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
