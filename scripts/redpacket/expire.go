package redpacket

import (
	"context"
	"fmt"
	"strconv"
)

// Refund is what went back to the sender.
type Refund struct {
	ID      string // its idempotency key: [Activity.RefundID]
	User    string // the sender
	Packets int64  // how many packets were left
	Amount  int64  // what was in them, in cents
}

// Expire closes the activity for good. What is left goes back to the sender, exactly once: if it is anything, Expire puts a [Record] with Refund
// set on the settlement stream in the same step. Called again, it changes nothing and returns the same.
//
// An activity with a deadline can be expired from then on; before, Expire returns [ErrNotDue]. One that was loaded only in part can be expired too, as a
// whole: all of its money goes back, and Open returns [ErrExpired] from then on. [ErrNotOpen] is returned where there is none.
func (a *Activity) Expire(ctx context.Context) (Refund, error) {
	code, list, err := a.run(ctx, expireScript, []string{a.refund}, 1)
	if err != nil {
		return Refund{}, err
	}
	switch {
	case code == 3:
		return Refund{}, ErrNotDue
	case code == 4:
		return Refund{}, ErrNotOpen
	case code < 1 || code > 2 || len(list) != 3:
		return Refund{}, fmt.Errorf("redpacket: expire: unexpected reply %d", code)
	}
	amount, err := strconv.ParseInt(list[1].Text(), 10, 64)
	if err != nil {
		return Refund{}, fmt.Errorf("redpacket: expire: %w", err)
	}
	packets, err := strconv.ParseInt(list[0].Text(), 10, 64)
	if err != nil {
		return Refund{}, fmt.Errorf("redpacket: expire: %w", err)
	}
	return Refund{ID: a.refund, User: list[2].Text(), Packets: packets, Amount: amount}, nil
}
