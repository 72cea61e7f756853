package dap

import (
	"errors"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
)

// target is what the client debugs: a script that it has launched, or the scripts of other callers.
type target interface {
	// begin begins to debug. It is called once, at configurationDone.
	begin() error
	// stopsChanged is called after the client has changed breakpoints or other stops.
	stopsChanged()
	// pauseNext stops the next script at its first line. No script is in progress.
	pauseNext() error
	// scriptEnded announces the end of the script in progress.
	scriptEnded(d *debuggee, e debugger.Ended)
	// restart runs the script again.
	restart(r *dap.RestartRequest) error
	// terminate ends the script in progress and the debugging of later ones.
	terminate()
	// release ends the debugging when the client has disconnected.
	release()
}

// handleSessionEvent handles an event of the script that is debugged.
func (c *conn) handleSessionEvent(e sessionEvent) {
	if e.of != c.run.current {
		return // of a script that was ended for another one
	}
	switch event := e.event.(type) {
	case debugger.Stopped:
		c.run.forget()
		e.of.stop = &event
		c.report.stopped(e.of, event, c.breakpoints.hitIDs(e.of, event))
	case debugger.Output:
		c.report.output(e.of, event)
	case debugger.Ended:
		c.run.forget()
		c.target.scriptEnded(e.of, event)
	}
}

func (c *conn) onConfigurationDone(*dap.ConfigurationDoneRequest) (dap.ResponseMessage, error) {
	if c.phase != configuring {
		return nil, errors.New("configurationDone was already sent")
	}
	if err := c.target.begin(); err != nil {
		return nil, err
	}
	c.phase = active
	return &dap.ConfigurationDoneResponse{}, nil
}

// onPause stops the script at its next line. If no script is in progress, the next script stops at
// its first line.
func (c *conn) onPause(*dap.PauseRequest) (dap.ResponseMessage, error) {
	switch {
	case c.run.current == nil:
		return &dap.PauseResponse{}, c.target.pauseNext()
	case c.run.current.stop != nil:
		return nil, errors.New("the script is stopped already")
	}
	c.afterResponse(c.run.current.session.Pause)
	return &dap.PauseResponse{}, nil
}

// onRestart runs the script again: a launched one from its file, which may have changed, with new
// arguments if the client sends some; a caller's script from its beginning.
func (c *conn) onRestart(r *dap.RestartRequest) (dap.ResponseMessage, error) {
	return &dap.RestartResponse{}, c.target.restart(r)
}

// onTerminate ends the script. Events announce what follows.
func (c *conn) onTerminate(*dap.TerminateRequest) (dap.ResponseMessage, error) {
	c.afterResponse(c.target.terminate)
	return &dap.TerminateResponse{}, nil
}
