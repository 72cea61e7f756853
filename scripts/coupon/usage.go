package coupon

import (
	"context"
	"strconv"

	"github.com/redmoon-lua/redmoon/engine"
)

// Usage tells how much is used of the limits that the fields say enough for: with no fields those for all claims together, with a user the user's as
// well. The order is that of [LimitError]. It changes nothing.
func (c *Coupon) Usage(ctx context.Context, fields Fields) ([]Usage, error) {
	var groups, limits []int // places of the groups asked for, and of each limit the group
	f, list, err := c.inFrame(func(f *frame) (engine.Value, error) {
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
			return engine.Value{}, ErrField
		}
		return c.r.RunScript(ctx, usageScript, keys, args)
	})
	if err != nil {
		return nil, err
	}
	if len(list) != 1+len(limits) {
		return nil, unexpected(list[0])
	}
	report := make([]Usage, len(limits))
	for i, l := range limits {
		report[i] = Usage{Limit: c.limits[l], Used: list[1+i].Int(), ResetAt: f.counters[groups[i]].end}
	}
	return report, nil
}
