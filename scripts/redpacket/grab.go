package redpacket

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Outcome is the result of a grab.
type Outcome int

// The outcomes of a grab.
const (
	Unknown        Outcome = iota // the call failed, or it is unknown what it did; see the error
	Grabbed                       // the user got a packet
	AlreadyGrabbed                // the user already had one; the error is ErrAlreadyGrabbed
	Empty                         // no packet is left; the error is ErrEmpty
	NotOpen                       // no such activity, or it is being loaded; the error is ErrNotOpen
	Expired                       // the activity is over; the error is ErrExpired
)

var outcomes = script.Names{"unknown", "grabbed", "already grabbed", "empty", "not open", "expired"}

// String is the outcome in words.
func (o Outcome) String() string { return outcomes.Of("Outcome", int(o)) }

// MarshalText returns the text of String, also in JSON.
func (o Outcome) MarshalText() ([]byte, error) { return outcomes.Text("redpacket.Outcome", int(o)) }

// UnmarshalText reads what MarshalText returns, and refuses any other text.
func (o *Outcome) UnmarshalText(text []byte) error {
	return outcomes.Read("redpacket.Outcome", (*int)(o), text)
}

func (o Outcome) err() error {
	switch o {
	case AlreadyGrabbed:
		return ErrAlreadyGrabbed
	case Empty:
		return ErrEmpty
	case NotOpen:
		return ErrNotOpen
	case Expired:
		return ErrExpired
	}
	return nil
}

// Grab is the answer to a grab.
type Grab struct {
	// Packet is the packet that the user has, if Outcome is Grabbed or AlreadyGrabbed.
	Packet
	Outcome Outcome `json:"outcome"`
}

// Grab takes the next packet for user. Packets are taken in the order in which they were opened.
// Grab returns [ErrAlreadyGrabbed], with the packet, if the user already has one. It returns
// [ErrNotOpen], [ErrExpired] or [ErrEmpty] if there is no packet to take, and [ErrUser] for a user
// id that is empty or not UTF-8. When Grab returns, the record of the packet is on the settlement
// stream.
//
// On an engine an error of ctx means that nothing was taken. On a server it may leave that open, as
// a lost connection does ([engine.ErrUnknown]). Then call Grab for the same user again: if the
// packet was taken, the call returns it with [ErrAlreadyGrabbed].
func (a *Activity) Grab(ctx context.Context, user string) (Grab, error) {
	if err := checkUser(user); err != nil {
		return Grab{}, err
	}
	args := [1]string{user}
	r, err := grabScript.Run(ctx, a.c, a.keys, args[:])
	if err != nil {
		return Grab{}, err
	}
	g := Grab{Outcome: Outcome(outcomes.Find(r.Outcome))}
	switch g.Outcome {
	case Unknown:
		return Grab{}, r.Unexpected()
	case Grabbed, AlreadyGrabbed:
		text := r.Text(0)
		if err := r.Err(); err != nil {
			return Grab{}, err
		}
		if g.Packet, err = parsePacket(text); err != nil {
			return Grab{}, err
		}
	}
	return g, g.Outcome.err()
}

func checkUser(user string) error {
	if user == "" || !utf8.ValidString(user) {
		return fmt.Errorf("%w: %.60q", ErrUser, user)
	}
	return nil
}
