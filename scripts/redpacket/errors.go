package redpacket

import (
	"errors"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Errors of an activity. An error that wraps [engine.ErrUnknown] leaves open whether the call was
// carried out. Every call may be made again after any error.
var (
	// ErrAlreadyGrabbed is returned by Grab, with the packet, if the user already has one.
	ErrAlreadyGrabbed = errors.New("redpacket: user already has a packet")
	// ErrEmpty is returned by Grab if no packet is left.
	ErrEmpty = errors.New("redpacket: no packet is left")
	// ErrNotOpen is returned if there is no activity of that name, and by Grab while the activity
	// is being loaded.
	ErrNotOpen = errors.New("redpacket: activity is not open")
	// ErrExpired is returned by Grab and Open if the activity has expired.
	ErrExpired = errors.New("redpacket: activity has expired")
	// ErrNotDue is returned by Expire before the deadline of the activity.
	ErrNotDue = errors.New("redpacket: activity has not reached its deadline")
	// ErrExists is returned by Open if another activity of that name was opened.
	ErrExists = errors.New("redpacket: another activity of this name exists")
	// ErrName is returned by New for a name that is empty, longer than 512 bytes or not UTF-8, or
	// that has a brace.
	ErrName = errors.New("redpacket: " + script.NameRule)
	// ErrOptions is returned by New for options out of range.
	ErrOptions = errors.New("redpacket: options out of range")
	// ErrAmount is returned by Open for an amount below 1 cent or above [MaxAmount], and for
	// amounts whose sum is above [MaxTotal].
	ErrAmount = errors.New("redpacket: amount out of range")
	// ErrPackets is returned by Open if there are no packets, if two have the same id, or if an id
	// is empty, not UTF-8, equal to [Activity.RefundID], or has a quote, a backslash or a control
	// character.
	ErrPackets = errors.New("redpacket: packets need distinct ids without quotes, backslashes and control characters")
	// ErrUser is returned by Grab and Peek for a user id that is empty or not UTF-8.
	ErrUser = errors.New("redpacket: user id is empty or not UTF-8")
)
