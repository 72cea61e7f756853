package coupon

import (
	"fmt"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Window is the period in which the claims under a limit are counted together.
type Window int

// The windows. A week begins on Monday.
const (
	Ever Window = iota
	Day
	Week
	Month
)

var windows = script.Names{"ever", "day", "week", "month"}

// String is the name of the window, as in keys.
func (w Window) String() string { return windows.Of("Window", int(w)) }

// MarshalText returns the text of String, also in JSON.
func (w Window) MarshalText() ([]byte, error) { return windows.Text("coupon.Window", int(w)) }

// UnmarshalText reads what MarshalText returns, and refuses any other text.
func (w *Window) UnmarshalText(text []byte) error {
	return windows.Read("coupon.Window", (*int)(w), text)
}

// label names the window that t, a time in the zone of the coupon, lies in. Labels sort by time.
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

// end is when the window that t lies in ends; it is the zero time for [Ever]. If the clock of the
// zone shows the last hour of a day twice, with a part of the next day in between, it is when that
// part begins.
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

// stretch returns the time around t during which the zone of t shows one date and does not move its
// clock; until is exclusive. It is a day, or a part of a day on which the clock is moved.
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

// mod is a modulo n from 0 to n-1, also for negative a.
func mod(a, n int64) int64 { return ((a % n) + n) % n }
