package play

import (
	"errors"
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/tools/explore"
)

// Report says what [Explore] has done and found.
type Report struct {
	Orders int // orders that were run to their ends
	Cut    int // orders that ended early because the rest was covered by others
	Steps  int
	// Complete is set if every order was run or is covered by one that was. Else Why says what is
	// missing.
	Complete bool
	Why      string
	// Violation is the simplest order found that breaks what must hold, or nil.
	Violation *Violation
}

// Violation is an order that breaks what must hold.
type Violation struct {
	Order string // to be given as Config.Order
	Kind  string
	Err   error
	Table string // the steps
	State string // the keyspace before the last step, and what that has changed
	Notes string // what the clients have noted
}

// String describes a violation for people.
func (v *Violation) String() string {
	text := fmt.Sprintf("%s: %v\n\n%s\n%s", v.Kind, v.Err, v.Table, v.State)
	if v.Notes != "" {
		text += "\nnotes:\n" + v.Notes
	}
	return text
}

// Failure describes the violation of a report for people. alone says how to run its order alone.
func (r Report) Failure(alone func(order string) string) string {
	text := r.Violation.String()
	if order := r.Violation.Order; order != "" {
		text += fmt.Sprintf("\nto run this order alone: %s\nfound after %d orders", alone(order), r.Orders+r.Cut)
	}
	return text
}

// simplifyBudget is the number of orders that may be run for each attempt to find a simpler one.
const simplifyBudget = 300

// Explore runs the clients of c in every order of their steps until one breaks what must hold. It
// returns an error if Open or Setup fails, if a client does something else when its steps are
// repeated, or if a client does what it must not.
func Explore(c Config) (Report, error) {
	if n := 2*len(c.Clients) + 2; n > explore.MaxActors {
		return Report{}, fmt.Errorf("%d clients are too many", len(c.Clients))
	}
	if len(c.Clients) == 0 {
		return Report{}, errors.New("there is no client")
	}
	g := newGame(c)
	if c.Order != "" {
		return g.runOne(c.Order)
	}
	o := explore.Options{Unreduced: c.Unreduced, Bounded: c.MaxPreemptions > 0, MaxPreemptions: c.MaxPreemptions, MaxOrders: c.MaxOrders,
		MaxSteps: c.MaxSteps, Late: c.Late}
	if err := g.repeat(o); err != nil {
		return Report{}, g.explained(err)
	}
	r, err := explore.Search(g, o)
	report := Report{Orders: r.Orders, Cut: r.Cut, Steps: r.Steps, Complete: r.Whole}
	if err != nil {
		return report, g.explained(err)
	}
	switch {
	case r.Broken != nil:
		report.Why = "an order that breaks it was found"
		report.Violation, err = g.simplest(r, o)
		return report, g.explained(err)
	case r.Whole && o.Bounded:
		report.Complete = false
		report.Why = fmt.Sprintf("only orders with at most %d preemptions were run", o.MaxPreemptions)
	case r.Whole:
	case r.Long > 0:
		report.Why = fmt.Sprintf("%d orders have more than %d steps", r.Long, o.MaxSteps)
	case o.MaxOrders > 0 && r.Orders+r.Cut+r.Long >= o.MaxOrders:
		report.Why = fmt.Sprintf("the limit of %d orders was reached; others may break it", o.MaxOrders)
	default:
		report.Why = "the time was up"
	}
	return report, nil
}

// repeat runs the first order twice, to find clients that are not deterministic before they
// confuse the search.
func (g *game) repeat(o explore.Options) error {
	o.MaxOrders = 1
	if o.MaxSteps == 0 {
		o.MaxSteps = 10_000
	}
	first, err := explore.Search(g, o)
	if err != nil || first.Broken != nil || first.Long > 0 {
		return err
	}
	before := g.steps
	if _, err := explore.Search(g, o); err != nil {
		return err
	}
	for i := range max(len(before), len(g.steps)) {
		e := &explore.ReplayError{Step: i}
		if i < len(before) {
			e.Actor, e.Was = before[i].Actor, before[i].Text
		}
		if i < len(g.steps) {
			e.Is = g.steps[i].Text
		}
		if e.Was != e.Is {
			return e
		}
	}
	return nil
}

// explained returns an error in terms of the play.
func (g *game) explained(err error) error {
	var e *explore.ReplayError
	var cannot *explore.CannotStepError
	switch {
	case errors.As(err, &e):
		is := "it ran: " + e.Is
		if e.Is == "" {
			is = "it had no step to take"
		}
		return fmt.Errorf("%s is not deterministic. In one order, step %d was: %s\nWhen the same steps were repeated, %s\n"+
			"A client must depend only on its replies: not on random numbers, on the order of a map or of SCAN, or on Go variables "+
			"that outlive an order. With RandomTexts, texts of arguments and replies may differ", g.nameOf(e.Actor), e.Step+1, e.Was, is)
	case errors.As(err, &cannot):
		return fmt.Errorf("the order does not fit: step %d is one of %s, which cannot take a step there", cannot.Step+1, g.nameOf(cannot.Actor))
	}
	return err
}

// simplest returns the simplest order that breaks the play as r does.
func (g *game) simplest(r explore.Result, o explore.Options) (*Violation, error) {
	var droppable []int
	if len(g.Ticks) > 0 {
		droppable = append(droppable, g.clock())
	}
	for i, c := range g.Clients {
		if c.Crashes {
			droppable = append(droppable, g.crash(i))
		}
	}
	if len(g.Clients) > 1 {
		for i := len(g.Clients) - 1; i >= 0; i-- {
			droppable = append(droppable, i)
		}
	}
	best, out, err := explore.Simplest(g, r, o, simplifyBudget, droppable, func(out explore.Actors) (bool, error) {
		return g.sensible(out, r.Broken)
	})
	if err != nil {
		return nil, err
	}
	v, err := g.show(best, out)
	if err == nil && v == nil {
		err = fmt.Errorf("an order breaks the play (%v), but not when it is repeated", r.Broken)
	}
	return v, err
}

// sensible reports whether the play makes sense without some actors: the clients that remain keep
// what must hold when they run one after the other. If found is the failure of a client, they may
// break everything but clients, and clients in the same way: a client that waits in vain for one
// that was left out fails in another.
func (g *game) sensible(out explore.Actors, found *explore.Broken) (bool, error) {
	var clients []int
	for i := range g.Clients {
		if !out.Has(i) {
			clients = append(clients, i)
		}
		out |= explore.Set(g.crash(i))
	}
	if len(clients) == 0 {
		return false, nil
	}
	if found.Kind == kindAlways || found.Kind == kindSerializable {
		return true, nil
	}
	for _, blocks := range g.serialOrders(out | explore.Set(g.clock())) {
		r, err := explore.Serial(g, out, blocks)
		if err != nil {
			return false, err
		}
		if r.Broken == nil || found.Kind == kindClient && (r.Broken.Kind != kindClient || firstLine(r.Broken) == firstLine(found)) {
			continue
		}
		return false, nil
	}
	return true, nil
}

// firstLine is the text of an error without the stack of a panic.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// show runs an order again and keeps what people need to see.
func (g *game) show(r explore.Result, out explore.Actors) (*Violation, error) {
	var before, after keyspace
	var kept error
	keep := func(to *keyspace) {
		g.setMode(setup)
		ks, err := keyspaceOf(g.host.Engine, false)
		if err != nil {
			kept = err
		}
		*to = ks
		g.setMode(running)
	}
	g.onRow = func(isBefore bool) {
		if isBefore {
			keep(&before)
		} else {
			keep(&after)
		}
	}
	defer func() { g.onRow = nil }()
	again, err := explore.Replay(g, out, r.Order, nil)
	if err = errors.Join(err, kept); err != nil {
		return nil, err
	}
	if again.Broken == nil {
		return nil, nil
	}
	if len(g.rows) == 0 { // broken before the first step
		return &Violation{Kind: again.Broken.Kind, Err: again.Broken.Err, Table: "(no step was taken)\n"}, nil
	}
	v := &Violation{Order: g.orderText(again.Events, out), Kind: again.Broken.Kind, Err: again.Broken.Err, Table: g.table(g.rows),
		Notes: g.notesText()}
	v.State = fmt.Sprintf("the keyspace before step %d:\n%s", len(g.rows), before)
	if diff := before.diff(after); diff == "" {
		v.State += "step " + fmt.Sprint(len(g.rows)) + " changes nothing\n"
	} else {
		v.State += "step " + fmt.Sprint(len(g.rows)) + " changes:\n" + strings.TrimSuffix(diff, "\n") + "\n"
	}
	return v, nil
}

// runOne runs one order.
func (g *game) runOne(text string) (Report, error) {
	order, out, err := g.parseOrder(text)
	if err != nil {
		return Report{}, err
	}
	report := Report{Orders: 1, Why: "only the order " + text + " was run"}
	v, err := g.show(explore.Result{Order: order}, out)
	report.Violation, report.Steps = v, len(g.steps)
	return report, g.explained(err)
}
