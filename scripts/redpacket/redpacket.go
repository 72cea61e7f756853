package redpacket

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// Errors of an activity.
var (
	// ErrAlreadyGrabbed is returned by Grab when the user has a packet already; the packet
	// comes with it.
	ErrAlreadyGrabbed = errors.New("redpacket: user has grabbed already")
	// ErrEmpty is returned by Grab when no packet is left.
	ErrEmpty = errors.New("redpacket: no packet left")
	// ErrExists is returned by Open when the activity has been opened before.
	ErrExists = errors.New("redpacket: activity exists")
	// ErrActivity is returned by New for a name that cannot be a hash tag.
	ErrActivity = errors.New("redpacket: activity name is empty or holds a brace")
	// ErrAmount is returned by Open for an amount below 1 cent or above MaxAmount.
	ErrAmount = errors.New("redpacket: amount out of range")
)

// MaxAmount is the largest amount of a packet, in cents: cjson writes numbers with 14 digits, so a larger
// one would be rounded on its way through the script.
const MaxAmount = 99_999_999_999_999

// chunk is how many packets one call of Open loads.
const chunk = 1000

//go:embed grab.lua
var grabSource string

//go:embed open.lua
var openSource string

//go:embed report.lua
var reportSource string

var (
	grabScript   = engine.NewScript(grabSource)
	openScript   = engine.NewScript(openSource)
	reportScript = engine.NewScript(reportSource)
)

// GrabScript is the script behind [Activity.Grab]: KEYS grabbed, packets, records; ARGV user.
func GrabScript() *engine.Script { return grabScript }

// Packet is one red packet.
type Packet struct {
	ID     string `json:"id"`
	Amount int64  `json:"amount"` // cents
}

// Record says who took a packet.
type Record struct {
	Packet
	User string `json:"user"`
}

// Activity is a set of packets being handed out. It is immutable and safe for use by
// any number of goroutines.
type Activity struct {
	r    engine.Runner
	keys []string // grabbed, packets, records
}

// New returns the activity of that name on r. It touches nothing. It returns [ErrActivity] for
// a name that is empty or holds a brace.
func New(r engine.Runner, activity string) (*Activity, error) {
	if activity == "" || strings.ContainsAny(activity, "{}") {
		return nil, ErrActivity
	}
	prefix := "redpacket:{" + activity + "}:"
	return &Activity{r: r, keys: []string{prefix + "grabbed", prefix + "packets", prefix + "records"}}, nil
}

// Keys returns the activity's keys in the order of the scripts' KEYS: grabbed, packets, records.
func (a *Activity) Keys() []string { return append([]string(nil), a.keys...) }

// Open loads the packets; they are handed out in the order given. It returns [ErrExists] when the activity has
// been opened before, [ErrAmount] for an amount below 1 or above MaxAmount; nothing is changed then. Packets
// are loaded a thousand at a time, and can be grabbed from the first thousand on.
func (a *Activity) Open(ctx context.Context, packets []Packet) error {
	for _, p := range packets {
		if p.Amount < 1 || p.Amount > MaxAmount {
			return fmt.Errorf("%w: packet %q of %d cents", ErrAmount, p.ID, p.Amount)
		}
	}
	mode := "first"
	for first := 0; first < len(packets); first += chunk {
		args := []string{mode}
		for _, p := range packets[first:min(first+chunk, len(packets))] {
			text, err := json.Marshal(p)
			if err != nil {
				return err
			}
			args = append(args, string(text))
		}
		v, err := a.r.RunScript(ctx, openScript, a.keys, args)
		if err != nil {
			return fmt.Errorf("redpacket: open, packets from %d: %w", first, err)
		}
		if v.Int() == 0 {
			return ErrExists
		}
		mode = "more"
	}
	return nil
}

// Grab takes a packet for user. It returns [ErrAlreadyGrabbed], with the packet, when the
// user has one, and [ErrEmpty] when none is left. An error of ctx means that nothing was taken.
func (a *Activity) Grab(ctx context.Context, user string) (Packet, error) {
	args := [1]string{user}
	v, err := a.r.RunScript(ctx, grabScript, a.keys, args[:])
	if err != nil {
		return Packet{}, err
	}
	list := v.Slice()
	if len(list) == 0 {
		return Packet{}, fmt.Errorf("redpacket: unexpected reply of kind %s", v.Kind())
	}
	if list[0].Int() < 0 {
		return Packet{}, ErrEmpty
	}
	if len(list) != 3 {
		return Packet{}, fmt.Errorf("redpacket: a record without id or amount")
	}
	p := Packet{ID: list[1].Text(), Amount: list[2].Int()}
	if list[0].Int() == 0 {
		return p, ErrAlreadyGrabbed
	}
	return p, nil
}

// Status is how an activity stands.
type Status struct {
	Left    int64 // packets not yet taken
	Users   int64 // users that have a packet
	Records int64 // records written
}

// Status tells how the activity stands.
func (a *Activity) Status(ctx context.Context) (Status, error) {
	s, _, err := a.report(ctx, 0, 0)
	return s, err
}

// Records returns up to count records from offset on, the oldest being number 0.
func (a *Activity) Records(ctx context.Context, offset, count int) ([]Record, error) {
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
	v, err := a.r.RunScript(ctx, reportScript, a.keys, []string{strconv.Itoa(offset), strconv.Itoa(count)})
	if err != nil {
		return Status{}, nil, err
	}
	list := v.Slice()
	if len(list) != 4 {
		return Status{}, nil, fmt.Errorf("redpacket: unexpected report of %d parts", len(list))
	}
	return Status{Left: list[0].Int(), Users: list[1].Int(), Records: list[2].Int()}, list[3].Strings(), nil
}
