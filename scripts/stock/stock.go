package stock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/engine"
)

// Limits of a sale.
const (
	MaxLines    = 100                // lines of an order
	MaxQuantity = 10_000             // units of one line
	MaxSupply   = 99_999_999_999_999 // units of an item: Lua writes numbers with 14 digits
	maxName     = 512                // bytes
	chunk       = 1000               // serials that one script takes
)

// Options are the settings of a sale. All that use a sale should have the same.
type Options struct {
	// Hold is how long an order may be confirmed after it was reserved; 0 is 15 minutes, less than a microsecond cannot be.
	Hold time.Duration
	// Remember is how long a token is known after its order has ended, or after the supply; 0 is 24 hours, negative is for ever. A call that is
	// made again later than that is a new one.
	Remember time.Duration
	// Ready is the stream, such as the ready stream of a delay queue, to which each confirmed order is added in the same atomic step: an entry of
	// the fields id, the token, and payload, JSON {"id":…,"user":…,"lines":[{"item":…,"quantity":…,"serials":[…]}],"confirmed":ms}. It must lie
	// in the slot of the sale, as keys with its hash tag do. Empty is none.
	Ready string
}

// Line is one line of an order.
type Line struct {
	Item     string
	Quantity int64    // 1 to MaxQuantity
	Serials  []string // of the units, where the item is sold by [Units]; of no meaning when an order is reserved
}

// Order is what was reserved under a token.
type Order struct {
	Token, User string
	Lines       []Line // sorted by item
	State       State
	At          time.Time // of a reserved order its deadline; otherwise when it ended, of an expired one the deadline too
}

// Sale is a sale of items. It is immutable and safe for use by any number of goroutines.
type Sale struct {
	r                       engine.Runner
	keys, confirm           []string
	hold, remember, maximum string
}

// New returns the sale of that name on r. It touches nothing. It returns [ErrName] for a name that is empty, too long or holds a brace, and
// [ErrOption] for settings that cannot be.
func New(r engine.Runner, sale string, o Options) (*Sale, error) {
	if err := checkNames(sale); err != nil {
		return nil, err
	}
	if strings.ContainsAny(sale, "{}") {
		return nil, fmt.Errorf("%w: the name of a sale holds a brace: %q", ErrName, sale)
	}
	if o.Hold == 0 {
		o.Hold = 15 * time.Minute
	}
	if o.Remember == 0 {
		o.Remember = 24 * time.Hour
	}
	if o.Hold < time.Microsecond {
		return nil, fmt.Errorf("%w: orders held for %v", ErrOption, o.Hold)
	}
	s := &Sale{r: r, hold: micros(o.Hold), remember: "ever", maximum: strconv.Itoa(MaxSupply)}
	if o.Remember > 0 {
		s.remember = micros(o.Remember)
	}
	prefix := "stock:{" + sale + "}:"
	for _, key := range []string{"items", "orders", "due", "users", "units"} {
		s.keys = append(s.keys, prefix+key)
	}
	s.confirm = s.keys
	if o.Ready != "" {
		if engine.Slot(o.Ready) != engine.Slot(prefix) {
			return nil, fmt.Errorf("%w: stream %q is not in the slot of sale %q", ErrOption, o.Ready, sale)
		}
		s.confirm = append(slices.Clone(s.keys), o.Ready)
	}
	return s, nil
}

func micros(d time.Duration) string { return strconv.FormatInt(d.Microseconds(), 10) }

func checkNames(names ...string) error {
	for _, n := range names {
		if n == "" || len(n) > maxName || !utf8.ValidString(n) {
			return fmt.Errorf("%w: %.60q", ErrName, n)
		}
	}
	return nil
}

// Keys returns the keys of the sale in the order of the scripts' KEYS: items, orders, due, users, units.
func (s *Sale) Keys() []string { return slices.Clone(s.keys) }

// Reserve takes what the lines ask for from the stock and holds it for the user until the deadline, the order's At. It is all lines or none.
//
// The same order under the same token changes nothing and returns the order as it stands: with [ErrReleased] or [ErrExpired] where it has
// ended so, and no error where it was confirmed. [ErrTokenReused] means that the token stands for something else. An order that
// was refused is not remembered: the same call may succeed later.
//
// Refusals are, in this order: [ErrOrder] for no lines, more than [MaxLines], an item twice or a quantity below 1 or above [MaxQuantity], and
// [ErrName]; [ErrTokenReused]; [ErrNotOpen] and [ErrClosed]; of the first line that cannot be, [ErrUnknownItem], [ErrSoldOut] or [ErrQuota], as an
// [*ItemError].
//
// A reservation whose time is over never stands in the way, whether or not anybody has called Sweep.
func (s *Sale) Reserve(ctx context.Context, token, user string, lines ...Line) (Order, error) {
	if err := checkLines(token, user, lines); err != nil {
		return Order{}, err
	}
	args := make([]string, 0, 4+2*len(lines))
	args = append(args, s.remember, s.hold, token, user)
	if len(lines) > 1 {
		lines = slices.Clone(lines)
		slices.SortFunc(lines, func(a, b Line) int { return cmp.Compare(a.Item, b.Item) })
	}
	for i, l := range lines {
		if i > 0 && l.Item == lines[i-1].Item {
			return Order{}, fmt.Errorf("%w: item %q twice", ErrOrder, l.Item)
		}
		args = append(args, l.Item, strconv.FormatInt(l.Quantity, 10))
	}
	for {
		list, err := s.run(ctx, reserveScript, s.keys, args...)
		if errors.Is(err, errAgain) {
			continue // each call ends as many orders as one script should
		}
		if err == ErrSoldOut {
			err = &ItemError{Item: lines[0].Item, Err: err} // where there is but one, its name is not repeated
		}
		if err != nil {
			return Order{}, err
		}
		if len(list) > 0 && list[0].Slice() == nil {
			o := Order{Token: token, User: user, State: Reserved, At: time.UnixMicro(list[0].Int()), Lines: make([]Line, len(lines))}
			for i, l := range lines {
				o.Lines[i] = Line{Item: l.Item, Quantity: l.Quantity}
			}
			if len(list) > 1 {
				o.Lines[0].Serials = []string{list[1].Text()}
			}
			return o, nil
		}
		o, err := orderOf(token, list, nil)
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

func checkLines(token, user string, lines []Line) error {
	if len(lines) < 1 || len(lines) > MaxLines {
		return fmt.Errorf("%w: %d lines", ErrOrder, len(lines))
	}
	if err := checkNames(token, user); err != nil {
		return err
	}
	for _, l := range lines {
		if err := checkNames(l.Item); err != nil {
			return err
		}
		if l.Quantity < 1 || l.Quantity > MaxQuantity {
			return fmt.Errorf("%w: %d of item %q", ErrOrder, l.Quantity, l.Item)
		}
	}
	return nil
}

// Confirm sells what the order of a token holds; where the sale has a ready stream, the order is added to it in the same step. Confirming it again
// changes nothing and returns the same. It returns [ErrExpired] from the order's deadline on, [ErrReleased], and [ErrUnknownOrder].
func (s *Sale) Confirm(ctx context.Context, token string) (Order, error) {
	return s.ordered(ctx, confirmScript, s.confirm, token, s.remember, token)
}

// Release gives back what the order of a token holds. Releasing it again changes nothing and returns the same. It returns [ErrConfirmed],
// [ErrExpired], when it went back by itself before, and [ErrUnknownOrder].
func (s *Sale) Release(ctx context.Context, token string) (Order, error) {
	return s.ordered(ctx, releaseScript, s.keys, token, s.remember, token)
}

// Order returns the order of a token. It returns [ErrUnknownOrder] when there is none.
func (s *Sale) Order(ctx context.Context, token string) (Order, error) {
	return s.ordered(ctx, orderScript, s.keys, token, s.remember, token)
}

// Swept tells what [Sale.Sweep] has done.
type Swept struct {
	Expired   int64 // orders whose units went back
	Forgotten int64 // orders that had ended long ago
}

// Sweep ends at most limit orders, at least 1, whose time is over, and forgets those that ended longer ago than they are remembered. When it did
// fewer than limit, nothing is left to do.
//
// Nobody needs to call it: Reserve does the same, a few orders at each call. It makes [Report] show what is left while nobody buys, and memory free
// after a sale.
func (s *Sale) Sweep(ctx context.Context, limit int) (Swept, error) {
	list, err := s.run(ctx, sweepScript, s.keys, s.remember, strconv.Itoa(max(limit, 1)))
	if err != nil {
		return Swept{}, err
	}
	if len(list) < 2 {
		return Swept{}, fmt.Errorf("stock: a sweep of %d numbers", len(list))
	}
	return Swept{Expired: list[0].Int(), Forgotten: list[1].Int()}, nil
}
