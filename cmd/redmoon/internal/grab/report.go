package grab

import (
	"fmt"
	"io"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/redmoon-lua/redmoon/internal/base/money"
)

// Report holds the measurements of a run.
type Report struct {
	Elapsed   time.Duration
	Grabbed   int64 // calls that got a packet
	Refused   int64 // calls of users who already had a packet
	Empty     int64 // calls that found no packet left
	Cancelled int64 // calls that were cancelled
	Failed    int64 // calls that failed and were repeated
	Calls     *hdrhistogram.Histogram
}

// Report adds up the measurements of all workers.
func (r *Run) Report() Report {
	rep := Report{Elapsed: r.elapsed, Calls: hdrhistogram.New(1, int64(maxLatency), 3)}
	for _, w := range r.workers {
		rep.Grabbed += int64(len(w.grabbed))
		rep.Refused += w.refused
		rep.Empty += w.empty
		rep.Cancelled += w.cancelled
		rep.Failed += w.failed
		rep.Calls.Merge(w.calls)
	}
	return rep
}

// Print writes the report.
func (rep Report) Print(w io.Writer) {
	calls := rep.Calls.TotalCount()
	fmt.Fprintf(w, "grabbed  %s packets in %s: %s grabs/s (%s calls/s)\n", money.Count(rep.Grabbed), short(rep.Elapsed),
		money.Count(perSecond(rep.Grabbed, rep.Elapsed)), money.Count(perSecond(calls, rep.Elapsed)))
	fmt.Fprintf(w, "refused  %s calls of users who had one, %s that found none left", money.Count(rep.Refused), money.Count(rep.Empty))
	if rep.Cancelled > 0 {
		fmt.Fprintf(w, "; %s given up", money.Count(rep.Cancelled))
	}
	if rep.Failed > 0 {
		fmt.Fprintf(w, "; %s failed and repeated", money.Count(rep.Failed))
	}
	fmt.Fprintf(w, "\nlatency ")
	for _, q := range []float64{50, 90, 99, 99.9} {
		fmt.Fprintf(w, " p%v %s ", q, short(time.Duration(rep.Calls.ValueAtQuantile(q))))
	}
	fmt.Fprintf(w, " max %s\n", short(time.Duration(rep.Calls.Max())))
}

func perSecond(n int64, d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64(float64(n) / d.Seconds())
}

// short formats a duration with about three digits.
func short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= 10*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	case d >= 10*time.Microsecond:
		return d.Round(100 * time.Nanosecond).String()
	}
	return d.Round(10 * time.Nanosecond).String()
}

// PrintAudit writes the findings and reports whether all of them are OK.
func PrintAudit(w io.Writer, findings []Finding) (ok bool) {
	ok = true
	for _, f := range findings {
		mark := "ok    "
		if !f.OK {
			mark, ok = "FAILED", false
		}
		fmt.Fprintf(w, "audit    %s  %-27s %s\n", mark, f.Name, f.Detail)
	}
	return ok
}
