package cmdtable

import (
	"strconv"
	"strings"
	"time"
)

// Waits says where a command line has the time for which the command may wait. A command that
// never waits has the zero value.
type Waits struct {
	At     int           // the place of the argument, the name counts; negative: from the end
	Option string        // instead of At: the keyword before the argument
	Before string        // the keyword behind which Option means something else
	Unit   time.Duration // of the argument: a second, or a millisecond
}

// LongestWait returns how long the command may wait before it replies to a command line; 0 means
// for ever. ok is false if it does not wait, or the line is malformed.
func (s *Spec) LongestWait(args []string) (d time.Duration, ok bool) {
	w := s.Waits
	at := w.At
	switch {
	case w.Unit == 0:
		return 0, false
	case at < 0:
		at += len(args)
	case w.Option != "":
		for i := 1; i < len(args) && !strings.EqualFold(args[i], w.Before); i++ {
			if strings.EqualFold(args[i], w.Option) {
				at = i + 1
				break
			}
		}
	}
	if at < 1 || at >= len(args) {
		return 0, false
	}
	if w.Unit == time.Second { // may have a fraction
		f, err := strconv.ParseFloat(args[at], 64)
		return time.Duration(f * float64(time.Second)), err == nil && f >= 0 && f < 1e9
	}
	n, err := strconv.ParseInt(args[at], 10, 64)
	return time.Duration(n) * w.Unit, err == nil && n >= 0 && n < 1e12
}
