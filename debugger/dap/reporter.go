package dap

import (
	"fmt"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// reporter sends the client the events of the script in progress.
type reporter struct {
	*sender
	client      *clientView
	sources     *sources
	formatReply func(engine.Value) string // Options.Format
}

// stopped sends a stopped event. ids are the breakpoints at which the script has stopped.
func (r *reporter) stopped(d *debuggee, s debugger.Stopped, ids []int) {
	body := dap.StoppedEventBody{ThreadId: d.thread, AllThreadsStopped: true, HitBreakpointIds: ids}
	switch s.Reason {
	case debugger.ReasonEntry:
		body.Reason = "entry"
	case debugger.ReasonStep:
		body.Reason = "step"
	case debugger.ReasonBack:
		body.Reason = "step"
		if s.Text != "" {
			r.say("stderr", "the script did not go the same way: "+s.Text+"\n", d.source, s.Line)
		}
	case debugger.ReasonBreakpoint:
		body.Reason, body.Text = "breakpoint", s.Text
		if s.Text != "" {
			r.say("stderr", s.Text+"\n", d.source, s.Line)
		}
	case debugger.ReasonBreakpointCall:
		body.Reason, body.Description = "breakpoint", "Paused on redis.breakpoint()"
	case debugger.ReasonPause:
		body.Reason = "pause"
	case debugger.ReasonEnd:
		body.Reason, body.Description = "pause", "Paused at the end of the script"
	case debugger.ReasonError:
		body.Reason, body.Description, body.Text = "exception", "Paused on error", s.Text
	case debugger.ReasonCommand:
		body.Reason, body.Description, body.Text = "function breakpoint", "Paused before "+s.Text, s.Text
	case debugger.ReasonKeyWrite:
		body.Reason, body.Description, body.Text = "data breakpoint", "Paused after a write to "+s.Text, s.Text
	case debugger.ReasonValueChange:
		body.Reason, body.Description, body.Text = "data breakpoint", "Paused after a change of "+s.Text, s.Text
	}
	r.event(&dap.StoppedEvent{Body: body}, "stopped")
}

// output sends output of a script.
func (r *reporter) output(d *debuggee, o debugger.Output) {
	category := "stdout"
	switch {
	case o.Kind == debugger.OutputLogpoint || o.Kind == debugger.OutputLog && o.Level < 3:
		category = "console"
	case o.Kind == debugger.OutputLog:
		category = "stderr"
	}
	r.say(category, strings.TrimSuffix(o.Text, "\n")+"\n", d.source, o.Line)
}

// say sends text as output, with its line if there is one.
func (r *reporter) say(category, text string, s *source, line int) {
	body := dap.OutputEventBody{Category: category, Output: text}
	if s != nil && line > 0 {
		body.Source, body.Line = r.sources.place(s, line)
		body.Column = r.client.column()
	}
	r.event(&dap.OutputEvent{Body: body}, "output")
}

// sayError sends the error reply of a script, with the line that it names.
func (r *reporter) sayError(d *debuggee, v engine.Value) {
	line := 0
	if i := strings.LastIndex(v.Text(), "user_script:"); i >= 0 {
		_, _ = fmt.Sscanf(v.Text()[i:], "user_script:%d", &line)
	}
	r.say("stderr", r.format(v), d.source, line)
}

// format returns a reply as people read it, in whole lines.
func (r *reporter) format(v engine.Value) string {
	return strings.TrimSuffix(r.formatReply(v), "\n") + "\n"
}

// threadStarted announces a script that has begun.
func (r *reporter) threadStarted(thread int) {
	r.event(&dap.ThreadEvent{Body: dap.ThreadEventBody{Reason: "started", ThreadId: thread}}, "thread")
}

// threadExited announces the end of a script.
func (r *reporter) threadExited(thread int) {
	r.event(&dap.ThreadEvent{Body: dap.ThreadEventBody{Reason: "exited", ThreadId: thread}}, "thread")
}

// breakpointChanged announces the new place of a breakpoint.
func (r *reporter) breakpointChanged(b dap.Breakpoint) {
	r.event(&dap.BreakpointEvent{Body: dap.BreakpointEventBody{Reason: "changed", Breakpoint: b}}, "breakpoint")
}

// terminated announces that no script is debugged any more.
func (r *reporter) terminated() { r.event(&dap.TerminatedEvent{}, "terminated") }
