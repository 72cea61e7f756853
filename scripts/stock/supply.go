package stock

import (
	"context"
	"fmt"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Item is something for sale.
type Item struct {
	Name     string   `json:"name"`
	Strategy Strategy `json:"strategy"` // default: Counter
	Quota    int64    `json:"quota"`    // how many a user may have, reserved and bought: 1 to MaxSupply; 0 means no limit
}

// Define adds items to the sale, with no stock. If an item exists, its quota is changed. A quota
// below what users have takes nothing from them. Define returns [ErrName] or [ErrItem] for an item
// out of range, and [ErrStrategy] if an item exists with another strategy; then no item is changed.
func (s *Sale) Define(ctx context.Context, items ...Item) error {
	if len(items) == 0 {
		return nil
	}
	args := []string{s.retention}
	for _, it := range items {
		if err := checkNames(it.Name); err != nil {
			return err
		}
		script.Default(&it.Strategy, Counter)
		if it.Strategy < Counter || it.Strategy > Units {
			return fmt.Errorf("%w: item %q: %v does not exist", ErrItem, it.Name, it.Strategy)
		}
		if it.Quota < 0 || it.Quota > MaxSupply {
			return fmt.Errorf("%w: item %q: Quota %d is not from 0 to %d", ErrItem, it.Name, it.Quota, int64(MaxSupply))
		}
		args = append(args, it.Name, it.Strategy.String(), script.Int(it.Quota))
	}
	_, err := s.run(ctx, defineScript, s.keys, args...)
	return err
}

// Open lets users reserve, for the first time or again after Close.
func (s *Sale) Open(ctx context.Context) error {
	_, err := s.run(ctx, phaseScript, s.keys, s.retention, Open.String())
	return err
}

// Close ends reserving. What is reserved can still be confirmed and released, and still expires.
func (s *Sale) Close(ctx context.Context) error {
	_, err := s.run(ctx, phaseScript, s.keys, s.retention, Closed.String())
	return err
}

// Supply adds a quantity, 1 to [MaxSupply], to the stock of an item that is sold by [Counter]. It
// may be called in any phase. A repeated call with the same token changes nothing. Supplies and
// orders share their tokens. Supply returns [ErrName], [ErrTokenReused], or an [*ItemError] with
// [ErrUnknownItem], [ErrStrategy] or [ErrSupply].
func (s *Sale) Supply(ctx context.Context, token, item string, quantity int64) error {
	if err := checkNames(token, item); err != nil {
		return err
	}
	if quantity < 1 || quantity > MaxSupply {
		return &ItemError{Item: item, Err: fmt.Errorf("%w: %d", ErrSupply, quantity)}
	}
	_, err := s.run(ctx, supplyScript, s.keys, s.retention, token, item, script.Int(quantity), s.maximum)
	return err
}

// SupplyUnits adds units to the stock of an item that is sold by [Units]. It may be called in any
// phase. Units are sold in the order given. A serial that the item has or had, sold or not, changes
// nothing, so repeating the call is harmless. SupplyUnits returns the number of new units. It adds
// a thousand units per script; if it fails, the units of earlier scripts are added and counted. It
// returns [ErrName], or an [*ItemError] with [ErrUnknownItem] or [ErrStrategy].
func (s *Sale) SupplyUnits(ctx context.Context, item string, serials ...string) (int64, error) {
	if err := checkNames(item); err != nil {
		return 0, err
	}
	if err := checkNames(serials...); err != nil {
		return 0, err
	}
	var added int64
	for first := 0; first < len(serials); first += chunk {
		args := append([]string{s.retention, item}, serials[first:min(first+chunk, len(serials))]...)
		r, err := s.run(ctx, unitsScript, s.keys, args...)
		if err != nil {
			return added, err
		}
		added += r.Int(0)
		if r.Err() != nil {
			return added, r.Err()
		}
	}
	return added, nil
}
