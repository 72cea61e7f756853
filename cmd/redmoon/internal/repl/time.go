package repl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
)

func (d *data) time(rest string) error {
	clock := d.backend.(*backend.Local).Clock
	if clock == nil {
		return errors.New("this engine's clock is the machine's")
	}
	switch {
	case rest == "":
	case rest == "freeze" || rest == "stop":
		clock.Freeze(true)
	case rest == "run" || rest == "go":
		clock.Freeze(false)
	case rest == "reset":
		clock.Reset()
	case rest[0] == '+' || rest[0] == '-':
		by, err := parseDuration(rest)
		if err != nil {
			return err
		}
		clock.Move(by)
	default:
		at, err := parseTime(rest)
		if err != nil {
			return err
		}
		clock.Set(at)
	}
	d.showTime(clock)
	return nil
}

func (d *data) showTime(clock *backend.Clock) {
	ahead, frozen := clock.State()
	text := clock.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	switch ahead = ahead.Round(time.Second); {
	case ahead > 0:
		text += ", " + duration(ahead) + " ahead"
	case ahead < 0:
		text += ", " + duration(-ahead) + " behind"
	}
	if frozen {
		text += ", frozen"
	}
	d.say(text)
}

// parseDuration parses "+1d2h30m".
func parseDuration(text string) (time.Duration, error) {
	sign, rest := time.Duration(1), text[1:]
	if text[0] == '-' {
		sign = -1
	}
	var days time.Duration
	if number, after, ok := strings.Cut(rest, "d"); ok {
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || n < 0 || n > 36500 {
			return 0, badDuration(text)
		}
		days, rest = time.Duration(n*24*float64(time.Hour)), after
	}
	if rest == "" {
		return sign * days, nil
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 || d > 36500*24*time.Hour {
		return 0, badDuration(text)
	}
	return sign * (days + d), nil
}

func badDuration(text string) error {
	return fmt.Errorf("%q is not a duration such as +5m, +1h30m or +2d", text)
}

func parseTime(text string) (time.Time, error) {
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 && s < 1e11 {
		return time.UnixMilli(int64(s * 1000)), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time such as 2030-01-31T12:00:00Z, 2030-01-31 or 1700000000", text)
}
