package redmoontest

import (
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// absolute are the commands that take the end of a time to live, and where: at an index, or behind
// an option.
var absolute = map[string]struct {
	index   int
	options []string
	unit    time.Duration
}{
	"expireat":  {index: 2, unit: time.Second},
	"pexpireat": {index: 2, unit: time.Millisecond},
	"set":       {options: []string{"exat", "pxat"}},
	"getex":     {options: []string{"exat", "pxat"}},
}

// farFromNow is how far the clock of an engine must be from the real one for a hint.
const farFromNow = 48 * time.Hour

// hintAtClock logs once that a command has a time by the real clock, which the engine does not
// follow: its key would live for years, or not at all.
func (e *Engine) hintAtClock(c engine.ProbedCommand) {
	at, ok := endOfLife(c.Args)
	if !ok {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.hinted {
		return
	}
	now := time.Now()
	if clock := e.Now(); clock.Sub(now).Abs() > farFromNow &&
		at.Sub(now).Abs() < farFromNow && at.Sub(clock).Abs() > farFromNow {
		e.hinted = true
		e.t.Logf("redmoontest: %s with the time %s, but the clock of this engine shows %s. Use the Now of the engine in place "+
			"of time.Now(), or WithStart(time.Now()).", strings.ToUpper(c.Args[0]), at.UTC().Format(time.DateTime),
			clock.UTC().Format(time.DateTime))
	}
}

// endOfLife returns the absolute time in a command.
func endOfLife(args []string) (at time.Time, ok bool) {
	spec, ok := absolute[strings.ToLower(args[0])]
	if !ok {
		return at, false
	}
	index, unit := spec.index, spec.unit
	for i, arg := range args {
		for _, option := range spec.options {
			if i > 1 && strings.EqualFold(arg, option) {
				index, unit = i+1, time.Second
				if option == "pxat" {
					unit = time.Millisecond
				}
			}
		}
	}
	if index == 0 || index >= len(args) {
		return at, false
	}
	n, err := strconv.ParseInt(args[index], 10, 64)
	if err != nil || n <= 0 || n > int64(1<<62)/int64(unit) {
		return at, false
	}
	return time.Unix(0, 0).Add(time.Duration(n) * unit), true
}
