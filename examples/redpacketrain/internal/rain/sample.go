package rain

import (
	"context"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/ledger"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/page"
)

// sample is what rates are the difference of.
type sample struct {
	at      time.Time
	settled int64
}

// sampling reports how the run stands, every interval, until stop is called or ctx ends. When the
// ledger takes long to answer, it is asked less often: it shall spend at most a tenth of the time
// on that.
func (r *Run) sampling(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var totals map[ledger.Kind]ledger.Total
		var askAgain time.Time
		for pause(ctx, r.o.Interval) == nil {
			if begin := time.Now(); begin.After(askAgain) {
				if now, err := r.totals(ctx); err == nil { // else it is busy, or away: the next sample shows
					totals = now
				}
				askAgain = time.Now().Add(9 * time.Since(begin))
			}
			r.sample(totals)
		}
	}()
	return sync.OnceFunc(func() { cancel(); <-done })
}

// sample takes a sample and reports it.
func (r *Run) sample(totals map[ledger.Kind]ledger.Total) {
	window := r.meter.Window()
	r.watching.Lock()
	defer r.watching.Unlock()
	now := time.Now()
	seconds := now.Sub(r.last.at).Seconds()
	s := &r.state
	s.Rate = float64(window.Grabbed) / seconds
	if window.Calls() > 0 {
		s.P50, s.P95, s.P99 = micros(window.Quantile(.5)), micros(window.Quantile(.95)), micros(window.Quantile(.99))
	}
	s.Grabbed += window.Grabbed
	s.Given += window.Cents
	s.Refused += window.Refused
	s.Empty += window.Empty
	s.Errors += window.Errors
	s.SettleRate = float64(totals[ledger.Grab].Count-r.last.settled) / seconds
	r.last = sample{now, totals[ledger.Grab].Count}
	r.settled(totals)
	r.notify()
}

// settled puts what the ledger has into the state. The backlog is never below 0: the grabs are
// counted a moment before.
func (r *Run) settled(totals map[ledger.Kind]ledger.Total) {
	s := &r.state
	s.Settled, s.SettledMoney = totals[ledger.Grab].Count, totals[ledger.Grab].Cents
	s.Refunded = totals[ledger.Refund].Cents
	s.Backlog = max(0, s.Grabbed-s.Settled)
	switch s.Stage {
	case page.Grab:
		s.Step = min(r.crowd.next.Load(), s.Steps)
	case page.Settle:
		s.Step = s.Settled
	}
}

// enter begins a stage of so many steps; change may change what is shown of it.
func (r *Run) enter(stage string, steps int64, change func(*page.State)) {
	r.watching.Lock()
	defer r.watching.Unlock()
	if r.last.at.IsZero() {
		r.start, r.last.at = time.Now(), time.Now()
	}
	r.state.Stage, r.state.Step, r.state.Steps = stage, 0, steps
	if change != nil {
		change(&r.state)
	}
	r.notify()
}

// step reports how far the stage has come.
func (r *Run) step(n int64) {
	r.watching.Lock()
	defer r.watching.Unlock()
	r.state.Step = n
	r.notify()
}

func (r *Run) notify() {
	r.state.Elapsed = time.Since(r.start).Seconds()
	r.state.Kills = r.o.Kills()
	r.o.Watch(r.state)
}

// final is the state with the numbers of the whole run. The number of grabbed packets is the number
// found in Redis.
func (r *Run) final(s *page.State, t tally) {
	calls, grabs := r.report.Calls, r.report.Settled[ledger.Grab]
	s.Rate, s.SettleRate = perSecond(t.records, r.report.Grab), perSecond(grabs.Count, r.report.Settle)
	s.P50, s.P95, s.P99 = micros(calls.Quantile(.5)), micros(calls.Quantile(.95)), micros(calls.Quantile(.99))
	s.Grabbed, s.Given, s.Refused, s.Empty, s.Errors = t.records, t.given, calls.Refused, calls.Empty, calls.Errors
	r.settled(r.report.Settled)
}

func perSecond(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }
