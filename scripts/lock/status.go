package lock

import (
	"context"
	"encoding/json"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Status describes a lock at one moment.
type Status struct {
	Held      bool          `json:"held"`
	Owner     string        `json:"owner"`   // the owner as given to As, else the id of its lease; "" if not held
	Token     int64         `json:"token"`   // the last fencing token; 0 if there was none
	Holds     int           `json:"holds"`   // number of leases of the owner
	Remaining time.Duration `json:"-"`       // until the lock is free, unless it is renewed or released; in whole ms
	Waiters   int           `json:"waiters"` // waiters in the queue of a fair lock, including those that lost their turn
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

// statusJSON is a Status with its durations in milliseconds.
type statusJSON struct {
	*plainStatus
	Remaining script.JSONMillis `json:"remainingMs"`
}

type plainStatus Status

// MarshalJSON implements json.Marshaler. Remaining is remainingMs, in milliseconds.
func (s Status) MarshalJSON() ([]byte, error) {
	return json.Marshal(statusJSON{(*plainStatus)(&s), script.JSONMillis(s.Remaining)})
}

// UnmarshalJSON reads what MarshalJSON returns.
func (s *Status) UnmarshalJSON(text []byte) error {
	v := statusJSON{plainStatus: (*plainStatus)(s)}
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	s.Remaining = time.Duration(v.Remaining)
	return nil
}
