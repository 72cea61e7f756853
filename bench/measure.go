package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// result holds the rates of one target for one workload, one per round.
type result struct {
	workload, target string
	rates            []float64 // operations per second
}

func (r *result) median() float64 { return median(r.rates) }

func (r *result) record() record {
	rec := record{Name: r.workload, Target: r.target}
	for _, rate := range r.rates {
		rec.NS = append(rec.NS, 1e9/rate)
	}
	return rec
}

// measure runs the rounds of one workload. Each round runs every target once; the order is reversed
// from round to round, so that no target always follows the same one.
func measure(w workload, targets []target, rounds int, box time.Duration) ([]*result, error) {
	if err := checkFirstReply(w); err != nil {
		return nil, err
	}
	var rs []*result
	var ts []target
	var sizes []int
	for _, t := range targets {
		if t.only != nil && !t.only(w) {
			continue
		}
		n := 2000
		for range 2 { // warm up, and determine how many operations fill the time
			took, err := t.run(w, n)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.name, err)
			}
			n = max(1000, int(float64(n)*float64(box)/float64(took)))
		}
		ts, sizes = append(ts, t), append(sizes, min(n, 2_000_000))
		rs = append(rs, &result{workload: w.name, target: t.name})
	}
	for round := range rounds {
		for k := range ts {
			i := k
			if round%2 == 1 {
				i = len(ts) - 1 - k
			}
			runtime.GC()
			took, err := ts[i].run(w, sizes[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", ts[i].name, err)
			}
			rs[i].rates = append(rs[i].rates, float64(sizes[i])/took.Seconds())
		}
	}
	return rs, nil
}

// base is the target that the ratios of a table refer to.
const base = "redis-server over loopback"

func printTable(out io.Writer, w workload, rs []*result) { printAgainstBase(out, w, rs, base) }

// printAgainstBase prints the rates of one workload, and the ratios of the medians to that of the
// target base.
func printAgainstBase(out io.Writer, w workload, rs []*result, base string) {
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "%s\tmin/s\tmedian/s\tmax/s\tmedian ÷ %s\t\n", w.name, strings.TrimSuffix(base, " over loopback"))
	b := find(rs, w.name, base)
	for _, r := range rs {
		ratio := "-"
		if b != nil {
			ratio = fmt.Sprintf("%.2f", r.median()/b.median())
		}
		fmt.Fprintf(tw, "%s\t%.0f\t%.0f\t%.0f\t%s\t\n", r.target, slices.Min(r.rates), r.median(), slices.Max(r.rates), ratio)
	}
	tw.Flush()
	fmt.Fprintln(out)
}

func find(rs []*result, workload, target string) *result {
	for _, r := range rs {
		if r.workload == workload && r.target == target {
			return r
		}
	}
	return nil
}

// printVerdict prints the ratios with which the project compares itself: those of the medians, and
// the least and greatest of a round.
func printVerdict(out io.Writer, rs []*result) {
	promises := []struct{ what, workload, over, under, bound string }{
		{"red packet: in-process ÷ redis-server", "redpacket", "redmoon in-process", base, "at least 3"},
		{"red packet: in-process ÷ miniredis", "redpacket", "redmoon in-process", "miniredis over loopback", "at least 40"},
		{"red packet: bare VM ÷ in-process, 1 goroutine", "redpacket",
			"bare VM over Go maps", "redmoon in-process, 1 goroutine", "at most 1.25"},
		{"the same, floor without arg table", "redpacket", "bare VM over Go maps, no arg table", "redmoon in-process, 1 goroutine", "-"},
	}
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join([]string{"promise", "least", "medians", "greatest", "bound"}, "\t"))
	for _, p := range promises {
		a, b := find(rs, p.workload, p.over), find(rs, p.workload, p.under)
		if a == nil || b == nil {
			continue
		}
		q := &result{}
		for i := range a.rates {
			q.rates = append(q.rates, a.rates[i]/b.rates[i])
		}
		fmt.Fprintf(tw, "%s\t%.2f\t%.2f\t%.2f\t%s\n", p.what, slices.Min(q.rates), a.median()/b.median(), slices.Max(q.rates), p.bound)
	}
	tw.Flush()
}
