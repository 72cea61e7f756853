package redpacket

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// State is the state of an activity.
type State int

// The states of an activity, in their order.
const (
	Absent  State = iota // there is no activity of that name
	Loading              // Open has begun and has not finished
	Open                 // packets can be grabbed
	Due                  // the deadline has passed; Expire can be called
	Closed               // Expire was called
)

var states = script.Names{"absent", "loading", "open", "due", "closed"}

// String is the name of the state.
func (s State) String() string { return states.Of("State", int(s)) }

// MarshalText returns the text of String, also in JSON.
func (s State) MarshalText() ([]byte, error) { return states.Text("redpacket.State", int(s)) }

// UnmarshalText reads what MarshalText returns, and refuses any other text.
func (s *State) UnmarshalText(text []byte) error {
	return states.Read("redpacket.State", (*int)(s), text)
}

// stateOf is the state that a reply has as its outcome.
func stateOf(r *script.Reply) (State, error) {
	s := states.Find(r.Outcome)
	if s == 0 && r.Outcome != states[Absent] {
		return Absent, r.Unexpected()
	}
	return State(s), nil
}

// Status describes an activity at one moment.
type Status struct {
	State    State     `json:"state"`
	Deadline time.Time `json:"deadline,omitzero"` // zero if there is none or the activity is closed
	Packets  int64     `json:"packets"`           // number of all packets
	Left     int64     `json:"left"`              // number of packets that are loaded and not taken; 0 when closed
	Returned int64     `json:"returned"`          // number of packets whose money went back to the sender
	Users    int64     `json:"users"`             // number of users who have a packet
	Records  int64     `json:"records"`           // number of records; equal to Users
	Total    int64     `json:"total"`             // cents in all packets
	Given    int64     `json:"given"`             // cents in the packets taken
	Refunded int64     `json:"refunded"`          // cents that went back to the sender
}

// Rest is the number of cents that can still be given out or refunded.
func (s Status) Rest() int64 { return s.Total - s.Given - s.Refunded }

// Status describes the activity. It changes nothing. Its cost does not depend on the size of the
// activity.
func (a *Activity) Status(ctx context.Context) (Status, error) {
	s, _, err := a.status(ctx, 0, 0)
	return s, err
}

// Records returns up to count records from offset on; the oldest record has the offset 0. It
// returns an error if offset or count is negative.
func (a *Activity) Records(ctx context.Context, offset, count int) ([]Record, error) {
	if offset < 0 || count < 0 {
		return nil, fmt.Errorf("redpacket: records: offset %d and count %d must not be negative", offset, count)
	}
	_, texts, err := a.status(ctx, offset, count)
	if err != nil {
		return nil, err
	}
	records := make([]Record, len(texts))
	for i, t := range texts {
		if err := json.Unmarshal([]byte(t), &records[i]); err != nil {
			return nil, fmt.Errorf("redpacket: record %d: %w", offset+i, err)
		}
	}
	return records, nil
}

func (a *Activity) status(ctx context.Context, offset, count int) (Status, []string, error) {
	r, err := statusScript.Run(ctx, a.c, a.keys, []string{strconv.Itoa(offset), strconv.Itoa(count)})
	if err != nil {
		return Status{}, nil, err
	}
	state, err := stateOf(&r)
	if err != nil {
		return Status{}, nil, err
	}
	s := Status{
		State: state, Packets: r.Int(1), Left: r.Int(2), Users: r.Int(3), Records: r.Int(4),
		Total: r.Int(5), Given: r.Int(6), Refunded: r.Int(7), Returned: r.Int(8),
	}
	if at := r.Int(0); at > 0 {
		s.Deadline = time.UnixMilli(at)
	}
	records := r.Texts(9)
	return s, records, r.Err()
}
