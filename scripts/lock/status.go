package lock

import (
	"context"
	"time"
)

// Status describes a lock at one moment.
type Status struct {
	Held      bool
	Owner     string        // the owner as given to As, else the id of its lease; "" if not held
	Token     int64         // the last fencing token; 0 if there was none
	Holds     int           // number of leases of the owner
	Remaining time.Duration // until the lock is free, unless it is renewed or released; in whole ms
	Waiters   int           // waiters in the queue of a fair lock, including those that lost their turn
}

// Status describes the lock. It changes nothing.
func (l *Lock) Status(ctx context.Context) (Status, error) {
	r, err := statusScript.Run(ctx, l.c, l.keys[:3], nil)
	if err != nil {
		return Status{}, err
	}
	s := Status{Token: r.Int(0), Waiters: int(r.Int(1))}
	switch r.Outcome {
	case "free":
	case "held":
		s.Held, s.Owner, s.Holds = true, r.Text(2), int(r.Int(3))
		s.Remaining = time.Duration(r.Int(4)) * time.Millisecond
	default:
		return Status{}, r.Unexpected()
	}
	return s, r.Err()
}
