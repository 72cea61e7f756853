package main

import (
	"io"
	"math/rand/v2"
	"time"
)

// controlReads is the number of cache lines that a step of the control reads: about as many as a
// step of HSET and HGET reads in a large hash (slots of the index, the element, the bytes of its
// field and value).
const controlReads = 5

// line is a cache line.
type line [64]byte

// runControl measures how the cost of random memory access grows with the size: a step only reads
// controlReads random lines, independent of each other, of as many lines as a value of the subjects
// has elements. The cost of a store cannot grow less. It grows more if other machines share the
// hardware.
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
				m.next += int(lines[p][0]) // so that the read is not optimized away
			}
			m.ns = append(m.ns, float64(time.Since(start).Nanoseconds())/costSteps)
		}
		m.ns = m.ns[1:]
		ms = append(ms, m)
	}
	costLine(out, "5 reads", "memory", ms, false)
}
