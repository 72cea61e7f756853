package coupon

import (
	"math"
	"slices"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// grace is how long the counters of a window are kept after its end, in case the clock of the
// server is set back.
const grace = 24 * time.Hour

// setBack is how far the clock of the server may be set back without a claim becoming unknown.
const setBack = time.Hour

// frame is what holds between two instants: which keys are used, and when they expire. It is
// immutable.
type frame struct {
	from, until int64     // µs since 1970; until is exclusive
	claims      []string  // the keys in which a token may be, that of this period first
	claimsEnd   string    // when the first of them expires, ms since 1970
	counters    []counter // one for each window of the coupon
	// The bounds of the time as arguments: for scripts that only read, and for a claim, which must
	// also lie between From and Until of the coupon.
	look, claim [2]string
}

// counter is the key of one window.
type counter struct {
	label  string // the end of the key
	key    string
	expiry string    // ms since 1970; "-1" is never
	end    time.Time // zero for Ever
}

// frameAt returns the frame of a time in µs since 1970.
func (c *Coupon) frameAt(now int64) *frame {
	t := time.UnixMicro(now).In(c.zone)
	f := c.claimsAt(t.Unix())
	for _, g := range c.groups {
		k := counter{label: g.window.label(t), expiry: "-1", end: g.window.end(t)}
		k.key = c.prefix + k.label
		switch {
		case g.window != Ever:
			k.expiry = unixMillis(k.end.Add(grace))
			from, until := stretch(t)
			f.from, f.until = max(f.from, from.UnixMicro()), min(f.until, until.UnixMicro())
		case !c.until.IsZero():
			k.expiry = unixMillis(c.until.Add(2*time.Duration(c.retention)*time.Second + grace))
		}
		f.counters = append(f.counters, k)
	}
	f.look = bounds(f.from, f.until)
	from, until := f.from, f.until
	if !c.from.IsZero() {
		from = max(from, c.from.UnixMicro())
	}
	if !c.until.IsZero() {
		until = min(until, c.until.UnixMicro())
	}
	f.claim = bounds(from, until)
	return f
}

// claimsAt returns a frame of which only the keys of claims are set, for a time in seconds.
func (c *Coupon) claimsAt(now int64) *frame {
	number := now / c.retention
	key := func(n int64) string { return c.prefix + "claims:" + script.Int(n) }
	begin, end := number*c.retention, (number+1)*c.retention
	f := &frame{claims: []string{key(number)}, claimsEnd: unixMillis(time.Unix(end+c.retention, 0))}
	if c.from.Unix() < begin { // there may be claims of the period before; the zero time is long ago
		f.claims = append(f.claims, key(number-1))
	}
	if late := max(begin, end-int64(setBack/time.Second)); now < late {
		end = late
	} else { // the clock may have been in the next period before it was set back
		begin = late
		f.claims = append(f.claims, key(number+1))
	}
	f.from, f.until = begin*1e6, end*1e6
	return f
}

func bounds(from, until int64) [2]string {
	return [2]string{script.Int(from), script.Int(until)}
}

func unixMillis(t time.Time) string { return script.Int(t.UnixMilli()) }

// group is the limits of one window.
type group struct {
	window Window
	limits []int    // places in Coupon.limits
	most   []string // Max of each, as an argument
}

// grouped groups the limits by window.
func grouped(limits []Limit) []group {
	var groups []group
	for w := Ever; w <= Month; w++ {
		g := group{window: w}
		for i, l := range limits {
			if l.Window == w {
				g.limits = append(g.limits, i)
				g.most = append(g.most, script.Int(l.Max))
			}
		}
		if g.limits != nil {
			groups = append(groups, g)
		}
	}
	return slices.Clip(groups)
}

// maxTime is the last time allowed in Options; its microseconds are exact in float64.
var maxTime = time.UnixMicro(math.MaxInt64 >> 11)
