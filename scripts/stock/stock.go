package stock

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Limits of a sale.
const (
	MaxLines    = 100                // lines of an order
	MaxQuantity = 10_000             // units of one line
	MaxSupply   = 99_999_999_999_999 // units of an item: Lua prints numbers with 14 digits
	chunk       = 1000               // serials that one script takes
)

// Options of a sale. The zero value works. Every process that uses the sale should pass the same
// options.
type Options struct {
	// Hold is how long an order can be confirmed after it was reserved, in whole microseconds. At
	// least 1 µs. Default: 15 minutes.
	Hold time.Duration
	// Retention is how long a token is remembered after its order ended or after the supply, in
	// whole microseconds. A call repeated later than that is a new one. Default: 24 hours; negative:
	// for ever.
	Retention time.Duration
	// Ready is the key of the stream to which each confirmed order is added in the same atomic step,
	// such as the ready stream of a delay queue. An entry has the fields id, the token, and payload,
	// JSON {"id":…,"user":…,"lines":[{"item":…,"quantity":…,"serials":[…]}],"confirmed":ms}. The key
	// must be in the slot of the sale, as keys with its hash tag are. Default: none.
	Ready string
}

// Sale is a sale of items. It is immutable and safe for use by any number of goroutines.
type Sale struct {
	c                        engine.Client
	keys, confirm            []string
	hold, retention, maximum string
}

// New returns the sale of that name on c. It sends nothing. It returns [ErrName] or [ErrOptions].
func New(c engine.Client, name string, o Options) (*Sale, error) {
	if err := script.CheckName(ErrName, name); err != nil {
		return nil, err
	}
	script.Default(&o.Hold, 15*time.Minute)
	script.Default(&o.Retention, 24*time.Hour)
	if o.Hold < time.Microsecond {
		return nil, fmt.Errorf("%w: Hold %v is below 1 µs", ErrOptions, o.Hold)
	}
	s := &Sale{c: c, hold: script.Micros(o.Hold), retention: "ever", maximum: strconv.Itoa(MaxSupply)}
	if o.Retention > 0 {
		s.retention = script.Micros(o.Retention)
	}
	prefix := "stock:{" + name + "}:"
	for _, key := range []string{"items", "orders", "due", "users", "units"} {
		s.keys = append(s.keys, prefix+key)
	}
	s.confirm = s.keys
	if o.Ready != "" {
		if engine.Slot(o.Ready) != engine.Slot(prefix) {
			return nil, fmt.Errorf("%w: Ready %q is not in the slot of sale %q", ErrOptions, o.Ready, name)
		}
		s.confirm = append(slices.Clone(s.keys), o.Ready)
	}
	return s, nil
}

func checkNames(names ...string) error {
	for _, n := range names {
		if err := script.CheckText(ErrName, n); err != nil {
			return err
		}
	}
	return nil
}

// Keys returns the keys of the sale in the order of the scripts' KEYS: items, orders, due, users,
// units.
func (s *Sale) Keys() []string { return slices.Clone(s.keys) }
