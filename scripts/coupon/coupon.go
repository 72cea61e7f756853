package coupon

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// Errors of a claim; nothing was claimed.
var (
	ErrDayLimit  = errors.New("coupon: user has reached today's limit")
	ErrUserLimit = errors.New("coupon: user has reached the limit")
	ErrSoldOut   = errors.New("coupon: all coupons are taken")
	// ErrName is returned by New for an id that cannot be a hash tag.
	ErrName = errors.New("coupon: id is empty or holds a brace")
	// ErrLimit is returned by New for a negative limit.
	ErrLimit = errors.New("coupon: limit is negative")
)

//go:embed claim.lua
var claimSource string

var claimScript = engine.NewScript(claimSource)

// keepDay is how long a day's counts are kept: the day itself and one more.
const keepDay = 48 * 60 * 60 // seconds

// ClaimScript is the script behind [Coupon.Claim]: KEYS day, users, total; ARGV user, the three limits, seconds
// to keep the day.
func ClaimScript() *engine.Script { return claimScript }

// Limits of a coupon, in claims. A zero limit is none.
type Limits struct {
	PerDay  int64 // per user and calendar day
	PerUser int64 // per user, ever
	Total   int64 // all users together
}

// Coupon is one kind of coupon. It is immutable and safe for use by any number of goroutines.
type Coupon struct {
	r      engine.Runner
	prefix string
	limits [3]string
	zone   *time.Location
}

// New returns the coupon of that id on r. Days begin at midnight in zone; nil means UTC. It returns
// [ErrName] or [ErrLimit] for arguments that cannot be.
func New(r engine.Runner, id string, l Limits, zone *time.Location) (*Coupon, error) {
	if id == "" || strings.ContainsAny(id, "{}") {
		return nil, ErrName
	}
	if l.PerDay < 0 || l.PerUser < 0 || l.Total < 0 {
		return nil, ErrLimit
	}
	if zone == nil {
		zone = time.UTC
	}
	c := &Coupon{r: r, prefix: "coupon:{" + id + "}:", zone: zone}
	for i, n := range []int64{l.PerDay, l.PerUser, l.Total} {
		c.limits[i] = strconv.FormatInt(n, 10)
	}
	return c, nil
}

// Claim takes one coupon for user at time at, and returns its number, counted from 1 over all
// users. It returns [ErrDayLimit], [ErrUserLimit] or [ErrSoldOut], in this order, when a limit
// stands against it.
func (c *Coupon) Claim(ctx context.Context, user string, at time.Time) (int64, error) {
	keys := [...]string{c.prefix + "day:" + at.In(c.zone).Format("20060102"), c.prefix + "users", c.prefix + "total"}
	args := [...]string{user, c.limits[0], c.limits[1], c.limits[2], strconv.Itoa(keepDay)}
	v, err := c.r.RunScript(ctx, claimScript, keys[:], args[:])
	if err != nil {
		return 0, err
	}
	list := v.Slice()
	if len(list) > 0 {
		switch list[0].Int() {
		case 0:
			if len(list) == 2 {
				return list[1].Int(), nil
			}
		case 1:
			return 0, ErrDayLimit
		case 2:
			return 0, ErrUserLimit
		case 3:
			return 0, ErrSoldOut
		}
	}
	return 0, fmt.Errorf("coupon: unexpected reply of kind %s", v.Kind())
}
