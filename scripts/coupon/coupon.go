package coupon

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

var (
	//go:embed claim.lua
	claimSource string
	//go:embed find.lua
	findSource string
	//go:embed undo.lua
	undoSource string
	//go:embed usage.lua
	usageSource string
)

var (
	claimScript = script.New("coupon: claim", claimSource)
	findScript  = script.New("coupon: find", findSource)
	undoScript  = script.New("coupon: undo", undoSource)
	usageScript = script.New("coupon: usage", usageSource)
)

// ClaimScript is the script behind [Coupon.Claim]; the head of claim.lua describes KEYS and ARGV.
func ClaimScript() *engine.Script { return claimScript.Engine() }

// DefaultRetention is the default of Options.Retention.
const DefaultRetention = 7 * 24 * time.Hour

// Options of a coupon. Every process that uses the coupon should pass the same options.
type Options struct {
	// Limits are the limits that every claim must keep. There must be at least one, and their names
	// must differ.
	Limits []Limit
	// Zone is the time zone of days, weeks and months. Default: UTC.
	Zone *time.Location
	// From and Until bound the time of claims by the clock of the server; Until is exclusive. The zero
	// time means no bound. If Until is set, all keys of the coupon expire some time after it.
	From, Until time.Time
	// Retention is how long a claim is remembered at least. During this time a repeated claim is
	// recognized and a claim can be undone. It is rounded up to whole seconds. Default:
	// [DefaultRetention]. After a change of Retention older claims are not found.
	Retention time.Duration
}

func (o *Options) check() error {
	names := map[string]bool{}
	for i := range o.Limits {
		l := &o.Limits[i]
		if err := l.check(); err != nil {
			return err
		}
		if names[l.Name] {
			return fmt.Errorf("%w: two limits are named %q", ErrOptions, l.Name)
		}
		names[l.Name] = true
	}
	switch {
	case len(names) == 0:
		return fmt.Errorf("%w: there is no limit", ErrOptions)
	case o.Retention < 0:
		return fmt.Errorf("%w: Retention %v is negative", ErrOptions, o.Retention)
	case !o.From.IsZero() && !o.Until.IsZero() && !o.From.Before(o.Until):
		return fmt.Errorf("%w: Until %v is not after From %v", ErrOptions, o.Until, o.From)
	case o.From.After(maxTime) || o.Until.After(maxTime):
		return fmt.Errorf("%w: From %v or Until %v is after %v", ErrOptions, o.From, o.Until, maxTime)
	}
	return nil
}

// Coupon is one kind of coupon. It is safe for use by any number of goroutines.
type Coupon struct {
	c           engine.Client
	prefix      string
	limits      []Limit
	groups      []group
	zone        *time.Location
	from, until time.Time
	retention   int64 // seconds

	current atomic.Pointer[frame] // the last one that was right
}

// New returns the coupon of that name on c. It sends nothing. It returns [ErrName] or [ErrOptions].
func New(c engine.Client, name string, o Options) (*Coupon, error) {
	if err := script.CheckName(ErrName, name); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	script.Default(&o.Retention, DefaultRetention)
	script.Default(&o.Zone, time.UTC)
	coupon := &Coupon{
		c: c, prefix: "coupon:{" + name + "}:", limits: slices.Clone(o.Limits), groups: grouped(o.Limits),
		zone: o.Zone, from: o.From, until: o.Until,
		retention: int64((o.Retention + time.Second - 1) / time.Second),
	}
	coupon.current.Store(coupon.frameAt(0)) // the first call learns the time of the server
	return coupon, nil
}

// attempts is the number of times a call is made while the keys are wrong for the time of the
// server: the first attempt learns the time, and a boundary may pass before the second.
const attempts = 4

// inFrame calls f with the frame of the server's time and returns that frame and the reply. While
// the reply says that the frame is wrong for the time, it calls f again with the right frame.
func (c *Coupon) inFrame(f func(*frame) (script.Reply, error)) (*frame, script.Reply, error) {
	fr := c.current.Load()
	for range attempts {
		r, err := f(fr)
		if err != nil {
			return nil, script.Reply{}, err
		}
		if r.Outcome != wrongTime {
			return fr, r, nil
		}
		now := r.Int(0)
		if err := r.Err(); err != nil {
			return nil, script.Reply{}, err
		}
		if now >= fr.from && now < fr.until {
			return fr, r, nil // within the frame, but outside From and Until of the coupon
		}
		fr = c.frameAt(now)
		c.current.Store(fr)
	}
	return nil, script.Reply{}, ErrClock
}

// wrongTime is the outcome of a script whose clock is not between the bounds it was given.
const wrongTime = "wrong time"

// find runs the script that finds the claim of a token.
func (c *Coupon) find(ctx context.Context, token string) (*frame, script.Reply, error) {
	return c.inFrame(func(f *frame) (script.Reply, error) {
		return findScript.Run(ctx, c.c, f.claims, []string{token, f.look[0], f.look[1]})
	})
}
