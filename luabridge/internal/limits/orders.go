package limits

import (
	"sync/atomic"
	"time"
)

// Order is an order to end a script.
type Order struct {
	Text   string // the error line of the reply
	Placed bool   // the reply names the script and the line
	Eval   bool   // only the evaluation of a debugger ends

	run uint64 // the run to end; 0: the run in progress, or the next one
}

// orders is how other goroutines reach a running script.
type orders struct {
	// Attention is set after an order has been given. It may be shared.
	Attention *atomic.Bool
	// After calls a function later. The default is [time.AfterFunc].
	After func(d time.Duration, f func()) (stop func())

	given atomic.Pointer[Order] // nil: the script may go on
	run   atomic.Uint64         // number of the run in progress, or of the last one
}

func afterFunc(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// Interrupt ends the run in progress, or else the next one. It may be called on any goroutine.
func (o *orders) Interrupt(text string) { o.give(&Order{Text: text}) }

// End ends the run in progress, and no later one.
func (o *orders) End(text string, placed bool) {
	o.give(&Order{Text: text, Placed: placed, run: o.run.Load()})
}

func (o *orders) give(order *Order) {
	o.given.Store(order)
	o.Attention.Store(true)
}

// EndEval ends the evaluation in progress, unless the script must end already. It may be called on
// any goroutine.
func (o *orders) EndEval(text string) { o.giveFirst(&Order{Text: text, Eval: true}) }

// giveFirst gives an order if there is none.
func (o *orders) giveFirst(order *Order) {
	if o.given.CompareAndSwap(nil, order) {
		o.Attention.Store(true)
	}
}

// EndLater ends the run in progress, and no later one, if it lasts longer than d. The caller must
// call stop when the run is over. stop does not wait for a timer that has fired.
func (o *orders) EndLater(d time.Duration, text string) (stop func()) {
	order := &Order{Text: text, run: o.run.Load()}
	// The timer may fire late. A later run ignores this order, but an order that is already there
	// may be for that run, so it is not replaced.
	return o.After(d, func() { o.giveFirst(order) })
}

// Order returns the order for the current run, or nil.
func (o *orders) Order() *Order {
	order := o.given.Load()
	if order != nil && order.run != 0 && order.run != o.run.Load() {
		o.Withdraw(order)
		return nil
	}
	return order
}

// Withdraw withdraws an order, if it is still the one that was given last.
func (o *orders) Withdraw(order *Order) { o.given.CompareAndSwap(order, nil) }

// Clear withdraws any order.
func (o *orders) Clear() { o.given.Store(nil) }

// EndRun withdraws an order that came too late for the run that has ended.
func (o *orders) EndRun() {
	if order := o.given.Load(); order != nil && order.run != 0 {
		o.Withdraw(order)
	}
}
