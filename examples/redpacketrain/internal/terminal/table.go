package terminal

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/ledger"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/rain"
	"github.com/redmoon-lua/redmoon/internal/base/money"
)

// Faults are what was done to the consumers.
type Faults struct {
	Kills int64 // how many were killed
	Again int64 // settlements that were asked for again after that
}

// Table writes what a run has come to. faults may be nil.
func Table(w io.Writer, r rain.Report, faults *Faults) error {
	grabs, refunds := r.Settled[ledger.Grab], r.Settled[ledger.Refund]
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tcount\tmoney\ttime\ta second\t")
	line := func(name string, n, cents int64, d time.Duration) {
		fmt.Fprintf(t, "%-9s\t%s\t%s\t%s\t%s\t\n", name, money.Count(n), money.Format(cents), short(d), money.Count(perSecond(n, d)))
	}
	line("prepared", r.Prepared.Count, r.Prepared.Cents, r.Prepare)
	line("grabbed", r.Calls.Grabbed, r.Calls.Cents, r.Grab)
	line("settled", grabs.Count, grabs.Cents, r.Settle)
	fmt.Fprintf(t, "%-9s\t%s\t%s\t\t\t\n", "refunded", money.Count(refunds.Count), money.Format(refunds.Cents))
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s calls in all: %s of users who had a packet, %s too late, %s failed and were made again\n",
		money.Count(r.Calls.Calls()),
		money.Count(r.Calls.Refused), money.Count(r.Calls.Empty), money.Count(r.Calls.Errors))
	fmt.Fprintf(w, "latency of a call: p50 %s, p95 %s, p99 %s, max %s\n", short(r.Calls.Quantile(.5)), short(r.Calls.Quantile(.95)),
		short(r.Calls.Quantile(.99)), short(r.Calls.Max()))
	if faults != nil {
		fmt.Fprintf(w, "faults: consumers were killed %s times; %s settlements were asked for again, and made once\n", money.Count(faults.Kills),
			money.Count(faults.Again))
	}
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range r.Findings {
		mark := "ok"
		if !f.OK {
			mark = "FAILED"
		}
		fmt.Fprintf(t, "audit\t%s\t%s\t%s\n", mark, f.Name, f.Detail)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, l := range r.DeadLetters {
		fmt.Fprintf(w, "dead letter %s: %s\n", l.ID, l.Reason)
	}
	return nil
}

func perSecond(n int64, d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64(float64(n) / d.Seconds())
}

// short writes a duration with three digits or so.
func short(d time.Duration) string {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		switch {
		case d >= 10*unit:
			return d.Round(unit / 10).String()
		case d >= unit:
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}
