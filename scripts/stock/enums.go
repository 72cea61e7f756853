package stock

import "fmt"

// State is how an order stands.
type State uint8

// The states of an order. It begins Reserved and ends in one of the others.
const (
	Reserved  State = iota + 1 // its units are taken from the stock until the deadline
	Confirmed                  // its units are sold
	Released                   // its units were given back by the caller
	Expired                    // its units went back, because it was not confirmed before its deadline
)

var states = [...]string{Reserved: "reserved", Confirmed: "confirmed", Released: "released", Expired: "expired"}

func (s State) String() string { return name(states[:], int(s), "State") }

// Strategy is how an item is sold.
type Strategy uint8

// The strategies.
const (
	// Counter sells any of so many: the stock is a number. It costs the same however much is ordered.
	Counter Strategy = iota + 1
	// Units sells units that were supplied one by one, such as seats, vouchers or serial numbers: an order holds the serials of its units, in the
	// order in which they were supplied or came back.
	Units
)

var strategies = [...]string{Counter: "counter", Units: "units"}

func (s Strategy) String() string { return name(strategies[:], int(s), "Strategy") }

// Phase is how far a sale is.
type Phase uint8

// The phases of a sale.
const (
	Preparing Phase = iota + 1 // nothing can be reserved yet
	Open
	Closed // nothing can be reserved any more; what is reserved can be confirmed and released
)

var phases = [...]string{Preparing: "preparing", Open: "open", Closed: "closed"}

func (p Phase) String() string { return name(phases[:], int(p), "Phase") }

func name(names []string, i int, kind string) string {
	if i < 1 || i >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, i)
	}
	return names[i]
}

// parse finds a name; it is 0 when there is none.
func parse(names []string, s string) int {
	for i := 1; i < len(names); i++ {
		if names[i] == s {
			return i
		}
	}
	return 0
}
