package main

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"
)

// runner is one side of a race.
type runner struct {
	target string
	call   func() error
}

// race runs opt.rounds rounds. Each round runs every runner for about opt.box; the order is
// reversed from round to round. It returns the nanoseconds per call of each runner, one number per
// round.
func race(runners []runner, opt options) ([][]float64, error) {
	times := make([][]float64, len(runners))
	sizes := make([]int, len(runners))
	for i, r := range runners {
		n := 1
		for { // warm up, and determine how many calls fill the time
			took, err := repeat(opt.watch, r.call, n)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.target, err)
			}
			if took >= opt.box/4 {
				sizes[i] = max(1, int(float64(n)*float64(opt.box)/float64(took)))
				break
			}
			n *= 2
		}
	}
	for round := range opt.rounds {
		for k := range runners {
			i := k
			if round%2 == 1 {
				i = len(runners) - 1 - k
			}
			runtime.GC()
			took, err := repeat(opt.watch, runners[i].call, sizes[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", runners[i].target, err)
			}
			times[i] = append(times[i], float64(took.Nanoseconds())/float64(sizes[i]))
		}
	}
	return times, nil
}

func repeat(watch stopwatch, call func() error, n int) (time.Duration, error) {
	start := watch()
	for range n {
		if err := call(); err != nil {
			return 0, err
		}
	}
	return watch() - start, nil
}

func median(list []float64) float64 {
	s := slices.Sorted(slices.Values(list))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// ratio is a divided by b: the medians, and the least and greatest of a round.
type ratio struct{ medians, least, greatest float64 }

func ratioOf(a, b []float64) ratio {
	var each []float64
	for i := range a {
		each = append(each, a[i]/b[i])
	}
	return ratio{median(a) / median(b), slices.Min(each), slices.Max(each)}
}

func (r ratio) String() string {
	return fmt.Sprintf("%.2f (%.2f–%.2f)", r.medians, r.least, r.greatest)
}

// geometricMean returns NaN for an empty list.
func geometricMean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(list)))
}

// record is one line of measurements, as -json prints it.
type record struct {
	Name   string    `json:"name"`
	Target string    `json:"target"`
	NS     []float64 `json:"ns"` // ns per call or operation, one number per round
}

func times(list []record, name, target string) []float64 {
	for _, r := range list {
		if r.Name == name && r.Target == target {
			return r.NS
		}
	}
	return nil
}

func names(list []record) []string {
	var out []string
	for _, r := range list {
		if !slices.Contains(out, r.Name) {
			out = append(out, r.Name)
		}
	}
	return out
}

// comparison is one ratio column of a table.
type comparison struct {
	heading, over, under string
	most, least          float64 // ratios beyond it are marked; 0: no bound
}

func (c comparison) marks(r float64) bool {
	return c.most > 0 && r > c.most || c.least > 0 && r < c.least
}

// worse reports whether r is worse than all of list.
func (c comparison) worse(r float64, list []float64) bool {
	if len(list) == 0 {
		return true
	}
	if c.least > 0 {
		return r < slices.Min(list)
	}
	return r > slices.Max(list)
}

// printRaces prints a line for each name, with the medians in microseconds and the ratios, and a
// summary of the ratios.
func printRaces(out io.Writer, title string, list []record, columns []string, ratios []comparison) {
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "%s\t", title)
	for _, c := range columns {
		fmt.Fprintf(tw, "%s µs\t", c)
	}
	for _, c := range ratios {
		fmt.Fprintf(tw, "%s\t", c.heading)
	}
	fmt.Fprintln(tw)
	all := make([][]float64, len(ratios))
	worst := make([]string, len(ratios)) // the worst ratio with its name
	marked := make([]int, len(ratios))
	for _, name := range names(list) {
		fmt.Fprintf(tw, "%s\t", name)
		for _, c := range columns {
			if t := times(list, name, c); t != nil {
				fmt.Fprintf(tw, "%.1f\t", median(t)/1000)
			} else {
				fmt.Fprint(tw, "-\t")
			}
		}
		for i, c := range ratios {
			a, b := times(list, name, c.over), times(list, name, c.under)
			if a == nil || b == nil {
				fmt.Fprint(tw, "-\t")
				continue
			}
			r := ratioOf(a, b)
			sign := " "
			if c.marks(r.medians) {
				sign = "!"
				marked[i]++
			}
			fmt.Fprintf(tw, "%v %s\t", r, sign)
			if c.worse(r.medians, all[i]) {
				worst[i] = fmt.Sprintf("%.2f (%s)", r.medians, name)
			}
			all[i] = append(all[i], r.medians)
		}
		fmt.Fprintln(tw)
	}
	_ = tw.Flush()
	fmt.Fprintln(out)
	for i, c := range ratios {
		if len(all[i]) == 0 {
			continue
		}
		fmt.Fprintf(out, "%s: geometric mean %.2f of %d, worst %s", c.heading, geometricMean(all[i]), len(all[i]), worst[i])
		if c.most > 0 {
			fmt.Fprintf(out, ", %d above %g", marked[i], c.most)
		}
		if c.least > 0 {
			fmt.Fprintf(out, ", %d below %g", marked[i], c.least)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
}
