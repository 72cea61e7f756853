package repl

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// stopped is a script that stands still, or runs on for the moment.
type stopped struct {
	target target
	name   string // of the script
	script *engine.Script
	client string // whose script it is; "": the dialogue's own
	sync   bool   // what it changes stays
	frame  int    // the frame that is looked at
	looked int    // the line where that stands, where it is not the innermost

	at      debugger.Stopped
	release func() // when it is over; nil: nothing is to be done
}

// follow waits until the script stops again or ends, and tells what happens meanwhile. Ctrl-C stops it at the next line, once more
// ends it.
func (d *dialogue) follow() error {
	s := d.stop
	presses := 0
	for {
		select {
		case <-d.mail.ready:
		case <-d.Interrupts:
			if presses++; presses == 1 {
				s.target.Pause()
			} else {
				go s.target.Abort()
			}
		}
		stands := false
		for _, l := range d.mail.take() {
			if _, other := l.event.(debugger.Stopped); other && l.from != s && s.sync && !stands {
				// It has the engine, for which s has waited.
				l.from.at, l.from.frame, l.from.looked = l.event.(debugger.Stopped), 0, 0
				d.attend(l.from)
				s, stands = l.from, true
				continue
			}
			if l.from != s {
				d.aside(l)
				continue
			}
			stands = stands || standing(l.event)
			if err := d.tell(l); err != nil {
				return err
			}
		}
		if stands {
			d.another()
			return nil
		}
	}
}

// hold makes s the script in hand, or none.
func (d *dialogue) hold(s *stopped) {
	d.stop, d.repeat = s, ""
	d.showLogs(s != nil)
}

// showLogs says whether the dialogue shows what scripts log.
func (d *dialogue) showLogs(yes bool) {
	if d.Debugging != nil && d.place.embedded() {
		d.Debugging.Store(yes)
	}
}

// standing reports whether an event is the last before somebody must say how to go on.
func standing(e debugger.Event) bool {
	switch e.(type) {
	case debugger.Stopped, debugger.Ended:
		return true
	}
	return false
}

// another takes the script that waits next, where there is none in hand.
func (d *dialogue) another() {
	if d.stop == nil && len(d.others) > 0 {
		s := d.others[0]
		d.others = d.others[1:]
		d.attend(s)
	}
}

// tell prints an event of the script in hand.
func (d *dialogue) tell(l letter) error {
	switch e := l.event.(type) {
	case debugger.Output:
		d.output(l.from, e)
	case debugger.Stopped:
		l.from.at, l.from.frame, l.from.looked = e, 0, 0
		d.arrived(l.from)
	case debugger.Ended:
		return d.ended(l.from, e)
	}
	return nil
}

// output prints what a script says.
func (d *dialogue) output(s *stopped, o debugger.Output) {
	if o.Line == 0 { // from a server
		d.say(o.Text)
		return
	}
	kind := [...]string{debugger.LogOutput: "log", debugger.PrintOutput: "debug", debugger.LogpointOutput: "logpoint"}[o.Kind]
	if o.Kind == debugger.LogOutput {
		kind = [...]string{"debug", "verbose", "notice", "warning"}[min(max(o.Level, 0), 3)]
	}
	d.sayf("%s %s", d.paint.dim(fmt.Sprintf("%s:%d %s:", s.name, o.Line, kind)), o.Text)
}

// arrived shows where a script has stopped.
func (d *dialogue) arrived(s *stopped) {
	d.say(d.heading(s))
	d.source(s, s.at.Line, 3)
	d.showWatches()
}

// heading says why a script has stopped, and where.
func (d *dialogue) heading(s *stopped) string {
	where := fmt.Sprintf("%s:%d", s.name, s.at.Line)
	if s.client != "" {
		where += ", script of " + s.client
	}
	text := s.at.Text
	switch s.at.Reason {
	case debugger.Entry:
		return d.paint.dim("before the first line, " + where)
	case debugger.Step:
		return d.paint.dim(where)
	case debugger.AtBreakpoint:
		if text != "" {
			return d.paint.bold("breakpoint, "+where) + "\n" + d.paint.bad(text)
		}
		return d.paint.bold("breakpoint, " + where)
	case debugger.BreakpointCall:
		return d.paint.bold("redis.breakpoint(), " + where)
	case debugger.PauseRequest:
		return d.paint.bold("paused, " + where)
	case debugger.Error:
		return d.paint.bold("error, "+where) + "\n" + d.paint.lines(d.paint.bad, text)
	case debugger.Command:
		return d.paint.bold("before "+strings.ToUpper(text)) + d.paint.dim(", "+where)
	case debugger.KeyWrite:
		return d.paint.bold("key "+text+" has changed") + d.paint.dim(", "+where)
	case debugger.ValueChange:
		return d.paint.bold(text+" has changed") + d.paint.dim(", "+where)
	case debugger.Back:
		return d.paint.dim("back, " + where)
	}
	return where
}

// ended shows the reply of a script that is over, and leaves it.
func (d *dialogue) ended(s *stopped, e debugger.Ended) error {
	if s.release != nil {
		s.release()
	}
	d.hold(nil)
	if s.client != "" {
		d.sayf("%s", d.paint.dim("the script of "+s.client+" has ended"))
		return nil
	}
	data := "its changes stay"
	if !s.sync {
		data = "its changes are given up, for it ran on a copy of the data"
	}
	switch {
	case e.Aborted:
		d.say(d.paint.dim("aborted; " + data))
		return nil
	case e.Err != nil:
		return e.Err
	}
	if err := d.show([]string{"eval"}, display.Shape(e.Reply, d.proto)); err != nil {
		return err
	}
	d.say(d.paint.dim("the script has ended; " + data))
	return nil
}

// source shows the lines around one, which is marked; breakpoints have a mark too.
func (d *dialogue) source(s *stopped, line, around int) {
	lines := d.paint.highlightLines(strings.TrimSuffix(s.script.Source(), "\n"))
	from, to := max(line-around, 1), min(line+around, len(lines))
	width := len(strconv.Itoa(to))
	for n := from; n <= to; n++ {
		number := fmt.Sprintf("%*d", width, n)
		mark := "  "
		for _, b := range d.points[s.script.SHA()] {
			if b.Line == n && b.Problem == "" {
				mark = d.paint.bad("# ")
			}
		}
		arrow := "   "
		switch n {
		case s.looked:
			arrow, number = d.paint.marked(" > "), d.paint.marked(number)
		case s.at.Line:
			arrow, number = d.paint.marked("-> "), d.paint.marked(number)
		default:
			number = d.paint.dim(number)
		}
		d.say(strings.TrimRight(mark+arrow+number+"  "+strings.TrimSuffix(lines[n-1], "\r"), " "))
	}
}
