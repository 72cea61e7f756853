package redpacket

import (
	"context"
	"fmt"
	"unicode/utf8"
)

// Result is what came of a grab.
type Result int

// Results of a grab. Each but the first two comes with the error of its name.
const (
	Unknown        Result = iota // the call failed, or its outcome is not known: see the error
	Grabbed                      // the user got a packet
	AlreadyGrabbed               // the user had one
	Empty                        // no packet is left
	NotOpen                      // there is no such activity, or it is being loaded
	Expired                      // the activity is over
)

// String is the result's name.
func (r Result) String() string {
	names := [...]string{"unknown", "grabbed", "already grabbed", "empty", "not open", "expired"}
	if r < 0 || int(r) >= len(names) {
		return fmt.Sprintf("Result(%d)", int(r))
	}
	return names[r]
}

func (r Result) err() error {
	switch r {
	case Grabbed:
		return nil
	case AlreadyGrabbed:
		return ErrAlreadyGrabbed
	case Empty:
		return ErrEmpty
	case NotOpen:
		return ErrNotOpen
	case Expired:
		return ErrExpired
	}
	return fmt.Errorf("redpacket: unexpected reply %d", int(r))
}

// Grab is the answer to a grab: the packet that the user has now, if the result is Grabbed or AlreadyGrabbed.
type Grab struct {
	Packet
	Result Result
}

// Grab takes a packet for user, in the order in which they were opened. It returns [ErrAlreadyGrabbed], with the packet, when the
// user has one, and else [ErrNotOpen], [ErrExpired] or [ErrEmpty] when there is none to have. The record of a packet
// taken is on the settlement stream when Grab returns.
//
// On an engine an error of ctx means that nothing was taken. On a server it may leave that open, as a connection that is
// lost does ([engine.ErrUnknown]): call Grab for the same user again; if the packet was taken, [ErrAlreadyGrabbed] tells which.
func (a *Activity) Grab(ctx context.Context, user string) (Grab, error) {
	if user == "" || !utf8.ValidString(user) {
		return Grab{}, ErrUser
	}
	args := [1]string{user}
	code, list, err := a.run(ctx, grabScript, args[:], 1)
	if err != nil {
		return Grab{}, err
	}
	g := Grab{Result: Result(code)}
	if g.Result == Grabbed || g.Result == AlreadyGrabbed {
		if len(list) == 0 {
			return Grab{}, fmt.Errorf("redpacket: %v, but no packet", g.Result)
		}
		if g.Packet, err = parsePacket(list[0].Text()); err != nil {
			return Grab{}, err
		}
	}
	return g, g.Result.err()
}
