package main

import (
	"io"
	"math/rand/v2"
	"time"
)

// controlReads is how many lines of memory a step of the control reads: about what the two commands of a step of HSET and HGET read in a
// large hash (slots of the index, the element, the bytes of its field and value).
const controlReads = 5

// line is what a processor reads of memory at a time.
type line [64]byte

// runControl measures what the machine's memory makes of sizes: steps that do nothing but read controlReads random lines, independent
// of each other, of as many as a value of the subjects has elements. No store can grow less, and next to other machines' work
// on the same hardware it grows more.
func runControl(out io.Writer, rounds int) {
	rng := rand.New(rand.NewPCG(5, 6))
	var ms []*measured
	places := make([]int32, costSteps*controlReads)
	for _, n := range costSizes {
		lines := make([]line, n)
		for i := range lines {
			lines[i][0] = 1
		}
		m := &measured{n: n}
		for range rounds + 1 {
			for i := range places {
				places[i] = int32(rng.IntN(n))
			}
			start := time.Now()
			for _, p := range places {
				m.next += int(lines[p][0]) // so that it must be read
			}
			m.ns = append(m.ns, float64(time.Since(start).Nanoseconds())/costSteps)
		}
		m.ns = m.ns[1:]
		ms = append(ms, m)
	}
	costLine(out, "5 reads", "memory", ms, false)
}
