package stock

import "github.com/redmoon-lua/redmoon/scripts/internal/script"

// State is the state of an order.
type State int

// The states of an order. It begins Reserved and ends in one of the others.
const (
	Reserved  State = iota + 1 // its units are taken from the stock until the deadline
	Confirmed                  // its units are sold
	Released                   // the caller gave its units back
	Expired                    // its units went back because it was not confirmed before the deadline
)

var states = script.Names{Reserved: "reserved", Confirmed: "confirmed", Released: "released", Expired: "expired"}

// String is the name of the state.
func (s State) String() string { return states.Of("State", int(s)) }

// MarshalText returns the text of String, also in JSON.
func (s State) MarshalText() ([]byte, error) { return states.Text("stock.State", int(s)) }

// UnmarshalText reads what MarshalText returns, and refuses any other text.
func (s *State) UnmarshalText(text []byte) error { return states.Read("stock.State", (*int)(s), text) }

// Strategy is how an item is sold.
type Strategy int

// The strategies.
const (
	// Counter sells units that do not differ: the stock is a number. The cost does not depend on the
	// quantity ordered.
	Counter Strategy = iota + 1
	// Units sells units that were supplied one by one, such as seats, vouchers or serial numbers. An
	// order holds the serials of its units. Units are sold in the order in which they were supplied
	// or came back.
	Units
)

var strategies = script.Names{Counter: "counter", Units: "units"}

// String is the name of the strategy.
func (s Strategy) String() string { return strategies.Of("Strategy", int(s)) }

// MarshalText returns the text of String, also in JSON.
func (s Strategy) MarshalText() ([]byte, error) { return strategies.Text("stock.Strategy", int(s)) }

// UnmarshalText reads what MarshalText returns, and refuses any other text.
func (s *Strategy) UnmarshalText(text []byte) error {
	return strategies.Read("stock.Strategy", (*int)(s), text)
}

// Phase is the phase of a sale.
type Phase int

// The phases of a sale.
const (
	Preparing Phase = iota + 1 // nothing can be reserved yet
	Open                       // orders can be reserved
	Closed                     // nothing can be reserved; what is reserved can be confirmed and released
)

var phases = script.Names{Preparing: "preparing", Open: "open", Closed: "closed"}

// String is the name of the phase.
func (p Phase) String() string { return phases.Of("Phase", int(p)) }

// MarshalText returns the text of String, also in JSON.
func (p Phase) MarshalText() ([]byte, error) { return phases.Text("stock.Phase", int(p)) }

// UnmarshalText reads what MarshalText returns, and refuses any other text.
func (p *Phase) UnmarshalText(text []byte) error { return phases.Read("stock.Phase", (*int)(p), text) }
