package stock

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// ItemReport is how an item stands: Left + Reserved + Sold = Supplied.
type ItemReport struct {
	Item
	Left     int64 // can be reserved
	Reserved int64 // in orders that wait to be confirmed, or to be ended because their time is over
	Sold     int64 // in orders that were confirmed
	Supplied int64 // ever
}

// Report is how a sale stands, at one moment.
type Report struct {
	Phase Phase
	Items []ItemReport // sorted by name
}

// Report tells how the sale stands. It costs time in proportion to the number of items.
func (s *Sale) Report(ctx context.Context) (Report, error) {
	list, err := s.run(ctx, reportScript, s.keys, s.remember, "report")
	if err != nil {
		return Report{}, err
	}
	return report(list)
}

// report reads the phase and the items.
func report(list []engine.Value) (Report, error) {
	if len(list) < 2 {
		return Report{}, fmt.Errorf("stock: a report of %d parts", len(list))
	}
	r := Report{Phase: Phase(parse(phases[:], list[0].Text()))}
	for l := list[1].Slice(); len(l) > 1; l = l[2:] {
		f := l[1].Slice()
		if len(f) < 4 || len(f) > 5 {
			return Report{}, fmt.Errorf("stock: an item of %d fields", len(f))
		}
		it := ItemReport{
			Item: Item{Name: l[0].Text(), Strategy: Strategy(len(f) - 3), Quota: f[1].Int()}, // only one sold by units has a fifth
			Left: f[0].Int(), Sold: f[2].Int(), Supplied: f[3].Int(),
		}
		it.Reserved = it.Supplied - it.Left - it.Sold
		r.Items = append(r.Items, it)
	}
	slices.SortFunc(r.Items, func(a, b ItemReport) int { return strings.Compare(a.Name, b.Name) })
	return r, nil
}

// Audit checks the books against each other, at one moment: of each item that left + reserved + sold = supplied, none below zero, where
// reserved is what the reserved orders hold, counted anew; that of items sold by [Units] those units are there that are left; and that every order
// will be ended or forgotten. It returns what is wrong as errors that are [ErrAudit], or nil.
//
// It looks at every order that is remembered in one step, so that others wait: some microseconds an order.
func (s *Sale) Audit(ctx context.Context) error {
	list, err := s.run(ctx, reportScript, s.keys, s.remember, "audit")
	if err != nil {
		return err
	}
	if len(list) != 8 {
		return fmt.Errorf("stock: an audit of %d parts", len(list))
	}
	r, err := report(list)
	if err != nil {
		return err
	}
	held := map[string]int64{}
	for l := list[2].Slice(); len(l) > 1; l = l[2:] {
		held[l[0].Text()] = l[1].Int()
	}
	var errs []error
	wrong := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrAudit}, args...)...))
	}
	var units, serials int64
	for _, it := range r.Items {
		if it.Left < 0 || it.Reserved < 0 || it.Sold < 0 {
			wrong("item %q: %d left, %d reserved, %d sold of %d", it.Name, it.Left, it.Reserved, it.Sold, it.Supplied)
		}
		if held[it.Name] != it.Reserved {
			wrong("item %q: orders hold %d, not the %d reserved", it.Name, held[it.Name], it.Reserved)
		}
		delete(held, it.Name)
		if it.Strategy == Units {
			units, serials = units+it.Left, serials+it.Supplied
		}
	}
	for item, n := range held {
		wrong("orders hold %d of %q, which is no item", n, item)
	}
	if orders, due := list[3].Int()-serials, list[4].Int(); orders != due {
		wrong("%d orders, %d of them due at some time; or not the %d serials supplied", orders, due, serials)
	}
	if n := list[5].Int(); n != units {
		wrong("%d units are there, not the %d left", n, units)
	}
	if list[6].Int() != 0 {
		wrong("an order is due before anybody would look")
	}
	for _, item := range list[7].Strings() {
		wrong("item %q: the units that are left are not where they should be", item)
	}
	return errors.Join(errs...)
}

// Holder returns the token of the order that has the unit of a serial, reserved or sold; it is empty while nobody has it. It returns
// [ErrUnknownUnit] when the item has no such unit.
func (s *Sale) Holder(ctx context.Context, item, serial string) (string, error) {
	list, err := s.run(ctx, holderScript, s.keys, s.remember, item, serial)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", fmt.Errorf("stock: a reply without a token")
	}
	return list[0].Text(), nil
}
