package redmoontest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/explore/play"
)

// Play is what [Explore] runs again and again, with a new engine for each order of the steps.
type Play struct {
	// Options are those of the engines.
	Options []Option
	// Setup fills the engine. It also resets Go variables that clients change. nil: the engine stays
	// empty.
	Setup func(e *Engine)
	// Check returns an error if something is not as it must be when all clients have ended. It changes
	// nothing: commands that write are refused. nil: nothing is checked at the end.
	Check func(s *State) error
	// Always is Check after each step. It should look at the keyspace only: how far the clients have
	// come in Go between two steps is not explored. It makes the search longer, because steps that
	// write then do not commute. nil: nothing is checked.
	Always func(s *State) error
	// Ticks make time a part of the orders: the clock moves by each, in turn, before, between and
	// after all steps.
	Ticks []time.Duration
	// Serializable demands that each order ends as some order in which the clients run one after the
	// other, without their steps mixed: with the same keyspace, the same times to live, and the same
	// values of [StepClient.Note]. Orders in which a client crashes are left out.
	Serializable bool
	// Linearizable is Serializable, and a client that has ended before another begins must come before
	// it in that order.
	Linearizable bool
	// RandomTexts allows clients to use random texts as tokens. If the same steps are repeated, other
	// texts among arguments and replies then do not count as other behavior. Keys must be the same.
	RandomTexts bool
	// Order runs a single order, as the report of a failure gives it. Default: the environment
	// variable REDMOON_ORDER, or all orders.
	Order string

	// MaxOrders is the number of orders after which Explore stops. Default: 10,000.
	MaxOrders int
	// MaxPreemptions leaves out orders that interrupt a client more often than this in favor of
	// another. Default: no limit.
	MaxPreemptions int
	// MaxSteps is the number of steps after which an order is given up, for clients that would never
	// end. Default: 1000.
	MaxSteps int
	// Unreduced runs every order, also if two orders differ only in steps that commute.
	Unreduced bool
}

// Client is a client of a [Play].
type Client struct {
	// Name stands in reports. Default: "client 1" and so on.
	Name string
	// Run is the client. It must do the same whenever it gets the same replies, and meet the others
	// only in the engine: each call of c is a step, before which other clients may take theirs.
	Run func(c *StepClient)
	// Crashes ends the client without a word before each of its steps, in orders of their own.
	Crashes bool
	// Waits says that the client may still wait at the end, as a worker does in BLPOP. Otherwise a
	// client that would wait for ever is a failure.
	Waits bool
}

// Report says what [Explore] has done.
type Report struct {
	// Orders is the number of orders that were run to the end, and Cut that of orders that ended early
	// because others cover the rest. Steps is the number of steps of all of them.
	Orders, Cut, Steps int
	// Complete is set if every order was run, or ends as one that was. Why says otherwise what is
	// missing.
	Complete bool
	Why      string
	// Violation is the simplest order that was found to break what must hold, or nil.
	Violation *Violation
}

// Violation is an order that breaks what must hold.
type Violation struct {
	Order string // for Play.Order
	Err   error  // what Check, Always or a client says
	Text  string // for people: the steps as a table, and the keyspace
}

// Explore runs the clients in every order of their steps and reports the first order that breaks
// what the play demands, made as simple as possible, as an error of t.
//
// A step is a call of the client: a command, a script, or a MULTI with all that follows until its
// EXEC. A client that waits, as in BLPOP, takes its next step when another has woken it. If all
// clients wait, the clock moves on to the first time-out or end of [StepClient.Sleep].
//
// Orders that differ only in the order of steps that commute have the same end; one of them is run.
// Two steps commute if their commands and scripts have used no key together that one of them has
// changed. Calls of functions do not commute, nor do scripts that leave something in Lua
// for later ones: the sequence of math.random, or settings of cjson. Explore stops early at
// Play.MaxOrders, and before the deadline of t (go test -timeout); the report then says so.
//
// It ends the test if Setup fails, or if a client does something else when the same steps are
// repeated.
func Explore(t testing.TB, p Play, clients ...Client) Report {
	t.Helper()
	x := exploration{t: t, Play: p}
	r, err := play.Explore(x.config(clients))
	report := Report{Orders: r.Orders, Cut: r.Cut, Steps: r.Steps, Complete: r.Complete, Why: r.Why}
	switch {
	case err != nil:
		t.Fatalf("redmoontest: Explore: %v", err)
	case r.Violation != nil:
		v := r.Violation
		report.Violation = &Violation{Order: v.Order, Err: v.Err, Text: v.String()}
		t.Errorf("redmoontest: Explore: %s", r.Failure(func(order string) string {
			return fmt.Sprintf("Play{Order: %q}, or\n  REDMOON_ORDER=%q go test -run '%s'", order, order, pattern(t.Name()))
		}))
	case !r.Complete:
		t.Logf("redmoontest: Explore is not complete: %s (Play.MaxOrders, MaxPreemptions and MaxSteps are the limits)", r.Why)
	}
	return report
}

// pattern returns the argument of -run for one test.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	return "^" + strings.Join(parts, "$/^") + "$"
}

// exploration is a call of Explore.
type exploration struct {
	Play
	t  testing.TB
	tb *quietTB // of the running order
	e  *Engine
}

func (x *exploration) config(clients []Client) play.Config {
	or := func(n, otherwise int) int {
		if n > 0 {
			return n
		}
		return otherwise
	}
	c := play.Config{
		Open: x.open, Ticks: x.Ticks, Serializable: x.Serializable, Linearizable: x.Linearizable, RandomTexts: x.RandomTexts,
		Order: x.Order, Unreduced: x.Unreduced, MaxPreemptions: max(0, x.MaxPreemptions), MaxOrders: or(x.MaxOrders, play.DefaultOrders),
		MaxSteps: or(x.MaxSteps, play.DefaultSteps), Late: late(x.t),
		ScriptName: func(sha string) string { return x.e.nameOfSHA(sha) },
	}
	if c.Order == "" {
		c.Order = os.Getenv("REDMOON_ORDER")
	}
	if x.Setup != nil {
		c.Setup = func() error {
			if err := x.tb.run(func() { x.Setup(x.e) }); err != nil {
				return fmt.Errorf("in Setup: %w", err)
			}
			return nil
		}
	}
	names := make([]string, len(clients))
	for i, client := range clients {
		names[i] = client.Name
		if names[i] == "" {
			names[i] = play.ClientName(i)
		}
		c.Clients = append(c.Clients, play.Actor{Name: names[i], Crashes: client.Crashes, Waits: client.Waits,
			Run: func(inner *play.Client) { client.Run(&StepClient{c: inner, name: names[i], x: x}) }})
	}
	invariant := func(f func(*State) error) func(*play.State) error {
		if f == nil {
			return nil
		}
		return func(s *play.State) (err error) {
			state := &State{Engine: x.e, s: s, names: names}
			if failed := x.tb.run(func() { err = f(state) }); failed != nil {
				return failed
			}
			return err
		}
	}
	c.Check, c.Always = invariant(x.Check), invariant(x.Always)
	return c
}

// open makes the engine of an order.
func (x *exploration) open(p *engine.Probe) (host play.Host, err error) {
	x.tb = &quietTB{TB: x.t}
	err = x.tb.run(func() {
		x.e = open(x.tb, x.Options)
		x.e.also = p
		x.e.watch()
	})
	if err != nil {
		return host, err
	}
	return play.Host{Engine: x.e.Engine, Clock: x.e.clock, Close: x.close, Entangled: x.e.seen.Injected,
		Current: func() *engine.Engine { return x.e.Engine }}, nil
}

// close ends the engine of an order, and fails if its keyspace is broken.
func (x *exploration) close() error { return x.tb.run(func() { x.e.close(); x.tb.end() }) }

// nameOfSHA returns the path of a script that [Engine.Script] has read, by its SHA1, or "".
func (e *Engine) nameOfSHA(sha string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for s, path := range e.paths {
		if s.SHA() == sha {
			return path
		}
	}
	return ""
}

// late returns a function that reports whether the deadline of a test is near: a tenth of the time
// that is left now, at least a second.
func late(t testing.TB) func() bool {
	d, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return nil
	}
	deadline, ok := d.Deadline()
	if !ok {
		return nil
	}
	return play.LateAfter(deadline.Add(-max(time.Second, time.Until(deadline)/10)))
}
