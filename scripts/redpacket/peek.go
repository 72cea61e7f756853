package redpacket

import "context"

// View is what a user sees of an activity.
type View struct {
	State  State  `json:"state"`
	Packet Packet `json:"packet,omitzero"` // the user's packet; valid if Has is true
	Has    bool   `json:"has"`             // the user has a packet
	Left   int64  `json:"left"`            // number of packets that are not taken
}

// Peek returns what user has and how many packets are left. It changes nothing. It returns
// [ErrUser] for a user id that is empty or not UTF-8.
func (a *Activity) Peek(ctx context.Context, user string) (View, error) {
	if err := checkUser(user); err != nil {
		return View{}, err
	}
	r, err := peekScript.Run(ctx, a.c, a.keys, []string{user})
	if err != nil {
		return View{}, err
	}
	state, err := stateOf(&r)
	if err != nil {
		return View{}, err
	}
	v := View{State: state, Left: r.Int(0), Has: !r.Value(1).IsNil()}
	if !v.Has {
		return v, r.Err()
	}
	text := r.Text(1)
	if err := r.Err(); err != nil {
		return View{}, err
	}
	v.Packet, err = parsePacket(text)
	return v, err
}
