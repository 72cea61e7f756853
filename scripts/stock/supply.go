package stock

import (
	"context"
	"fmt"
	"strconv"
)

// Item is something for sale.
type Item struct {
	Name     string
	Strategy Strategy // 0 is Counter
	Quota    int64    // how many a user may have, reserved and bought; 0 is no limit
}

// Define adds items to the sale, with no stock. For an item that is there it sets the quota anew; with another strategy it returns
// [ErrStrategy]. A quota below what users have takes nothing from them.
func (s *Sale) Define(ctx context.Context, items ...Item) error {
	if len(items) == 0 {
		return nil
	}
	args := []string{s.remember}
	for _, it := range items {
		if err := checkNames(it.Name); err != nil {
			return err
		}
		if it.Strategy == 0 {
			it.Strategy = Counter
		}
		if it.Strategy > Units || it.Quota < 0 || it.Quota > MaxSupply {
			return fmt.Errorf("%w: item %q with strategy %v and quota %d", ErrOption, it.Name, it.Strategy, it.Quota)
		}
		args = append(args, it.Name, it.Strategy.String(), strconv.FormatInt(it.Quota, 10))
	}
	_, err := s.run(ctx, defineScript, s.keys, args...)
	return err
}

// Open lets buyers reserve, for the first time or again.
func (s *Sale) Open(ctx context.Context) error {
	_, err := s.run(ctx, phaseScript, s.keys, s.remember, Open.String())
	return err
}

// Close lets nobody reserve any more. What is reserved can still be confirmed and released, and expires.
func (s *Sale) Close(ctx context.Context) error {
	_, err := s.run(ctx, phaseScript, s.keys, s.remember, Closed.String())
	return err
}

// Supply adds a quantity, 1 to [MaxSupply], to the stock of an item that is sold by [Counter], at any time. The same call with the same token
// changes nothing; tokens of supplies and of orders are of one kind. It returns [ErrTokenReused], [ErrUnknownItem], [ErrStrategy],
// or [ErrSupply].
func (s *Sale) Supply(ctx context.Context, token, item string, quantity int64) error {
	if err := checkNames(token, item); err != nil {
		return err
	}
	if quantity < 1 || quantity > MaxSupply {
		return &ItemError{Item: item, Err: ErrSupply}
	}
	_, err := s.run(ctx, supplyScript, s.keys, s.remember, token, item, strconv.FormatInt(quantity, 10), s.maximum)
	return err
}

// SupplyUnits adds units to the stock of an item that is sold by [Units], at any time; they are sold in the order given. Serials that the item
// has or has had, sold or not, change nothing, so the same call again is harmless. It returns how many were new. A thousand are added at a time: when it
// fails, those before have been added.
func (s *Sale) SupplyUnits(ctx context.Context, item string, serials ...string) (int64, error) {
	if err := checkNames(item); err != nil {
		return 0, err
	}
	if err := checkNames(serials...); err != nil {
		return 0, err
	}
	var added int64
	for first := 0; first < len(serials); first += chunk {
		args := append([]string{s.remember, item}, serials[first:min(first+chunk, len(serials))]...)
		list, err := s.run(ctx, unitsScript, s.keys, args...)
		if err != nil {
			return added, err
		}
		if len(list) == 0 {
			return added, fmt.Errorf("stock: a reply without a number")
		}
		added += list[0].Int()
	}
	return added, nil
}
