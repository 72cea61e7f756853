package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/explore"
)

// The kinds of breaks.
const (
	kindCheck        = "check"
	kindAlways       = "always"
	kindSerializable = "serializable"
	kindWaits        = "waits for ever"
	kindClient       = "client"
)

// mode says which commands the probe lets through.
type mode uint8

const (
	setup   mode = iota // all
	running             // those of steps
	looking             // those that change nothing
)

// game is the system of a play. It runs one order at a time.
type game struct {
	Config
	serial  map[explore.Actors][]serialEnd
	outside bool   // serial ends are being computed
	end     string // of the last serial order

	// Of the running order.
	host    Host
	out     explore.Actors
	actors  []*actor
	ticked  int
	crashes explore.Actors // crash actors that have taken their step
	steps   []explore.Event
	rows    []row
	onRow   func(before bool)

	mu      sync.Mutex // guards what follows: the probe runs on the goroutine of the engine
	mode    mode
	current *actor
	known   bool
	calls   []call
	misuse  error
	owners  map[int64]*actor
	watched map[int64][]string
	waits   map[int64]*wait
	woken   []*actor // whose wait has ended, in order
	answers explore.Uses
	evicts  bool // maxmemory is set: any command may remove any key
}

// wait is a command that waits.
type wait struct {
	a    *actor
	args []string
	uses explore.Uses
}

// row is a step for people.
type row struct {
	actor int
	lines []string
	more  []row // of clients that it has woken
}

func newGame(c Config) *game { return &game{Config: c, serial: map[explore.Actors][]serialEnd{}} }

// The numbers of the actors that are not clients.
func (g *game) clock() int         { return len(g.Clients) }
func (g *game) crash(of int) int   { return len(g.Clients) + 1 + of }
func (g *game) idle() int          { return 2*len(g.Clients) + 1 }
func (g *game) isCrash(n int) bool { return n > g.clock() && n < g.idle() }

// Free implements explore.System.
func (g *game) Free(actor int) bool { return actor >= len(g.Clients) }

// Begin implements explore.System.
func (g *game) Begin(out explore.Actors) (err error) {
	if (g.Serializable || g.Linearizable) && !g.outside {
		if err := g.findSerialEnds(out); err != nil {
			return err
		}
	}
	g.out, g.ticked, g.crashes, g.steps, g.rows = out, 0, 0, nil, nil
	g.actors, g.host = nil, Host{}
	g.mu.Lock()
	g.mode, g.current, g.calls, g.misuse, g.woken = setup, nil, nil, nil, nil
	g.owners, g.watched, g.waits = map[int64]*actor{}, map[int64][]string{}, map[int64]*wait{}
	g.mu.Unlock()
	if g.host, err = g.Open(g.probe()); err != nil {
		return err
	}
	if err := g.fill(); err != nil {
		return err
	}
	for i, c := range g.Clients {
		a := &actor{Actor: c, g: g, number: i, grant: make(chan bool), back: make(chan state), asks: make(chan func()),
			began: make(chan struct{}, 1)}
		a.client = &Client{g: g, a: a}
		g.actors = append(g.actors, a)
		if out.Has(i) {
			continue
		}
		if a.client.session, err = g.host.Engine.NewSession(); err != nil {
			return err
		}
	}
	g.setMode(running)
	for _, a := range g.actors {
		if out.Has(a.number) {
			continue
		}
		go a.main()
		a.state = ready
		if err := g.let(a); err != nil {
			return err
		}
		if err := g.problem(a); err != nil {
			return err
		}
	}
	return nil
}

// fill asks whether commands may evict keys, and fills the engine.
func (g *game) fill() error {
	v, err := g.host.Engine.DoStrings(context.Background(), "CONFIG", "GET", "maxmemory")
	if err != nil {
		return err
	}
	g.evicts = v.Len() == 2 && v.Slice()[1].Text() != "0"
	if g.Setup != nil {
		if err := g.Setup(); err != nil {
			return err
		}
	}
	if g.host.Current != nil {
		g.host.Engine = g.host.Current()
	}
	return nil
}

func (g *game) setMode(m mode) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mode = m
}

func (g *game) misused(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.misuse == nil {
		g.misuse = err
	}
}

func (g *game) scriptIsKnown(known bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known = known
}

// stuckAfter is how long a client may take from one call to the next. It is only for clients that
// wait for each other in Go, which would never end.
const stuckAfter = time.Minute

// let gives the turn to a client and waits until it gives it back.
func (g *game) let(a *actor) error {
	g.mu.Lock()
	g.current = a
	g.mu.Unlock()
	stuck := time.NewTimer(stuckAfter)
	defer stuck.Stop()
	select {
	case a.grant <- true:
	case <-a.began: // what it did after its wait waits again
		return g.nowWaits(a)
	case <-stuck.C:
		return g.stuck(a)
	}
	return g.untilBack(a, stuck)
}

func (g *game) untilBack(a *actor, stuck *time.Timer) error {
	for {
		select {
		case a.state = <-a.back:
			return nil
		case f := <-a.asks:
			f()
		case <-a.began:
			return g.nowWaits(a)
		case <-stuck.C:
			return g.stuck(a)
		}
	}
}

// nowWaits notes that a command of a client has begun to wait. The probe sees that before the
// engine has set the time-out, so the engine must finish the request first.
func (g *game) nowWaits(a *actor) error {
	a.state = waiting
	return g.host.Engine.View(context.Background(), func(engine.Keyspace) error { return nil })
}

func (g *game) stuck(a *actor) error {
	a.state = ended // its goroutine is lost
	return fmt.Errorf("%s has not come to its next call for %v: does it wait in Go for another client?", a.Name, stuckAfter)
}

// problem returns what is wrong after the turn of a client.
func (g *game) problem(a *actor) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.misuse != nil:
		return g.misuse
	case a.failed != nil:
		return &explore.Broken{Kind: kindClient, Err: a.failed}
	}
	return nil
}

// Enabled implements explore.System.
func (g *game) Enabled() (list []int) {
	limited := false
	for _, a := range g.actors {
		switch {
		case a.state == ready:
			list = append(list, a.number)
		case (a.state == waiting || a.state == asleep) && !a.Waits && !a.until.IsZero():
			limited = true
		}
	}
	busy := len(list) > 0
	if g.ticked < len(g.Ticks) && !g.out.Has(g.clock()) {
		list, busy = append(list, g.clock()), true
	}
	for i, c := range g.Clients {
		if n := g.crash(i); c.Crashes && !g.out.Has(i) && !g.out.Has(n) && !g.crashes.Has(n) {
			list = append(list, n)
		}
	}
	if !busy && limited {
		list = append(list, g.idle())
	}
	return list
}

// Step implements explore.System.
func (g *game) Step(actor int) (explore.Event, error) {
	e := explore.Event{Actor: actor}
	g.mu.Lock()
	g.calls, g.woken, g.answers = nil, nil, explore.Uses{}
	g.mu.Unlock()
	if g.onRow != nil {
		g.onRow(true)
	}
	entangled := g.host.Entangled != nil && g.host.Entangled()
	var err error
	r := row{actor: actor}
	switch {
	case actor < len(g.Clients):
		a := g.actors[actor]
		if err = g.let(a); err == nil {
			err = g.wake(&e)
		}
		e.Uses.Other(actorUse(actor), explore.Write)
		e.Uses.Other(clockUse, explore.Read)
		e.Uses.Other(serverUse, explore.Read)
	case actor == g.clock():
		d := g.Ticks[g.ticked]
		g.ticked++
		r.lines = []string{"+" + d.String()}
		err = g.advance(d, &e)
	case g.isCrash(actor):
		g.crashes |= explore.Set(actor)
		a := g.actors[actor-g.clock()-1]
		e.Hidden = a.state == ended
		e.Uses.Other(actorUse(a.number), explore.Write)
		r.actor, r.lines = a.number, []string{"crashes"}
		if !e.Hidden {
			err = g.kill(a)
		}
	default:
		d := g.untilNext()
		r.lines = []string{"+" + d.String() + " (all wait)"}
		err = g.advance(d, &e)
	}
	if entangled {
		everything(&e.Uses)
	}
	g.account(&e)
	g.describe(&r)
	e.Text = g.text(r)
	for _, n := range e.Wakes {
		e.Uses.Other(actorUse(n), explore.Write)
	}
	g.steps = append(g.steps, e)
	if !e.Hidden {
		g.rows = append(g.rows, r)
		if g.onRow != nil {
			g.onRow(false)
		}
	}
	if err == nil {
		err = g.afterStep()
	}
	return e, err
}

// wake lets the clients go on whose wait has ended, until none is left.
func (g *game) wake(e *explore.Event) error {
	for {
		g.mu.Lock()
		if len(g.woken) == 0 {
			g.mu.Unlock()
			return nil
		}
		a := g.woken[0]
		g.woken = g.woken[1:]
		g.mu.Unlock()
		if a.number != e.Actor && !slices.Contains(e.Wakes, a.number) {
			e.Wakes = append(e.Wakes, a.number)
		}
		a.until = time.Time{}
		if err := g.let(a); err != nil {
			return err
		}
	}
}

// advance moves the clock and lets the clients go on that have slept or waited until then.
func (g *game) advance(d time.Duration, e *explore.Event) error {
	e.Uses.All(explore.Write)
	e.Uses.Other(clockUse, explore.Write)
	g.mu.Lock()
	g.current = nil
	g.mu.Unlock()
	g.host.Clock.Advance(d)
	now := g.host.Clock.Now()
	var up []*actor
	for _, a := range g.actors {
		if a.state == asleep && !a.until.After(now) {
			up = append(up, a)
		}
	}
	slices.SortStableFunc(up, func(a, b *actor) int { return a.until.Compare(b.until) })
	g.mu.Lock()
	g.woken = append(g.woken, up...)
	g.mu.Unlock()
	return g.wake(e)
}

// untilNext is how long it is until the first client that waits or sleeps for a limited time goes
// on. There is one.
func (g *game) untilNext() time.Duration {
	var next time.Time
	for _, a := range g.actors {
		if (a.state == waiting || a.state == asleep) && !a.Waits && !a.until.IsZero() && (next.IsZero() || a.until.Before(next)) {
			next = a.until
		}
	}
	return max(0, next.Sub(g.host.Clock.Now()))
}

// kill ends the sessions and the goroutine of a client where it stands.
func (g *game) kill(a *actor) error {
	a.crashed = true
	return g.stop(a)
}

// stop makes the goroutine of a client end, and closes its connections.
func (g *game) stop(a *actor) error {
	if a.state == notBegun || a.state == ended {
		return nil
	}
	g.mu.Lock()
	g.current = nil // what it still sends is refused
	var sessions []int64
	for id, owner := range g.owners {
		if owner == a && id != 0 {
			sessions = append(sessions, id)
		}
	}
	was := g.mode
	g.mode = setup
	for id, w := range g.waits {
		if w.a == a {
			delete(g.waits, id)
		}
	}
	g.mu.Unlock()
	slices.Sort(sessions)
	_ = a.client.session.Close()
	for _, id := range sessions {
		_, _ = g.host.Engine.Do(context.Background(), "CLIENT", "KILL", "ID", id)
	}
	g.setMode(was)
	stuck := time.NewTimer(stuckAfter)
	defer stuck.Stop()
	if a.state == waiting {
		a.close()
	}
	for {
		select {
		case a.grant <- false:
		case <-a.began:
		case a.state = <-a.back:
			if a.state == ended {
				a.close()
				return nil
			}
		case <-stuck.C:
			return g.stuck(a)
		}
	}
}

// close closes the connections of a client.
func (a *actor) close() {
	for _, f := range a.onEnd {
		f()
	}
	a.onEnd = nil
}

// account adds to the uses of a step what its commands have used.
func (g *game) account(e *explore.Event) {
	g.mu.Lock()
	for i := range g.calls {
		c := &g.calls[i]
		if c.answer != nil {
			continue // see answers
		}
		c.uses(&e.Uses)
		for _, k := range g.watched[c.session] {
			if c.name() == "exec" {
				e.Uses.Key(k, explore.Read)
			}
		}
		g.keepWatch(c)
	}
	e.Uses.Join(g.answers)
	evicts := g.evicts
	g.mu.Unlock()
	if evicts && e.Actor < len(g.Clients) {
		e.Uses.All(explore.Write)
	}
	if g.Always != nil && e.Uses.Writes() {
		e.Uses.Other(alwaysUse, explore.Write)
	}
	if g.Linearizable && e.Actor < len(g.Clients) {
		first := !slices.ContainsFunc(g.steps, func(s explore.Event) bool { return s.Actor == e.Actor })
		if first {
			e.Uses.Other(lifeUse, explore.Read)
		}
		if g.actors[e.Actor].state == ended {
			e.Uses.Other(lifeUse, explore.Add)
		}
		for _, n := range e.Wakes {
			if g.actors[n].state == ended {
				e.Uses.Other(lifeUse, explore.Add)
			}
		}
	}
}

// keepWatch follows WATCH. The caller holds mu.
func (g *game) keepWatch(c *call) {
	switch c.name() {
	case "watch":
		if !c.reply.IsError() {
			for _, k := range c.args[1:] {
				g.watched[c.session] = append(g.watched[c.session], keyUse(c.db, k))
			}
		}
	case "exec", "discard", "unwatch", "reset":
		if !c.reply.IsError() { // without MULTI, EXEC and DISCARD change nothing
			delete(g.watched, c.session)
		}
	}
}

// afterStep looks at the state after a step.
func (g *game) afterStep() error {
	for _, a := range g.actors {
		if err := g.problem(a); err != nil {
			return err
		}
	}
	if g.Always == nil || g.outside {
		return nil
	}
	return g.look(kindAlways, g.Always)
}

// look calls an invariant.
func (g *game) look(kind string, f func(*State) error) error {
	g.setMode(looking)
	before := g.host.Clock.Now()
	err := f(&State{g})
	g.setMode(running)
	if !g.host.Clock.Now().Equal(before) {
		return errors.New("an invariant has moved the clock")
	}
	if p := g.problem(g.actors[0]); p != nil {
		var broken *explore.Broken
		if !errors.As(p, &broken) {
			return p
		}
	}
	if err != nil {
		return &explore.Broken{Kind: kind, Err: err}
	}
	return nil
}

// End implements explore.System.
func (g *game) End(whole bool) (err error) {
	if whole {
		err = g.atEnd()
	}
	g.mu.Lock()
	g.mode, g.current = running, nil
	g.mu.Unlock()
	var stopErr error
	for _, a := range g.actors {
		if e := g.stop(a); e != nil {
			stopErr = errors.Join(stopErr, e)
			continue
		}
		a.close()
	}
	g.setMode(setup)
	if g.host.Close != nil {
		stopErr = errors.Join(stopErr, g.host.Close())
	}
	if stopErr != nil {
		return stopErr
	}
	return err
}

// atEnd looks at the end of an order.
func (g *game) atEnd() error {
	var late []string
	for _, a := range g.actors {
		if a.state == waiting && !a.Waits {
			late = append(late, a.Name+" in "+g.rowOf(a))
		}
	}
	if len(late) > 0 {
		return &explore.Broken{Kind: kindWaits, Err: fmt.Errorf("waits for ever: %s", strings.Join(late, ", "))}
	}
	if g.outside {
		var err error
		g.end, err = g.endText()
		return err
	}
	if g.Check != nil {
		if err := g.look(kindCheck, g.Check); err != nil {
			return err
		}
	}
	if g.Serializable || g.Linearizable {
		return g.checkSerial()
	}
	return nil
}

// rowOf returns the last step of a client for people.
func (g *game) rowOf(a *actor) string {
	for i := len(g.rows) - 1; i >= 0; i-- {
		if g.rows[i].actor == a.number {
			return g.rows[i].lines[0]
		}
	}
	return "its first call"
}

var _ explore.System = (*game)(nil)
