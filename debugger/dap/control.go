package dap

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// handleSessionEvent handles an event of the session that is debugged.
func (c *conn) handleSessionEvent(e sessionEvent) {
	if e.of != c.run {
		return // of a script that was ended for another one
	}
	switch event := e.event.(type) {
	case debugger.Stopped:
		c.forget()
		e.of.stop = &event
		c.announceStop(e.of, event)
	case debugger.Output:
		c.output(e.of, event)
	case debugger.Ended:
		c.forget()
		if c.attached {
			c.callEnded(e.of, event)
		} else {
			c.launchEnded(e.of, event)
		}
	}
}

// announceStop sends a stopped event.
func (c *conn) announceStop(d *debuggee, s debugger.Stopped) {
	body := dap.StoppedEventBody{ThreadId: d.thread, AllThreadsStopped: true, HitBreakpointIds: c.hitIDs(d, s)}
	switch s.Reason {
	case debugger.ReasonEntry:
		body.Reason = "entry"
	case debugger.ReasonStep:
		body.Reason = "step"
	case debugger.ReasonBack:
		body.Reason = "step"
		if s.Text != "" {
			c.say("stderr", "the script did not go the same way: "+s.Text+"\n", d.source, s.Line)
		}
	case debugger.ReasonBreakpoint:
		body.Reason, body.Text = "breakpoint", s.Text
		if s.Text != "" {
			c.say("stderr", s.Text+"\n", d.source, s.Line)
		}
	case debugger.ReasonBreakpointCall:
		body.Reason, body.Description = "breakpoint", "Paused on redis.breakpoint()"
	case debugger.ReasonPause:
		body.Reason = "pause"
	case debugger.ReasonError:
		body.Reason, body.Description, body.Text = "exception", "Paused on error", s.Text
	case debugger.ReasonCommand:
		body.Reason, body.Description, body.Text = "function breakpoint", "Paused before "+s.Text, s.Text
	case debugger.ReasonKeyWrite:
		body.Reason, body.Description, body.Text = "data breakpoint", "Paused after a write to "+s.Text, s.Text
	case debugger.ReasonValueChange:
		body.Reason, body.Description, body.Text = "data breakpoint", "Paused after a change of "+s.Text, s.Text
	}
	c.event(&dap.StoppedEvent{Body: body}, "stopped")
}

// output sends output of the script.
func (c *conn) output(d *debuggee, o debugger.Output) {
	category := "stdout"
	switch {
	case o.Kind == debugger.OutputLogpoint || o.Kind == debugger.OutputLog && o.Level < 3:
		category = "console"
	case o.Kind == debugger.OutputLog:
		category = "stderr"
	}
	c.say(category, strings.TrimSuffix(o.Text, "\n")+"\n", d.source, o.Line)
}

// say sends text as output, with its line if there is one.
func (c *conn) say(category, text string, s *source, line int) {
	body := dap.OutputEventBody{Category: category, Output: text}
	if s != nil && line > 0 {
		body.Source, body.Line, body.Column = c.describeSource(s), c.client.line(line), c.client.column()
	}
	c.event(&dap.OutputEvent{Body: body}, "output")
}

// sayError sends the error reply of a script, with the line that it names.
func (c *conn) sayError(d *debuggee, v engine.Value) {
	line := 0
	if i := strings.LastIndex(v.Text(), "user_script:"); i >= 0 {
		_, _ = fmt.Sscanf(v.Text()[i:], "user_script:%d", &line)
	}
	c.say("stderr", c.format(v), d.source, line)
}

// format returns a reply as people read it, in whole lines.
func (c *conn) format(v engine.Value) string {
	return strings.TrimSuffix(c.opts.Format(v), "\n") + "\n"
}

// forget drops the handles of the last stop when the script runs again.
func (c *conn) forget() {
	clear(c.refs)
	clear(c.frames)
	if c.run != nil {
		c.run.stop = nil
	}
}

// thread checks that a thread id is valid.
func (c *conn) thread(id int) error {
	if id != c.run.thread {
		return fmt.Errorf("there is no thread %d", id)
	}
	return nil
}

// move resumes the script.
func (c *conn) move(thread int, how func(*debugger.Session) error) error {
	err := c.thread(thread)
	if err == nil {
		if err = how(c.run.session); err == nil {
			c.forget()
		}
	}
	return err
}

func (c *conn) onContinue(r *dap.ContinueRequest) (dap.ResponseMessage, error) {
	response := &dap.ContinueResponse{Body: dap.ContinueResponseBody{AllThreadsContinued: true}}
	return response, c.move(r.Arguments.ThreadId, (*debugger.Session).Continue)
}

func (c *conn) onNext(r *dap.NextRequest) (dap.ResponseMessage, error) {
	return &dap.NextResponse{}, c.move(r.Arguments.ThreadId, (*debugger.Session).StepOver)
}

func (c *conn) onStepIn(r *dap.StepInRequest) (dap.ResponseMessage, error) {
	return &dap.StepInResponse{}, c.move(r.Arguments.ThreadId, (*debugger.Session).StepIn)
}

func (c *conn) onStepOut(r *dap.StepOutRequest) (dap.ResponseMessage, error) {
	return &dap.StepOutResponse{}, c.move(r.Arguments.ThreadId, (*debugger.Session).StepOut)
}

func (c *conn) onStepBack(r *dap.StepBackRequest) (dap.ResponseMessage, error) {
	return &dap.StepBackResponse{}, c.move(r.Arguments.ThreadId, (*debugger.Session).StepBack)
}

func (c *conn) onReverseContinue(r *dap.ReverseContinueRequest) (dap.ResponseMessage, error) {
	return &dap.ReverseContinueResponse{}, c.move(r.Arguments.ThreadId, (*debugger.Session).ContinueBack)
}

// onPause stops the script at its next line. If no script is in progress, the next script stops at
// its first line.
func (c *conn) onPause(*dap.PauseRequest) (dap.ResponseMessage, error) {
	switch {
	case c.run == nil && !c.attached:
		return nil, errNoScript
	case c.run == nil:
		c.stopNext.Store(true)
	case c.run.stop != nil:
		return nil, errors.New("the script is stopped already")
	default:
		c.afterResponse(c.run.session.Pause)
	}
	return &dap.PauseResponse{}, nil
}

func (c *conn) onThreads(*dap.ThreadsRequest) (dap.ResponseMessage, error) {
	r := &dap.ThreadsResponse{}
	r.Body.Threads = []dap.Thread{}
	if c.run != nil {
		r.Body.Threads = append(r.Body.Threads, dap.Thread{Id: c.run.thread, Name: c.run.name})
	}
	return r, nil
}

// onExceptionInfo describes the error at which the script has stopped.
func (c *conn) onExceptionInfo(r *dap.ExceptionInfoRequest) (dap.ResponseMessage, error) {
	if err := c.thread(r.Arguments.ThreadId); err != nil {
		return nil, err
	}
	s := c.run.stop
	if s.Reason != debugger.ReasonError {
		return nil, errors.New("the script has not stopped at an error")
	}
	trace, err := c.trace()
	if err != nil {
		return nil, err
	}
	mode := dap.ExceptionBreakMode("unhandled")
	if c.exceptions == debugger.ErrorsAll {
		mode = "always"
	}
	id := "error"
	word, _, _ := strings.Cut(s.Text, " ")
	if word != "" && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		id = word // the code of a Redis error
	}
	return &dap.ExceptionInfoResponse{Body: dap.ExceptionInfoResponseBody{ExceptionId: id, Description: s.Text, BreakMode: mode,
		Details: &dap.ExceptionDetails{Message: s.Text, TypeName: id, StackTrace: trace}}}, nil
}
