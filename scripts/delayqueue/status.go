package delayqueue

import (
	"context"
	"encoding/json"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Status describes a queue at one moment.
type Status struct {
	Ready     int64 `json:"ready"`     // messages that can be taken
	InHand    int64 `json:"inHand"`    // messages that consumers have
	Delayed   int64 `json:"delayed"`   // messages that are not due yet, including retries
	Dead      int64 `json:"dead"`      // dead letters
	IDs       int64 `json:"ids"`       // IDs that are remembered: of messages in the queue and of committed messages
	Consumers int64 `json:"consumers"` // consumers that run, or that vanished and were not removed yet
	// Lag is how long the oldest ready message has waited, in whole milliseconds; 0 if there is none.
	Lag time.Duration `json:"-"`

	// Since the queue was created:
	Committed int64 `json:"committed"` // messages committed
	Retried   int64 `json:"retried"`   // decisions to retry
	Died      int64 `json:"died"`      // messages that became dead letters
}

// Status describes the queue. It changes nothing.
func (q *Queue) Status(ctx context.Context) (Status, error) {
	k := q.keys
	r, err := statusScript.Run(ctx, q.c, []string{k.ready, k.delayed, k.ids, k.dead, k.meta}, []string{group})
	if err != nil {
		return Status{}, err
	}
	s := Status{
		Ready: r.Int(0), InHand: r.Int(1), Delayed: r.Int(2), Dead: r.Int(3), IDs: r.Int(4), Consumers: r.Int(5),
		Lag: time.Duration(r.Int(6)) * time.Millisecond, Committed: r.Int(7), Retried: r.Int(8), Died: r.Int(9),
	}
	return s, r.Err()
}

// statusJSON is a Status with its durations in milliseconds.
type statusJSON struct {
	*plainStatus
	Lag script.JSONMillis `json:"lagMs"`
}

type plainStatus Status

// MarshalJSON implements json.Marshaler. Lag is lagMs, in milliseconds.
func (s Status) MarshalJSON() ([]byte, error) {
	return json.Marshal(statusJSON{(*plainStatus)(&s), script.JSONMillis(s.Lag)})
}

// UnmarshalJSON reads what MarshalJSON returns.
func (s *Status) UnmarshalJSON(text []byte) error {
	v := statusJSON{plainStatus: (*plainStatus)(s)}
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	s.Lag = time.Duration(v.Lag)
	return nil
}
