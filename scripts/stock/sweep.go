package stock

import (
	"context"
	"strconv"
)

// Swept is what [Sale.Sweep] did.
type Swept struct {
	Expired   int64 `json:"expired"`   // number of orders whose units went back
	Forgotten int64 `json:"forgotten"` // number of orders that are no longer remembered
}

// Sweep ends orders whose deadline has passed, and forgets orders that ended longer ago than
// Options.Retention. It handles at most limit orders; a limit below 1 counts as 1. If it handled
// fewer, nothing is left to do.
//
// Calling it is optional, because every Reserve sweeps a few orders. Sweep keeps [Sale.Status]
// exact while nobody buys, and frees memory after a sale.
func (s *Sale) Sweep(ctx context.Context, limit int) (Swept, error) {
	r, err := s.run(ctx, sweepScript, s.keys, s.retention, strconv.Itoa(max(limit, 1)))
	if err != nil {
		return Swept{}, err
	}
	swept := Swept{Expired: r.Int(0), Forgotten: r.Int(1)}
	return swept, r.Err()
}
