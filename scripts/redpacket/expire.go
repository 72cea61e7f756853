package redpacket

import "context"

// Refund is what went back to the sender.
type Refund struct {
	ID      string `json:"id"`      // its idempotency key: [Activity.RefundID]
	User    string `json:"user"`    // the sender
	Packets int64  `json:"packets"` // number of packets that were left
	Amount  int64  `json:"amount"`  // their sum in cents
}

// Expire closes the activity for good. What is left goes back to the sender exactly once: if
// anything is left, Expire adds a [Record] with Refund set to the settlement stream in the same
// step. A repeated call changes nothing and returns the same.
//
// An activity with a deadline cannot be expired before it; Expire then returns [ErrNotDue]. An
// activity of which only a part was loaded can be expired: all of its money goes back, and Open
// returns [ErrExpired] afterwards. Expire returns [ErrNotOpen] if there is no such activity.
func (a *Activity) Expire(ctx context.Context) (Refund, error) {
	r, err := expireScript.Run(ctx, a.c, a.keys, []string{a.refund})
	if err != nil {
		return Refund{}, err
	}
	switch r.Outcome {
	case "expired", "already expired":
		refund := Refund{ID: a.refund, Packets: r.Int(0), Amount: r.Int(1), User: r.Text(2)}
		if err := r.Err(); err != nil {
			return Refund{}, err
		}
		return refund, nil
	case "not due":
		return Refund{}, ErrNotDue
	case "not open":
		return Refund{}, ErrNotOpen
	}
	return Refund{}, r.Unexpected()
}
