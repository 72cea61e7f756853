package server

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/config"
	"github.com/redmoon-lua/redmoon/internal/parse"
	"github.com/redmoon-lua/redmoon/reply"
)

// histogram counts times as Redis's histograms do, to two digits: each power of two of nanoseconds
// has 128 steps. Powers that have not come up take no room.
type histogram struct {
	zero  int64 // times below a microsecond
	total int64
	steps *[histogramSize]*[histogramSteps]int64 // nil: no time was added
}

const (
	histogramSize  = 21 // powers of two: 512 ns to a second, beyond which times count as a second
	histogramSteps = 128
	histogramFirst = 9 // the first power is 1 << 9
)

// add counts a time. Times are whole microseconds; a shorter one counts as a nanosecond.
func (h *histogram) add(micros, weight int64) {
	if h.steps == nil {
		h.steps = new([histogramSize]*[histogramSteps]int64)
	}
	h.total += weight
	if micros < 1 {
		h.zero += weight
		return
	}
	nanos := uint64(1000 * min(micros, 1e6))
	power := bits.Len64(nanos) - 1
	row := &h.steps[power-histogramFirst]
	if *row == nil {
		*row = new([histogramSteps]int64)
	}
	(*row)[nanos>>(power-7)-histogramSteps] += weight
}

// empty reports whether no time was added.
func (h *histogram) Empty() bool { return h.steps == nil }

// walk calls f for every step that has times, shortest first, with the least and the greatest time
// in nanoseconds that count there, until f returns false.
func (h *histogram) walk(f func(least, greatest, count int64) bool) {
	if h.zero > 0 && !f(1, 1, h.zero) {
		return
	}
	for i, row := range h.steps {
		if row == nil {
			continue
		}
		for j, n := range row {
			width := int64(4) << i
			if least := (int64(j) + histogramSteps) * width; n > 0 && !f(least, least+width-1, n) {
				return
			}
		}
	}
}

// bucketEnd is the end of a bucket of LATENCY HISTOGRAM in nanoseconds: 1024 << i and what two
// digits do not tell apart from it.
func bucketEnd(i int) int64 { return 1024<<i + 8<<i - 1 }

// reply is what LATENCY HISTOGRAM answers of a command: how many calls took so many microseconds or
// less.
func (h *histogram) Reply(calls int64) reply.Value {
	var counts [histogramSize]int64
	bucket := 0
	h.walk(func(_, greatest, n int64) bool {
		for bucket < histogramSize-1 && greatest > bucketEnd(bucket) {
			bucket++
		}
		counts[bucket] += n
		return true
	})
	var buckets []reply.Value
	sum := int64(0)
	for i, n := range counts {
		if n == 0 || sum >= calls {
			continue
		}
		sum = min(sum+n, calls) // a time that stands for several calls may stand for some that are to come
		buckets = append(buckets, reply.Int(bucketEnd(i)/1000), reply.Int(sum))
	}
	return reply.Map(reply.Bulk("calls"), reply.Int(sum), reply.Bulk("histogram_usec"), reply.Map(buckets...))
}

// percentile is the time in nanoseconds that so many percent of the calls did not exceed.
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

// infoLatencyStats tells of the commands that have been called how long their calls took, by the
// percentiles of latency-tracking-info-percentiles.
func (s *Server) infoLatencyStats(w *InfoWriter) {
	percentiles := config.SplitWords(s.Config.Value("latency-tracking-info-percentiles"))
	for _, spec := range s.Table.All {
		h := &s.Stats.Calls[spec.ID].Times
		if h.Empty() {
			continue
		}
		parts := make([]string, len(percentiles))
		for i, p := range percentiles {
			f, _ := parse.Float(p) // CONFIG SET takes numbers only
			parts[i] = fmt.Sprintf("p%s=%.3f", p, float64(h.percentile(f))/1000)
		}
		fmt.Fprintf(w, "latency_percentiles_usec_%s:%s\r\n", spec.FullName(), strings.Join(parts, ","))
	}
}
