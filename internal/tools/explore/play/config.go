package play

import (
	"fmt"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// The limits of a search that sets none.
const (
	DefaultOrders = 10_000
	DefaultSteps  = 1000
)

// ClientName is the name of a client, counted from 0, that has none.
func ClientName(client int) string { return fmt.Sprintf("client %d", client+1) }

// LateAfter returns Config.Late for a moment on the machine's clock. The zero Time is never.
func LateAfter(at time.Time) func() bool {
	return func() bool { return !at.IsZero() && time.Now().After(at) }
}

// Config is a play: clients, an engine for each order, and what must hold.
type Config struct {
	// Open returns a new engine. It installs the probe before it returns, beside probes of its own;
	// see [engine.Engine.SetProbe].
	Open func(*engine.Probe) (Host, error)
	// Setup fills the engine that Open has returned last. nil: it stays empty.
	Setup   func() error
	Clients []Actor
	// Ticks are the steps of the clock, in order.
	Ticks []time.Duration
	// Always is called after each step, Check at the end of each order. An error breaks the order.
	// They may be nil.
	Always, Check func(*State) error
	// Serializable demands that each order ends as some order in which the clients run one after the
	// other: with the same keyspace and the same notes of the clients. Linearizable demands in
	// addition that a client that has ended before another begins comes before it.
	Serializable, Linearizable bool
	// RandomTexts allows that texts among the arguments and replies differ when steps are repeated.
	RandomTexts bool
	// Unreduced, MaxPreemptions (0: no limit), MaxOrders and MaxSteps limit the search; see package
	// explore.
	Unreduced                           bool
	MaxPreemptions, MaxOrders, MaxSteps int
	// Late is asked before each order; the search stops if it returns true. nil: never.
	Late func() bool
	// Order runs only this order; see [Report].
	Order string
	// ScriptName names a script by its SHA1, "" for one that it does not know. It may be nil.
	ScriptName func(sha string) string
}

// Host is an engine for one order.
type Host struct {
	Engine *engine.Engine
	Clock  *engine.VirtualClock
	// Current returns the engine after Setup, which may have replaced it. nil: it is Engine.
	Current func() *engine.Engine
	// Entangled reports, before a step, whether it depends on earlier steps by other means than the
	// engine, such as faults that are counted; then it commutes with no other. nil: it does not.
	Entangled func() bool
	// Close ends the engine.
	Close func() error
}

// Actor is a client of a play.
type Actor struct {
	Name string
	// Run is the client. It must do the same whenever it gets the same replies.
	Run func(*Client)
	// Crashes ends the client at each of its steps, in orders of their own.
	Crashes bool
	// Waits says that the client may still wait at the end, as a worker does.
	Waits bool
}

// State is the end of an order, or a moment in it, for Always and Check.
type State struct{ g *game }

// Crashed reports whether a client, counted from 0, has crashed.
func (s *State) Crashed(client int) bool { return s.g.actors[client].crashed }

// Ended reports whether a client has returned.
func (s *State) Ended(client int) bool {
	a := s.g.actors[client]
	return a.state == ended && !a.crashed
}

// Note returns what a client has noted last under a name.
func (s *State) Note(client int, name string) (value any, ok bool) {
	for _, n := range s.g.actors[client].notes {
		if n.name == name {
			value, ok = n.value, true
		}
	}
	return value, ok
}

// Notes returns all that the clients have noted under a name, client by client, in order.
func (s *State) Notes(name string) (values []any) {
	for _, a := range s.g.actors {
		for _, n := range a.notes {
			if n.name == name {
				values = append(values, n.value)
			}
		}
	}
	return values
}

// ClientNotes returns all that a client has noted, in order.
func (s *State) ClientNotes(client int) (values []any) {
	for _, n := range s.g.actors[client].notes {
		values = append(values, n.value)
	}
	return values
}
