package redpacket

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// State is where an activity stands in its life.
type State int

// States of an activity, in their order.
const (
	Absent  State = iota // there is no activity of that name
	Loading              // Open has begun, and not come to its end
	Open                 // packets can be grabbed
	Due                  // the deadline has passed; Expire can be called
	Closed               // Expire was called
)

// String is the state's name.
func (s State) String() string {
	names := [...]string{"absent", "loading", "open", "due", "closed"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("State(%d)", int(s))
	}
	return names[s]
}

// Status is how an activity stands, at one moment.
type Status struct {
	State    State
	Deadline time.Time // zero: none, or closed
	Packets  int64     // packets in all
	Left     int64     // packets that nobody has taken, as far as they are loaded; none when closed
	Returned int64     // packets whose money went back to the sender
	Users    int64     // users that have a packet
	Records  int64     // records written, one for each of them
	Total    int64     // cents in all packets
	Given    int64     // cents in the packets taken
	Refunded int64     // cents that went back to the sender
}

// Rest is what can still be given out or refunded, in cents.
func (s Status) Rest() int64 { return s.Total - s.Given - s.Refunded }

// Status tells how the activity stands. It takes the same time however large the activity is.
func (a *Activity) Status(ctx context.Context) (Status, error) {
	s, _, err := a.report(ctx, 0, 0)
	return s, err
}

// Records returns up to count records from offset on, the oldest being number 0.
func (a *Activity) Records(ctx context.Context, offset, count int) ([]Record, error) {
	if offset < 0 || count < 0 {
		return nil, fmt.Errorf("redpacket: no records from %d, %d of them", offset, count)
	}
	_, texts, err := a.report(ctx, offset, count)
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

func (a *Activity) report(ctx context.Context, offset, count int) (Status, []string, error) {
	state, list, err := a.run(ctx, reportScript, []string{strconv.Itoa(offset), strconv.Itoa(count)}, 11)
	if err != nil {
		return Status{}, nil, err
	}
	s := Status{State: State(state), Packets: list[1].Int(), Left: list[2].Int(), Users: list[3].Int(), Records: list[4].Int(), Returned: list[8].Int()}
	if at := list[0].Int(); at > 0 {
		s.Deadline = time.UnixMilli(at)
	}
	for i, cents := range []*int64{&s.Total, &s.Given, &s.Refunded} {
		if *cents, err = strconv.ParseInt(list[5+i].Text(), 10, 64); err != nil {
			return Status{}, nil, fmt.Errorf("redpacket: report: %w", err)
		}
	}
	return s, list[9].Strings(), nil
}

// View is what a user sees of an activity.
type View struct {
	State  State
	Packet Packet // what the user has, if Has
	Has    bool
	Left   int64 // packets that nobody has taken
}

// Peek tells what user has and how many packets are left. It changes nothing.
func (a *Activity) Peek(ctx context.Context, user string) (View, error) {
	if user == "" || !utf8.ValidString(user) {
		return View{}, ErrUser
	}
	state, list, err := a.run(ctx, peekScript, []string{user}, 3)
	if err != nil {
		return View{}, err
	}
	v := View{State: State(state), Left: list[0].Int(), Has: !list[1].IsNil()}
	if v.Has {
		v.Packet, err = parsePacket(list[1].Text())
	}
	return v, err
}
