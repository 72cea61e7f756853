package server

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/core/config"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/reply"
)

// histogram counts durations as the histograms of Redis do, with two significant digits: each power
// of two of nanoseconds has 128 steps. As long as few steps occur, it is a list of them. Later the
// steps of a power are allocated when it first occurs.
type histogram struct {
	zero  int64 // durations below a microsecond
	total int64
	few   []stepCount // shortest first; nil when steps is not
	steps *[histogramSize]*[histogramSteps]int64
}

// stepCount is the number of durations of one step.
type stepCount struct {
	step int // counted from the first step of the first power
	n    int64
}

const (
	histogramSize  = 21 // powers of two: 512 ns to a second; longer durations count as a second
	histogramSteps = 128
	histogramFirst = 9 // the first power is 1 << 9
	histogramFew   = 16
)

// add counts a duration of whole microseconds. 0 counts as a nanosecond.
func (h *histogram) add(micros, weight int64) {
	h.total += weight
	if micros < 1 {
		h.zero += weight
		return
	}
	nanos := uint64(1000 * min(micros, 1e6))
	power := bits.Len64(nanos) - 1
	step := (power-histogramFirst)*histogramSteps + int(nanos>>(power-7)) - histogramSteps
	if h.steps == nil && h.addFew(step, weight) {
		return
	}
	h.addTo(step, weight)
}

// addFew is add for a list. It returns false if there are too many steps for one.
func (h *histogram) addFew(step int, weight int64) bool {
	at := 0
	for at < len(h.few) && h.few[at].step < step {
		at++
	}
	switch {
	case at < len(h.few) && h.few[at].step == step:
		h.few[at].n += weight
	case len(h.few) < histogramFew:
		h.few = slices.Insert(h.few, at, stepCount{step, weight})
	default:
		h.steps = new([histogramSize]*[histogramSteps]int64)
		for _, c := range h.few {
			h.addTo(c.step, c.n)
		}
		h.few = nil
		return false
	}
	return true
}

// addTo counts durations of a step in steps.
func (h *histogram) addTo(step int, weight int64) {
	row := &h.steps[step/histogramSteps]
	if *row == nil {
		*row = new([histogramSteps]int64)
	}
	(*row)[step%histogramSteps] += weight
}

// Empty reports whether nothing was added.
func (h *histogram) Empty() bool { return h.total == 0 }

// walk calls f for every step that has counts, shortest first, with the least and the greatest
// duration in ns of the step, until f returns false.
func (h *histogram) walk(f func(least, greatest, count int64) bool) {
	if h.zero > 0 && !f(1, 1, h.zero) {
		return
	}
	visit := func(step int, n int64) bool {
		width := int64(4) << (step / histogramSteps)
		least := (int64(step%histogramSteps) + histogramSteps) * width
		return f(least, least+width-1, n)
	}
	for _, c := range h.few {
		if !visit(c.step, c.n) {
			return
		}
	}
	if h.steps == nil {
		return
	}
	for i, row := range h.steps {
		if row == nil {
			continue
		}
		for j, n := range row {
			if n > 0 && !visit(i*histogramSteps+j, n) {
				return
			}
		}
	}
}

// bucketEnd returns the end of a bucket of LATENCY HISTOGRAM in nanoseconds: 1024 << i, rounded up
// to what two digits cannot distinguish from it.
func bucketEnd(i int) int64 { return 1024<<i + 8<<i - 1 }

// Buckets calls f for each bucket of LATENCY HISTOGRAM, shortest first, with its end in whole
// microseconds and the number of the calls that took up to so long. Durations of more than a second
// are in the last bucket.
func (h *histogram) Buckets(calls int64, f func(micros, count int64)) {
	var counts [histogramSize]int64
	bucket := 0
	if !h.Empty() {
		h.walk(func(_, greatest, n int64) bool {
			for bucket < histogramSize-1 && greatest > bucketEnd(bucket) {
				bucket++
			}
			counts[bucket] += n
			return true
		})
	}
	sum := int64(0)
	for i, n := range counts {
		sum = min(sum+n, calls) // the weight of a duration may include calls that have not run yet
		f(bucketEnd(i)/1000, sum)
	}
}

// Reply returns what LATENCY HISTOGRAM shows of a command: the buckets that have calls of their
// own.
func (h *histogram) Reply(calls int64) reply.Value {
	var buckets []reply.Value
	sum := int64(0)
	h.Buckets(calls, func(micros, count int64) {
		if count > sum {
			buckets = append(buckets, reply.Int(micros), reply.Int(count))
		}
		sum = count
	})
	return reply.Map(reply.Bulk("calls"), reply.Int(sum), reply.Bulk("histogram_usec"), reply.Map(buckets...))
}

// percentile returns the duration in ns that the given percentage of the calls did not exceed.
func (h *histogram) percentile(percent float64) int64 {
	rank := max(1, int64(min(percent, 100)/100*float64(h.total)+0.5))
	sum, at := int64(0), int64(0)
	h.walk(func(least, greatest, n int64) bool {
		sum += n
		if at = greatest; percent == 0 {
			at = least
		}
		return sum < rank
	})
	return at
}

// infoLatencyStats writes, for each command that has been called, the percentiles of its calls that
// latency-tracking-info-percentiles names.
func (s *Server) infoLatencyStats(w *InfoWriter) {
	percentiles := config.SplitWords(s.Config.Value("latency-tracking-info-percentiles"))
	for _, spec := range s.Table.All {
		h := s.Stats.Calls.Peek(spec.ID).Times
		if h.Empty() {
			continue
		}
		parts := make([]string, len(percentiles))
		for i, p := range percentiles {
			f, _ := parse.Float(p) // CONFIG SET accepts numbers only
			parts[i] = fmt.Sprintf("p%s=%.3f", p, float64(h.percentile(f))/1000)
		}
		fmt.Fprintf(w, "latency_percentiles_usec_%s:%s\r\n", spec.FullName(), strings.Join(parts, ","))
	}
}
