package stock

import (
	"context"
	"errors"
	"fmt"
)

// Audit checks the books against each other at one moment. For each item it checks that left +
// reserved + sold = supplied, that none is negative, and that the reserved orders hold what is
// counted as reserved; for items sold by [Units] that the units that are left exist; and that every
// order will be ended or forgotten. Audit returns nil, or errors that wrap [ErrAudit].
//
// Audit reads every order that is remembered in one step, some microseconds per order; other calls
// wait meanwhile. It changes nothing.
func (s *Sale) Audit(ctx context.Context) error {
	r, err := s.run(ctx, statusScript, s.keys, s.retention, "audit")
	if err != nil {
		return err
	}
	status, err := statusOf(&r)
	if err != nil {
		return err
	}
	held := map[string]int64{}
	for l := r.List(2); len(l) > 1; l = l[2:] {
		held[r.TextOf(l[0])] = r.IntOf(l[1])
	}
	orders, due, unitsLeft, late, misplaced := r.Int(3), r.Int(4), r.Int(5), r.Int(6), r.Texts(7)
	if r.Err() != nil {
		return r.Err()
	}
	var errs []error
	wrong := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrAudit}, args...)...))
	}
	var units, serials int64
	for _, it := range status.Items {
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
		wrong("orders hold %d of %q, which is not an item", n, item)
	}
	if orders-serials != due {
		wrong("%d orders, but %d of them have a time; or there are not %d serials", orders-serials, due, serials)
	}
	if unitsLeft != units {
		wrong("%d units exist, not the %d left", unitsLeft, units)
	}
	if late != 0 {
		wrong("an order is due before the time at which scripts look for it")
	}
	for _, item := range misplaced {
		wrong("item %q: the units that are left are not numbered as a queue", item)
	}
	return errors.Join(errs...)
}
