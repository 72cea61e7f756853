package dap

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// tell handles an event of the session that is debugged.
func (c *conn) tell(e sessionEvent) {
	if e.of != c.run {
		return // of one that was ended for another
	}
	switch event := e.event.(type) {
	case debugger.Stopped:
		c.forget()
		e.of.stop = &event
		c.stopped(e.of, event)
	case debugger.Output:
		c.output(e.of, event)
	case debugger.Ended:
		c.forget()
		if c.attached {
			c.leave(e.of, event)
		} else {
			c.finish(e.of, event)
		}
	}
}

// stopped tells that the script stands still.
func (c *conn) stopped(d *debuggee, s debugger.Stopped) {
	body := dap.StoppedEventBody{ThreadId: d.thread, AllThreadsStopped: true, HitBreakpointIds: c.hit(d, s)}
	switch s.Reason {
	case debugger.Entry:
		body.Reason = "entry"
	case debugger.Step:
		body.Reason = "step"
	case debugger.Back:
		body.Reason = "step"
		if s.Text != "" {
			c.say("stderr", "the script did not go the same way: "+s.Text+"\n", d.source, s.Line)
		}
	case debugger.AtBreakpoint:
		body.Reason, body.Text = "breakpoint", s.Text
		if s.Text != "" {
			c.say("stderr", s.Text+"\n", d.source, s.Line)
		}
	case debugger.BreakpointCall:
		body.Reason, body.Description = "breakpoint", "Paused on redis.breakpoint()"
	case debugger.PauseRequest:
		body.Reason = "pause"
	case debugger.Error:
		body.Reason, body.Description, body.Text = "exception", "Paused on error", s.Text
	case debugger.Command:
		body.Reason, body.Description, body.Text = "function breakpoint", "Paused before "+s.Text, s.Text
	case debugger.KeyWrite:
		body.Reason, body.Description, body.Text = "data breakpoint", "Paused after a write to "+s.Text, s.Text
	case debugger.ValueChange:
		body.Reason, body.Description, body.Text = "data breakpoint", "Paused after a change of "+s.Text, s.Text
	}
	c.event(&dap.StoppedEvent{Body: body}, "stopped")
}

// output tells what the script says.
func (c *conn) output(d *debuggee, o debugger.Output) {
	category := "stdout"
	switch {
	case o.Kind == debugger.LogpointOutput || o.Kind == debugger.LogOutput && o.Level < 3:
		category = "console"
	case o.Kind == debugger.LogOutput:
		category = "stderr"
	}
	c.say(category, strings.TrimSuffix(o.Text, "\n")+"\n", d.source, o.Line)
}

// say sends output, of a line of a source where there is one.
func (c *conn) say(category, text string, s *source, line int) {
	body := dap.OutputEventBody{Category: category, Output: text}
	if s != nil && line > 0 {
		body.Source, body.Line, body.Column = c.tellSource(s), c.line(line), c.column()
	}
	c.event(&dap.OutputEvent{Body: body}, "output")
}

// sayError tells the error reply of a script, at the line that it names.
func (c *conn) sayError(d *debuggee, v engine.Value) {
	line := 0
	if i := strings.LastIndex(v.Text(), "user_script:"); i >= 0 {
		_, _ = fmt.Sscanf(v.Text()[i:], "user_script:%d", &line)
	}
	c.say("stderr", c.format(v), d.source, line)
}

// format is a reply as people read it, in whole lines.
func (c *conn) format(v engine.Value) string {
	return strings.TrimSuffix(c.opts.Format(v), "\n") + "\n"
}

// forget drops what the client knows of the last stop.
func (c *conn) forget() {
	clear(c.refs)
	clear(c.frames)
	if c.run != nil {
		c.run.stop = nil
	}
}

// goOn notes that the script runs on.
func (c *conn) goOn() { c.forget() }

// thread checks that a thread is the one that there is.
func (c *conn) thread(id int) error {
	if id != c.run.thread {
		return fmt.Errorf("there is no thread %d", id)
	}
	return nil
}

// move lets the script go on, by one of the session's ways.
func (c *conn) move(thread int, how func(*debugger.Session) error) error {
	err := c.thread(thread)
	if err == nil {
		if err = how(c.run.session); err == nil {
			c.goOn()
		}
	}
	return err
}

func (c *conn) onContinue(r *dap.ContinueRequest) (dap.ResponseMessage, error) {
	return &dap.ContinueResponse{Body: dap.ContinueResponseBody{AllThreadsContinued: true}}, c.move(r.Arguments.ThreadId, (*debugger.Session).Continue)
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

// onPause stops the script at its next line; where none is in progress, the next one at its first.
func (c *conn) onPause(*dap.PauseRequest) (dap.ResponseMessage, error) {
	switch {
	case c.run == nil && !c.attached:
		return nil, errNoScript
	case c.run == nil:
		c.next.Store(true)
	case c.run.stop != nil:
		return nil, errors.New("the script stands still")
	default:
		c.then(c.run.session.Pause)
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

// onExceptionInfo tells of the error at which the script has stopped.
func (c *conn) onExceptionInfo(r *dap.ExceptionInfoRequest) (dap.ResponseMessage, error) {
	if err := c.thread(r.Arguments.ThreadId); err != nil {
		return nil, err
	}
	s := c.run.stop
	if s.Reason != debugger.Error {
		return nil, errors.New("the script has not stopped at an error")
	}
	trace, err := c.trace()
	if err != nil {
		return nil, err
	}
	mode := dap.ExceptionBreakMode("unhandled")
	if c.exceptions == debugger.AllErrors {
		mode = "always"
	}
	id := "error"
	if word, _, _ := strings.Cut(s.Text, " "); word != "" && strings.ToUpper(word) == word && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		id = word // the code of a Redis error
	}
	return &dap.ExceptionInfoResponse{Body: dap.ExceptionInfoResponseBody{ExceptionId: id, Description: s.Text, BreakMode: mode,
		Details: &dap.ExceptionDetails{Message: s.Text, TypeName: id, StackTrace: trace}}}, nil
}
