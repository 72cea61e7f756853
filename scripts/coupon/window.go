package coupon

import (
	"fmt"
	"time"
)

// Window is the time in which the claims under a limit are counted together.
type Window int

// The windows. A week begins on Monday.
const (
	Ever Window = iota
	Day
	Week
	Month
)

// String is the window's name in keys.
func (w Window) String() string {
	switch w {
	case Ever:
		return "ever"
	case Day:
		return "day"
	case Week:
		return "week"
	case Month:
		return "month"
	}
	return fmt.Sprintf("Window(%d)", int(w))
}

// label names the window in which t, a time in the coupon's zone, lies. Of two labels the later is the greater text.
func (w Window) label(t time.Time) string {
	switch w {
	case Day:
		return "day:" + t.Format("2006-01-02")
	case Week:
		year, week := t.ISOWeek()
		return fmt.Sprintf("week:%04d-W%02d", year, week)
	case Month:
		return "month:" + t.Format("2006-01")
	}
	return "ever"
}

// end is when the window in which t lies is over, the zero time for [Ever]: where a clock shows the last hour of a day twice with
// some of the next day between, when that comes first.
func (w Window) end(t time.Time) time.Time {
	if w == Ever {
		return time.Time{}
	}
	for label := w.label(t); ; {
		if _, t = stretch(t); w.label(t) > label {
			return t
		}
	}
}

const daySeconds = 24 * 60 * 60

// stretch returns the time around t in which t's zone shows one date and does not move its clock: from the first of its instants to the first that is
// not of it. It is a day, or a part of one where the clock is moved.
func stretch(t time.Time) (from, until time.Time) {
	_, offset := t.Zone()
	local := t.Unix() + int64(offset)
	midnight := local - mod(local, daySeconds) - int64(offset)
	from, until = time.Unix(midnight, 0).In(t.Location()), time.Unix(midnight+daySeconds, 0).In(t.Location())
	first, next := t.ZoneBounds()
	if !first.IsZero() && first.After(from) {
		from = first
	}
	if !next.IsZero() && next.Before(until) {
		until = next
	}
	return from, until
}

// mod is a modulo n from 0 to n-1, for times before 1970 as well.
func mod(a, n int64) int64 { return ((a % n) + n) % n }
