package coupon

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

var (
	// ErrOptions is returned by New for options that cannot be.
	ErrOptions = errors.New("coupon: bad options")
	// ErrName is returned by New for an id that cannot be a hash tag.
	ErrName = errors.New("coupon: id is empty or holds a brace")
	// ErrToken is returned for an empty token, and by Find and Undo for one that is not known (any more).
	ErrToken = errors.New("coupon: no claim of that token")
	// ErrTokenReused is returned by a claim whose token has claimed before with other fields; nothing was claimed.
	ErrTokenReused = errors.New("coupon: the token is of another claim")
	// ErrUndone is returned by a claim whose token has claimed before and was undone; nothing was claimed.
	ErrUndone = errors.New("coupon: the claim of that token was undone")
	// ErrField is returned by a claim without a field that a limit counts by; nothing was claimed.
	ErrField = errors.New("coupon: a field is missing")
	// ErrNotStarted is returned by a claim before the coupon's time; nothing was claimed.
	ErrNotStarted = errors.New("coupon: claims have not begun")
	// ErrEnded is returned by a claim after the coupon's time; nothing was claimed.
	ErrEnded = errors.New("coupon: claims have ended")
	// ErrClock is returned when the server's clock jumped so often that no call hit a time for which it was meant; nothing was changed.
	ErrClock = errors.New("coupon: the server's clock is not steady")
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
	claimScript = engine.NewScript(claimSource)
	findScript  = engine.NewScript(findSource)
	undoScript  = engine.NewScript(undoSource)
	usageScript = engine.NewScript(usageSource)
)

// ClaimScript is the script behind [Coupon.Claim].
func ClaimScript() *engine.Script { return claimScript }

// DefaultRetention is how long a claim is remembered unless [Options] say something else.
const DefaultRetention = 7 * 24 * time.Hour

// Options of a coupon.
type Options struct {
	// Limits are what every claim must be within. There must be at least one.
	Limits []Limit
	// Zone is the time zone whose days, weeks and months count; nil means UTC.
	Zone *time.Location
	// From and Until bound the time of claims, by the server's clock; Until is not of it. The zero time is no bound. With Until all keys of the coupon expire.
	From, Until time.Time
	// Retention is how long at least a claim is remembered: for so long a repeated claim is known as such, and a claim can be undone. It is rounded
	// up to whole seconds; 0 means [DefaultRetention]. After a change of Retention older claims are not found.
	Retention time.Duration
}

// Coupon is one kind of coupon. It is safe for use by any number of goroutines.
type Coupon struct {
	r           engine.Runner
	prefix      string
	limits      []Limit
	groups      []group
	zone        *time.Location
	from, until time.Time
	retention   int64 // seconds

	current atomic.Pointer[frame] // the one that was right last
}

// New returns the coupon of that id on r. It touches nothing. It returns [ErrName] or [ErrOptions] for arguments that cannot be.
func New(r engine.Runner, id string, o Options) (*Coupon, error) {
	if id == "" || strings.ContainsAny(id, "{}") {
		return nil, ErrName
	}
	names := map[string]bool{}
	for i := range o.Limits {
		l := &o.Limits[i]
		if err := l.check(); err != nil {
			return nil, err
		}
		if names[l.Name] {
			return nil, fmt.Errorf("%w: two limits named %q", ErrOptions, l.Name)
		}
		names[l.Name] = true
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%w: no limit", ErrOptions)
	case o.Retention < 0:
		return nil, fmt.Errorf("%w: negative retention", ErrOptions)
	case !o.From.IsZero() && !o.Until.IsZero() && !o.From.Before(o.Until):
		return nil, fmt.Errorf("%w: the end is not after the beginning", ErrOptions)
	case o.From.After(maxTime) || o.Until.After(maxTime):
		return nil, fmt.Errorf("%w: a time that is too far away", ErrOptions)
	}
	if o.Retention == 0 {
		o.Retention = DefaultRetention
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	c := &Coupon{
		r: r, prefix: "coupon:{" + id + "}:", limits: slices.Clone(o.Limits), groups: grouped(o.Limits), zone: o.Zone, from: o.From, until: o.Until,
		retention: int64((o.Retention + time.Second - 1) / time.Second),
	}
	c.current.Store(c.frameAt(0)) // the first call asks the server for the time
	return c, nil
}

// attempts is how often a call is made that meets another time than it was meant for: once it learns the time, and a boundary may be passed then.
const attempts = 4

// inFrame calls f with the frame of the server's time. f returns a script's reply, a list or one number; where that is {0, now} it is called
// again with another frame.
func (c *Coupon) inFrame(f func(*frame) (engine.Value, error)) (*frame, []engine.Value, error) {
	fr := c.current.Load()
	for range attempts {
		v, err := f(fr)
		if err != nil {
			return nil, nil, err
		}
		if v.Kind() == engine.KindInt {
			return fr, []engine.Value{v}, nil
		}
		list := v.Slice()
		if len(list) == 0 {
			return nil, nil, unexpected(v)
		}
		if list[0].Int() != 0 || len(list) != 2 {
			return fr, list, nil
		}
		now := list[1].Int()
		if now < fr.from || now >= fr.until {
			fr = c.frameAt(now)
			c.current.Store(fr)
			continue
		}
		return fr, list, nil // within the frame, but outside the coupon's own time
	}
	return nil, nil, ErrClock
}

func unexpected(v engine.Value) error { return fmt.Errorf("coupon: unexpected reply %q", v.Format()) }

// find runs the script that finds a token.
func (c *Coupon) find(ctx context.Context, token string) (*frame, []engine.Value, error) {
	return c.inFrame(func(f *frame) (engine.Value, error) {
		return c.r.RunScript(ctx, findScript, f.claims, []string{token, f.look[0], f.look[1]})
	})
}
