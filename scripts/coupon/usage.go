package coupon

import (
	"context"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Usage is how much of a limit is used.
type Usage struct {
	Limit Limit `json:"limit"`
	Used  int64 `json:"used"` // number of claims counted
	// ResetAt is when the window of the limit ends and counting starts again at 0. It is the zero
	// time for a limit without a window.
	ResetAt time.Time `json:"resetAt,omitzero"`
}

// Left is the number of further claims that the limit allows.
func (u Usage) Left() int64 { return max(0, u.Limit.Max-u.Used) }

// Usage returns the usage of every limit whose scope the fields cover: without fields that of the
// limits for all claims together, with a user also that of the user's limits. The order is that of
// [LimitError]. It returns [ErrField] if the fields cover no limit, and [ErrClock]. It changes
// nothing.
func (c *Coupon) Usage(ctx context.Context, fields Fields) ([]Usage, error) {
	var groups, limits []int // for each limit asked for: its group, and its place in c.limits
	f, r, err := c.inFrame(func(f *frame) (script.Reply, error) {
		groups, limits = groups[:0], limits[:0]
		var keys []string
		args := []string{f.look[0], f.look[1]}
		for i, g := range c.groups {
			count := len(args)
			args = append(args, "")
			for _, l := range g.limits {
				if c.limits[l].covers(fields) {
					groups, limits = append(groups, i), append(limits, l)
					args = append(args, c.limits[l].field(fields))
				}
			}
			if n := len(args) - count - 1; n > 0 {
				args[count] = strconv.Itoa(n)
				keys = append(keys, f.counters[i].key)
			} else {
				args = args[:count]
			}
		}
		if keys == nil {
			return script.Reply{}, ErrField
		}
		return usageScript.Run(ctx, c.c, keys, args)
	})
	if err != nil {
		return nil, err
	}
	if r.Outcome != "ok" {
		return nil, r.Unexpected()
	}
	list := make([]Usage, len(limits))
	for i, l := range limits {
		list[i] = Usage{Limit: c.limits[l], Used: r.Int(i), ResetAt: f.counters[groups[i]].end}
	}
	return list, r.Err()
}
