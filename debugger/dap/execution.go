package dap

import (
	"context"
	"fmt"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// execution is the script in progress, if there is one, and its control.
type execution struct {
	ctx       context.Context   // ends when the client disconnects
	engine    *engine.Engine    // on which scripts run; nil: none yet
	variables *variables        // of the current stop
	current   *debuggee         // nil: no script is in progress
	threads   int               // number of scripts so far
	events    chan sessionEvent // of current, and of scripts before it
}

// debuggee is a script that is being debugged.
type debuggee struct {
	session *debugger.Session
	source  *source
	thread  int
	name    string
	stop    *debugger.Stopped // nil: the script is running
}

type sessionEvent struct {
	of    *debuggee
	event debugger.Event
}

// forwardEvents passes the events of the current script to the connection's goroutine.
func (x *execution) forwardEvents() {
	d := x.current
	go func() {
		for e := range d.session.Events() {
			select {
			case x.events <- sessionEvent{d, e}:
			case <-x.ctx.Done():
				return
			}
		}
	}()
}

// isStopped reports whether a script is in progress and has stopped.
func (x *execution) isStopped() bool { return x.current != nil && x.current.stop != nil }

// forget drops what belongs to the last stop when the script runs again.
func (x *execution) forget() {
	x.variables.forget()
	if x.current != nil {
		x.current.stop = nil
	}
}

// setStops passes the stops and the breakpoints of its source to the script in progress.
func (x *execution) setStops(stops debugger.Stops) {
	if x.current != nil {
		x.current.session.SetBreakpoints(x.current.source.resolved)
		x.current.session.SetStops(stops)
	}
}

// abort ends the script in progress.
func (x *execution) abort() {
	if x.current != nil {
		x.current.session.Abort()
	}
}

// close ends the debugging of the script in progress.
func (x *execution) close() {
	if x.current != nil {
		x.current.session.Close()
	}
}

// commands returns the Redis commands that scripts may call.
func (x *execution) commands() engine.Commands {
	if x.engine == nil {
		return engine.Commands{}
	}
	return x.engine.Commands()
}

// thread checks that a thread id is valid.
func (x *execution) thread(id int) error {
	if id != x.current.thread {
		return fmt.Errorf("there is no thread %d", id)
	}
	return nil
}

// move resumes the script.
func (x *execution) move(thread int, how func(*debugger.Session) error) error {
	err := x.thread(thread)
	if err == nil {
		if err = how(x.current.session); err == nil {
			x.forget()
		}
	}
	return err
}

func (x *execution) onContinue(r *dap.ContinueRequest) (dap.ResponseMessage, error) {
	response := &dap.ContinueResponse{Body: dap.ContinueResponseBody{AllThreadsContinued: true}}
	return response, x.move(r.Arguments.ThreadId, (*debugger.Session).Continue)
}

func (x *execution) onNext(r *dap.NextRequest) (dap.ResponseMessage, error) {
	return &dap.NextResponse{}, x.move(r.Arguments.ThreadId, (*debugger.Session).StepOver)
}

func (x *execution) onStepIn(r *dap.StepInRequest) (dap.ResponseMessage, error) {
	return &dap.StepInResponse{}, x.move(r.Arguments.ThreadId, (*debugger.Session).StepIn)
}

func (x *execution) onStepOut(r *dap.StepOutRequest) (dap.ResponseMessage, error) {
	return &dap.StepOutResponse{}, x.move(r.Arguments.ThreadId, (*debugger.Session).StepOut)
}

func (x *execution) onStepBack(r *dap.StepBackRequest) (dap.ResponseMessage, error) {
	return &dap.StepBackResponse{}, x.move(r.Arguments.ThreadId, (*debugger.Session).StepBack)
}

func (x *execution) onReverseContinue(r *dap.ReverseContinueRequest) (dap.ResponseMessage, error) {
	return &dap.ReverseContinueResponse{}, x.move(r.Arguments.ThreadId, (*debugger.Session).ContinueBack)
}

func (x *execution) onThreads(*dap.ThreadsRequest) (dap.ResponseMessage, error) {
	r := &dap.ThreadsResponse{}
	r.Body.Threads = []dap.Thread{}
	if x.current != nil {
		r.Body.Threads = append(r.Body.Threads, dap.Thread{Id: x.current.thread, Name: x.current.name})
	}
	return r, nil
}
