package repl

import (
	"fmt"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// stopped is a script that is stopped or being stepped through.
type stopped struct {
	target backend.Target
	name   string // of the script
	script *engine.Script
	client string // the caller; "": the dialogue itself
	sync   bool   // its changes stay
	frame  int    // the selected frame
	looked int    // line of the selected frame; 0 for the innermost one

	at      debugger.Stopped
	release func() // called after the end; optional
}

// waitForStop waits until the script stops again or ends, and shows its events. The first Ctrl-C
// pauses the script, the second one aborts it.
func (d *dialogue) waitForStop() error {
	s := d.stop
	presses := 0
	for {
		select {
		case <-d.events.ready:
		case <-d.Interrupts:
			if presses++; presses == 1 {
				s.target.Pause()
			} else {
				go s.target.Abort()
			}
		}
		resumable := false
		for _, l := range d.events.take() {
			if _, other := l.event.(debugger.Stopped); other && l.from != s && s.sync && !resumable {
				// The other script has the engine, for which s has been waiting.
				l.from.at, l.from.frame, l.from.looked = l.event.(debugger.Stopped), 0, 0
				d.takeOver(l.from)
				s, resumable = l.from, true
				continue
			}
			if l.from != s {
				d.handleOtherEvent(l)
				continue
			}
			resumable = resumable || isLast(l.event)
			if err := d.showEvent(l); err != nil {
				return err
			}
		}
		if resumable {
			d.takeNextWaiting()
			return nil
		}
	}
}

// setCurrent makes s the current script. s may be nil.
func (d *dialogue) setCurrent(s *stopped) {
	d.stop, d.repeat = s, ""
	d.showLogs(s != nil)
}

// showLogs sets whether the dialogue itself shows what scripts log.
func (d *dialogue) showLogs(yes bool) {
	if d.Debugging != nil && d.backend.Embedded() {
		d.Debugging.Store(yes)
	}
}

// isLast reports whether the script waits for the dialogue after an event.
func isLast(e debugger.Event) bool {
	switch e.(type) {
	case debugger.Stopped, debugger.Ended:
		return true
	}
	return false
}

// takeNextWaiting makes the next waiting script the current one, if there is none.
func (d *dialogue) takeNextWaiting() {
	if d.stop == nil && len(d.others) > 0 {
		s := d.others[0]
		d.others = d.others[1:]
		d.takeOver(s)
	}
}

// showEvent prints an event of the current script.
func (d *dialogue) showEvent(l scriptEvent) error {
	switch e := l.event.(type) {
	case debugger.Output:
		d.output(l.from, e)
	case debugger.Stopped:
		l.from.at, l.from.frame, l.from.looked = e, 0, 0
		d.showStop(l.from)
	case debugger.Ended:
		return d.showEnd(l.from, e)
	}
	return nil
}

// output prints output of a script.
func (d *dialogue) output(s *stopped, o debugger.Output) {
	if o.Line == 0 { // output of a server
		d.say(o.Text)
		return
	}
	kind := [...]string{debugger.OutputLog: "log", debugger.OutputPrint: "debug", debugger.OutputLogpoint: "logpoint"}[o.Kind]
	if o.Kind == debugger.OutputLog {
		kind = [...]string{"debug", "verbose", "notice", "warning"}[min(max(o.Level, 0), 3)]
	}
	d.sayf("%s %s", d.palette.dim(fmt.Sprintf("%s:%d %s:", s.name, o.Line, kind)), o.Text)
}

// showStop prints where and why a script has stopped, and the lines around it.
func (d *dialogue) showStop(s *stopped) {
	d.say(d.heading(s))
	d.source(s, s.at.Line, 3)
	d.showWatches()
}

// heading returns why and where a script has stopped.
func (d *dialogue) heading(s *stopped) string {
	where := fmt.Sprintf("%s:%d", s.name, s.at.Line)
	if s.client != "" {
		where += ", script of " + s.client
	}
	text := s.at.Text
	switch s.at.Reason {
	case debugger.ReasonEntry:
		return d.palette.dim("before the first line, " + where)
	case debugger.ReasonStep:
		return d.palette.dim(where)
	case debugger.ReasonBreakpoint:
		if text != "" {
			return d.palette.bold("breakpoint, "+where) + "\n" + d.palette.bad(text)
		}
		return d.palette.bold("breakpoint, " + where)
	case debugger.ReasonBreakpointCall:
		return d.palette.bold("redis.breakpoint(), " + where)
	case debugger.ReasonPause:
		return d.palette.bold("paused, " + where)
	case debugger.ReasonError:
		return d.palette.bold("error, "+where) + "\n" + d.palette.lines(d.palette.bad, text)
	case debugger.ReasonCommand:
		return d.palette.bold("before "+strings.ToUpper(text)) + d.palette.dim(", "+where)
	case debugger.ReasonKeyWrite:
		return d.palette.bold("key "+text+" has changed") + d.palette.dim(", "+where)
	case debugger.ReasonValueChange:
		return d.palette.bold(text+" has changed") + d.palette.dim(", "+where)
	case debugger.ReasonBack:
		return d.palette.dim("back, " + where)
	}
	return where
}

// showEnd prints the reply of a script that has ended.
func (d *dialogue) showEnd(s *stopped, e debugger.Ended) error {
	if s.release != nil {
		s.release()
	}
	d.setCurrent(nil)
	if s.client != "" {
		d.sayf("%s", d.palette.dim("the script of "+s.client+" has ended"))
		return nil
	}
	data := "its changes stay"
	if !s.sync {
		data = "its changes are discarded, because it ran on a copy of the data"
	}
	switch {
	case e.Aborted:
		d.say(d.palette.dim("aborted; " + data))
		return nil
	case e.Err != nil:
		return e.Err
	}
	if err := d.show([]string{"eval"}, display.Shape(e.Reply, d.proto)); err != nil {
		return err
	}
	d.say(d.palette.dim("the script has ended; " + data))
	return nil
}

// source prints lines of a script around one. It marks the current line and breakpoints.
func (d *dialogue) source(s *stopped, line, around int) {
	lines := d.palette.highlightLines(strings.TrimSuffix(s.script.Source(), "\n"))
	from, to := max(line-around, 1), min(line+around, len(lines))
	width := len(strconv.Itoa(to))
	for n := from; n <= to; n++ {
		number := fmt.Sprintf("%*d", width, n)
		mark := "  "
		for _, b := range d.breakpoints[s.script.SHA()] {
			if b.Line == n && b.Problem == "" {
				mark = d.palette.bad("# ")
			}
		}
		arrow := "   "
		switch n {
		case s.looked:
			arrow, number = d.palette.marked(" > "), d.palette.marked(number)
		case s.at.Line:
			arrow, number = d.palette.marked("-> "), d.palette.marked(number)
		default:
			number = d.palette.dim(number)
		}
		d.say(strings.TrimRight(mark+arrow+number+"  "+strings.TrimSuffix(lines[n-1], "\r"), " "))
	}
}
