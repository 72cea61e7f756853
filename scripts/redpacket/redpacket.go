package redpacket

import (
	_ "embed"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Limits of amounts, in cents.
const (
	// MaxAmount is the largest amount of a packet. Lua prints numbers with 14 digits, so consumers
	// in Lua can read and write it.
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
	//go:embed status.lua
	statusSource string
	//go:embed state.lua
	stateSource string
)

var (
	openScript   = script.New("redpacket: open", openSource)
	grabScript   = script.New("redpacket: grab", grabSource)
	peekScript   = script.New("redpacket: peek", stateSource+peekSource)
	expireScript = script.New("redpacket: expire", expireSource)
	statusScript = script.New("redpacket: status", stateSource+statusSource)
)

// GrabScript is the script behind [Activity.Grab]. KEYS are those of [Activity.Keys], ARGV is the
// user.
func GrabScript() *engine.Script { return grabScript.Engine() }

// Options of an activity. The zero value is an activity without a deadline. Open stores them; the
// other calls do not use them.
type Options struct {
	// Sender is the user who gets what is left when the activity expires. UTF-8; may be empty.
	Sender string
	// TTL is how long after Open packets can be grabbed, in whole milliseconds, rounded up.
	// Default: until Expire is called.
	TTL time.Duration
	// Retention is how long an expired activity is remembered, in whole milliseconds, rounded up.
	// Afterwards only its settlement stream remains. Default: for ever.
	Retention time.Duration
}

func (o Options) check() error {
	switch {
	case o.TTL < 0:
		return fmt.Errorf("%w: TTL %v is negative", ErrOptions, o.TTL)
	case o.Retention < 0:
		return fmt.Errorf("%w: Retention %v is negative", ErrOptions, o.Retention)
	case !utf8.ValidString(o.Sender):
		return fmt.Errorf("%w: Sender %q is not UTF-8", ErrOptions, o.Sender)
	}
	return nil
}

// Activity is a set of packets that are handed out. It is immutable and safe for use by any number
// of goroutines.
type Activity struct {
	c      engine.Client
	o      Options
	refund string // id of the refund
	keys   []string
}

// The positions of the keys in Activity.keys and in the KEYS of all scripts.
const (
	grabbedKey = iota
	packetsKey
	recordsKey
	activityKey
	settlementKey
)

// New returns the activity of that name on c. It sends nothing. It returns [ErrName] or
// [ErrOptions]. Never use the name of an activity for another one.
func New(c engine.Client, name string, o Options) (*Activity, error) {
	if err := script.CheckName(ErrName, name); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	a := &Activity{c: c, o: o, refund: "refund:" + name}
	prefix := "redpacket:{" + name + "}:"
	for _, key := range []string{"grabbed", "packets", "records", "activity", "settlement"} {
		a.keys = append(a.keys, prefix+key)
	}
	return a, nil
}

// Keys returns the keys of the activity in the order of the scripts' KEYS: grabbed, packets,
// records, activity, settlement.
func (a *Activity) Keys() []string { return slices.Clone(a.keys) }

// StreamKey is the key of the settlement stream.
func (a *Activity) StreamKey() string { return a.keys[settlementKey] }

// RefundID is the idempotency key of the refund: "refund:" and the name of the activity.
func (a *Activity) RefundID() string { return a.refund }
