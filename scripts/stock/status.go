package stock

import (
	"context"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// ItemStatus describes an item; Left + Reserved + Sold = Supplied.
type ItemStatus struct {
	Item
	Left     int64 `json:"left"`     // can be reserved
	Reserved int64 `json:"reserved"` // in orders that are not confirmed; their deadline may have passed
	Sold     int64 `json:"sold"`     // in orders that were confirmed
	Supplied int64 `json:"supplied"` // since the item was defined
}

// Status describes a sale at one moment.
type Status struct {
	Phase Phase        `json:"phase"`
	Items []ItemStatus `json:"items"` // sorted by name
}

// Status describes the sale. It changes nothing. Its cost is proportional to the number of items.
func (s *Sale) Status(ctx context.Context) (Status, error) {
	r, err := s.run(ctx, statusScript, s.keys, s.retention, "status")
	if err != nil {
		return Status{}, err
	}
	return statusOf(&r)
}

// statusOf reads the phase and the items.
func statusOf(r *script.Reply) (Status, error) {
	st := Status{Phase: Phase(phases.Find(r.Text(0)))}
	for l := r.List(1); len(l) > 1; l = l[2:] {
		fields := r.ListOf(l[1])
		if len(fields) < 4 || len(fields) > 5 {
			return Status{}, r.Malformed("has an item of %d fields", len(fields))
		}
		strategy := Counter
		if len(fields) == 5 {
			strategy = Units
		}
		it := ItemStatus{
			Item: Item{Name: r.TextOf(l[0]), Strategy: strategy, Quota: r.IntOf(fields[1])},
			Left: r.IntOf(fields[0]), Sold: r.IntOf(fields[2]), Supplied: r.IntOf(fields[3]),
		}
		it.Reserved = it.Supplied - it.Left - it.Sold
		st.Items = append(st.Items, it)
	}
	slices.SortFunc(st.Items, func(a, b ItemStatus) int { return strings.Compare(a.Name, b.Name) })
	return st, r.Err()
}

// Holder returns the token of the order that has a unit, reserved or sold. It is empty if no order
// has the unit. Holder returns an [*ItemError] with [ErrUnknownUnit] if the item has no such unit.
func (s *Sale) Holder(ctx context.Context, item, serial string) (string, error) {
	r, err := s.run(ctx, holderScript, s.keys, s.retention, item, serial)
	if err != nil {
		return "", err
	}
	token := r.Text(0)
	return token, r.Err()
}
