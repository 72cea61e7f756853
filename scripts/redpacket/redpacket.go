package redpacket

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/engine"
)

// Errors of an activity. An error that is [engine.ErrUnknown] leaves open whether the call was carried out: make it again. All calls may be made again
// after any error.
var (
	// ErrAlreadyGrabbed is returned by Grab when the user has a packet already; the packet
	// comes with it.
	ErrAlreadyGrabbed = errors.New("redpacket: user has grabbed already")
	// ErrEmpty is returned by Grab when no packet is left.
	ErrEmpty = errors.New("redpacket: no packet left")
	// ErrNotOpen is returned when there is no activity of that name, and by Grab while it is being loaded.
	ErrNotOpen = errors.New("redpacket: activity is not open")
	// ErrExpired is returned by Grab and Open when the activity has expired.
	ErrExpired = errors.New("redpacket: activity has expired")
	// ErrNotDue is returned by Expire before the activity's deadline.
	ErrNotDue = errors.New("redpacket: activity has not reached its deadline")
	// ErrExists is returned by Open when another activity of that name has been opened.
	ErrExists = errors.New("redpacket: activity exists")
	// ErrActivity is returned by New for a name that cannot be a hash tag.
	ErrActivity = errors.New("redpacket: activity name is empty, holds a brace or is not UTF-8")
	// ErrAmount is returned by Open for an amount below 1 cent or above MaxAmount, and for amounts that add up to more than MaxTotal.
	ErrAmount = errors.New("redpacket: amount out of range")
	// ErrPackets is returned by Open when there are no packets, two of one id, or an id that is empty, not UTF-8, or the refund's, or has a quote, a
	// backslash or a control character.
	ErrPackets = errors.New("redpacket: packets need distinct ids")
	// ErrTTL is returned by Open for a negative duration.
	ErrTTL = errors.New("redpacket: duration is negative")
	// ErrUser is returned for a user or sender whose id JSON cannot hold, and for a user without one.
	ErrUser = errors.New("redpacket: user id is empty or not UTF-8")
)

// Limits of amounts, in cents.
const (
	// MaxAmount is the largest amount of a packet: consumers in Lua read and write numbers with 14 digits.
	MaxAmount = 99_999_999_999_999
	// MaxTotal is the largest total of an activity: 2^53-1, up to which Lua's numbers are exact.
	MaxTotal = 9_007_199_254_740_991
)

var (
	//go:embed open.lua
	openSource string
	//go:embed grab.lua
	grabSource string
	//go:embed peek.lua
	peekSource string
	//go:embed expire.lua
	expireSource string
	//go:embed report.lua
	reportSource string
)

var (
	openScript   = engine.NewScript(openSource)
	grabScript   = engine.NewScript(grabSource)
	peekScript   = engine.NewScript(peekSource)
	expireScript = engine.NewScript(expireSource)
	reportScript = engine.NewScript(reportSource)
)

// GrabScript is the script behind [Activity.Grab]: KEYS as of [Activity.Keys]; ARGV user.
func GrabScript() *engine.Script { return grabScript }

// Packet is one red packet.
type Packet struct {
	ID     string `json:"id"`
	Amount int64  `json:"amount"` // cents
}

// text is the packet as it is stored.
// text is how a packet is stored; rest are the cents in it and in those behind it, from which follows what was given out when it is the next.
func (p Packet) text(rest int64) string {
	return strconv.FormatInt(rest, 10) + " " + strconv.FormatInt(p.Amount, 10) + " " + p.ID
}

func parsePacket(text string) (Packet, error) {
	_, packet, _ := strings.Cut(text, " ")
	cents, id, ok := strings.Cut(packet, " ")
	amount, err := strconv.ParseInt(cents, 10, 64)
	if !ok || err != nil {
		return Packet{}, fmt.Errorf("redpacket: %q is stored as a packet", text)
	}
	return Packet{ID: id, Amount: amount}, nil
}

// Record says who took a packet, or that the sender got back what was left.
type Record struct {
	Packet
	User   string `json:"user"`
	Refund bool   `json:"refund,omitempty"` // only on the settlement stream
}

// Activity is a set of packets being handed out. It is immutable and safe for use by
// any number of goroutines.
type Activity struct {
	c      engine.Client
	refund string // id of the refund
	keys   []string
}

// Positions in Activity.keys, and in the scripts' KEYS.
const (
	grabbedKey = iota
	packetsKey
	recordsKey
	activityKey
	settlementKey
)

// New returns the activity of that name on c. It touches nothing. It returns [ErrActivity] for
// a name that is empty, holds a brace or is not UTF-8. A name is used for one activity, and not again.
func New(c engine.Client, activity string) (*Activity, error) {
	if activity == "" || strings.ContainsAny(activity, "{}") || !utf8.ValidString(activity) {
		return nil, ErrActivity
	}
	a := &Activity{c: c, refund: "refund:" + activity}
	prefix := "redpacket:{" + activity + "}:"
	for _, name := range []string{"grabbed", "packets", "records", "activity", "settlement"} {
		a.keys = append(a.keys, prefix+name)
	}
	return a, nil
}

// Keys returns the activity's keys in the order of the scripts' KEYS: grabbed, packets, records, activity, settlement.
func (a *Activity) Keys() []string { return append([]string(nil), a.keys...) }

// StreamKey is the key of the settlement stream.
func (a *Activity) StreamKey() string { return a.keys[settlementKey] }

// RefundID is the idempotency key of the refund: "refund:" and the name of the activity.
func (a *Activity) RefundID() string { return a.refund }

// run runs a script and returns the parts of its reply, of which there are at least n, and as its first a number.
func (a *Activity) run(ctx context.Context, s *engine.Script, args []string, n int) (int64, []engine.Value, error) {
	v, err := a.c.RunScript(ctx, s, a.keys, args)
	if err != nil {
		return 0, nil, err
	}
	list := v.Slice()
	if len(list) < n {
		return 0, nil, fmt.Errorf("redpacket: unexpected reply of %d parts", len(list))
	}
	return list[0].Int(), list[1:], nil
}
