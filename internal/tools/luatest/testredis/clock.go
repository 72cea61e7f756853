package testredis

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// errNoSleep is the error of clock.sleep outside of a client of explore.
var errNoSleep = errors.New("clock.sleep works in a client of explore; clock.advance moves the clock")

// clockTable returns the global clock.
func (w *World) clockTable() luabridge.Value {
	t := w.tool
	clock := t.Table()
	clock.Set("advance", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		d, err := durationOf(c.Arg(0))
		if err != nil {
			return nil, fmt.Errorf("clock.advance: %w", err)
		}
		return nil, w.perform(func(env *Env) error {
			env.use("clock")
			if err := env.open(); err != nil {
				return err
			}
			env.clock.Advance(d)
			return nil
		})
	}))
	clock.Set("set", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		at, err := timeOf(c.Arg(0))
		if err != nil {
			return nil, fmt.Errorf("clock.set: %w", err)
		}
		return nil, w.perform(func(env *Env) error {
			env.use("clock")
			if err := env.open(); err != nil {
				return err
			}
			env.clock.Set(at)
			return nil
		})
	}))
	clock.Set("sleep", t.Func(func(*luabridge.ToolCall) ([]luabridge.Value, error) { return nil, errNoSleep }))
	clock.Set("now", t.Func(func(*luabridge.ToolCall) ([]luabridge.Value, error) {
		env := w.env
		if env == nil {
			return nil, errOutside
		}
		env.use("clock")
		return one(t.Number(float64(env.clock.Now().UnixMicro()) / 1e6))
	}))
	return clock
}

// farthest is the longest time that a clock moves: 100 years.
const farthest = 100 * 365 * 24 * time.Hour

// days is the unit d, which Go's durations do not have.
var days = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)d(.*)$`)

// parseDuration reads "90s", "1h30m" or "2d".
func parseDuration(text string) (time.Duration, error) {
	day := time.Duration(0)
	if m := days.FindStringSubmatch(text); m != nil {
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil || n > farthest.Hours()/24 {
			return 0, fmt.Errorf("%q is too long", text)
		}
		if day, text = time.Duration(n*24*float64(time.Hour)), m[2]; text == "" {
			return day, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time such as \"5m\", \"1h30m\", \"250ms\" or \"2d\"", text)
	}
	return day + d, nil
}

// durationOf reads a time to pass: a text, or a number of seconds.
func durationOf(v luabridge.Value) (d time.Duration, err error) {
	switch v.Kind() {
	case luabridge.NumberKind:
		if s := v.Number(); math.Abs(s) <= farthest.Seconds() {
			d = time.Duration(math.Round(s * float64(time.Second)))
		} else {
			return 0, errors.New("the time is too long")
		}
	case luabridge.StringKind:
		if d, err = parseDuration(v.Text()); err != nil {
			return 0, err
		}
	default:
		return 0, fmt.Errorf("a time such as \"5m\", or a number of seconds expected, not a %s", v.Kind())
	}
	switch {
	case d < 0:
		return 0, errors.New("time does not go back; clock.set sets the clock")
	case d > farthest:
		return 0, errors.New("the time is too long")
	}
	return d, nil
}

// timeOf reads a time: Unix time in seconds, or RFC 3339.
func timeOf(v luabridge.Value) (at time.Time, err error) {
	switch v.Kind() {
	case luabridge.NumberKind:
		s := v.Number()
		if s < 0 || s > 1e11 {
			return at, errors.New("the time must be between 1970 and 5138")
		}
		return time.UnixMicro(int64(math.Round(s * 1e6))), nil
	case luabridge.StringKind:
		for _, layout := range []string{time.RFC3339Nano, time.DateTime, time.DateOnly} {
			if at, err = time.Parse(layout, v.Text()); err == nil && at.Unix() >= 0 {
				return at, nil
			}
		}
		return at, fmt.Errorf("%q is not a time such as \"2024-01-01T12:00:00Z\"", v.Text())
	}
	return at, fmt.Errorf("a number of seconds since 1970, or a text such as \"2024-01-01T12:00:00Z\" expected, not a %s", v.Kind())
}
