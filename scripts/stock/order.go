package stock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Line is one line of an order.
type Line struct {
	Item     string   `json:"item"`
	Quantity int64    `json:"quantity"`          // 1 to MaxQuantity
	Serials  []string `json:"serials,omitempty"` // of the units, if the item is sold by [Units]; ignored by Reserve
}

// Order is what was reserved under a token.
type Order struct {
	Token string `json:"token"`
	User  string `json:"user"`
	Lines []Line `json:"lines"` // sorted by item
	State State  `json:"state"`
	// At is the deadline of a reserved order. Otherwise it is when the order ended; an expired order
	// ended at its deadline. In whole microseconds.
	At time.Time `json:"at,omitzero"`
}

// Reserve takes all lines from the stock, or none, and holds them for the user until the deadline,
// the At of the order.
//
// Repeated with the same token and the same order, Reserve changes nothing and returns the order as
// it is now: with [ErrReleased] or [ErrExpired] if it has ended like that, and without an error if
// it was confirmed. [ErrTokenReused] means that the token was used for something else. A refused
// order is not remembered: the same call may succeed later.
//
// Refusals are checked in this order: [ErrOrder] for no lines, more than [MaxLines], an item that
// is there twice, or a quantity below 1 or above [MaxQuantity], and [ErrName]; [ErrTokenReused];
// [ErrNotOpen] and [ErrClosed]; and an [*ItemError] for the first line that has [ErrUnknownItem],
// [ErrSoldOut] or [ErrQuota].
//
// A reservation that has expired never stands in the way, whether or not Sweep was called.
func (s *Sale) Reserve(ctx context.Context, token, user string, lines ...Line) (Order, error) {
	if err := checkOrder(token, user, lines); err != nil {
		return Order{}, err
	}
	args := make([]string, 0, 4+2*len(lines))
	args = append(args, s.retention, s.hold, token, user)
	if len(lines) > 1 {
		lines = slices.Clone(lines)
		slices.SortFunc(lines, func(a, b Line) int { return cmp.Compare(a.Item, b.Item) })
	}
	for i, l := range lines {
		if i > 0 && l.Item == lines[i-1].Item {
			return Order{}, fmt.Errorf("%w: item %q is there twice", ErrOrder, l.Item)
		}
		args = append(args, l.Item, script.Int(l.Quantity))
	}
	for {
		r, err := s.run(ctx, reserveScript, s.keys, args...)
		if errors.Is(err, errAgain) {
			continue // each call ends as many orders as one script should
		}
		if err != nil {
			return Order{}, err
		}
		if r.Outcome == "reserved" {
			return reserved(token, user, lines, r)
		}
		o, err := orderOf(token, r, nil)
		switch {
		case err != nil:
			return Order{}, err
		case o.State == Released:
			return o, ErrReleased
		case o.State == Expired:
			return o, ErrExpired
		}
		return o, nil
	}
}

// reserved is the order that was reserved just now. The reply has its deadline and, if it is one
// unit, the serial.
func reserved(token, user string, lines []Line, r script.Reply) (Order, error) {
	o := Order{Token: token, User: user, State: Reserved, At: time.UnixMicro(r.Int(0)), Lines: make([]Line, len(lines))}
	for i, l := range lines {
		o.Lines[i] = Line{Item: l.Item, Quantity: l.Quantity}
	}
	if r.Len() > 1 {
		o.Lines[0].Serials = []string{r.Text(1)}
	}
	return o, r.Err()
}

func checkOrder(token, user string, lines []Line) error {
	if len(lines) < 1 || len(lines) > MaxLines {
		return fmt.Errorf("%w: %d lines, not 1 to %d", ErrOrder, len(lines), MaxLines)
	}
	if err := checkNames(token, user); err != nil {
		return err
	}
	for _, l := range lines {
		if err := checkNames(l.Item); err != nil {
			return err
		}
		if l.Quantity < 1 || l.Quantity > MaxQuantity {
			return fmt.Errorf("%w: %d of item %q, not 1 to %d", ErrOrder, l.Quantity, l.Item, MaxQuantity)
		}
	}
	return nil
}

// Confirm sells what the order of a token holds. If Options.Ready is set, the order is added to
// that stream in the same step. A repeated call changes nothing and returns the same. Confirm
// returns [ErrExpired] from the deadline of the order on, [ErrReleased], and [ErrUnknownOrder].
func (s *Sale) Confirm(ctx context.Context, token string) (Order, error) {
	return s.ordered(ctx, confirmScript, s.confirm, token)
}

// Release gives back what the order of a token holds. A repeated call changes nothing and returns
// the same. Release returns [ErrConfirmed], [ErrExpired] if the order went back by itself before,
// and [ErrUnknownOrder].
func (s *Sale) Release(ctx context.Context, token string) (Order, error) {
	return s.ordered(ctx, releaseScript, s.keys, token)
}

// Find returns the order of a token. It returns [ErrUnknownOrder] if there is none.
func (s *Sale) Find(ctx context.Context, token string) (Order, error) {
	return s.ordered(ctx, findScript, s.keys, token)
}

// ordered runs a script whose reply has the order of a token.
func (s *Sale) ordered(ctx context.Context, sc *script.Script, keys []string, token string) (Order, error) {
	r, err := s.run(ctx, sc, keys, s.retention, token)
	return orderOf(token, r, err)
}

// orderOf is the order in a reply. err is the error that the outcome of the reply stands for, if
// any; it is returned with the order.
func orderOf(token string, r script.Reply, err error) (Order, error) {
	if r.Len() == 0 && err != nil {
		return Order{}, err
	}
	fields := r.List(0)
	if len(fields) < 6 || len(fields)%3 != 0 {
		return Order{}, r.Malformed("has an order of %d fields", len(fields))
	}
	o := Order{
		Token: token, State: State(states.Find(r.TextOf(fields[0]))), At: time.UnixMicro(r.IntOf(fields[1])),
		User: r.TextOf(fields[2]), Lines: make([]Line, 0, len(fields)/3-1),
	}
	for l := fields[3:]; len(l) > 0; l = l[3:] {
		line := Line{Item: r.TextOf(l[0]), Quantity: r.IntOf(l[1])}
		if !l[2].IsNil() {
			line.Serials = r.TextsOf(l[2])
		}
		o.Lines = append(o.Lines, line)
	}
	if r.Err() != nil {
		return Order{}, r.Err()
	}
	return o, err
}
