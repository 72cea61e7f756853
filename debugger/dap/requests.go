package dap

import (
	"errors"
	"fmt"

	"github.com/google/go-dap"
)

// need is the precondition of a request.
type need int

const (
	always      need = iota
	initialized      // after initialize
	hasTarget        // after launch or attach
	hasNoTarget      // after initialize, before launch or attach
	hasScript        // a script is in progress
	isStopped        // a script is stopped
)

// request is a row of the table of requests.
type request struct {
	needs need
	do    func(dap.RequestMessage) (dap.ResponseMessage, error)
}

// on makes a row of the table from a method for one type of request.
func on[R dap.RequestMessage](needs need, do func(R) (dap.ResponseMessage, error)) request {
	return request{needs, func(m dap.RequestMessage) (dap.ResponseMessage, error) { return do(m.(R)) }}
}

// table returns the table of all requests that a client may send.
func (c *conn) table() map[string]request {
	return map[string]request{
		"initialize":              on(always, c.onInitialize),
		"launch":                  on(hasNoTarget, c.onLaunch),
		"attach":                  on(hasNoTarget, c.onAttach),
		"configurationDone":       on(hasTarget, c.onConfigurationDone),
		"disconnect":              on(always, c.onDisconnect),
		"terminate":               on(hasTarget, c.onTerminate),
		"restart":                 on(hasTarget, c.onRestart),
		"cancel":                  on(always, c.onCancel),
		"setBreakpoints":          on(initialized, c.breakpoints.onSetBreakpoints),
		"setFunctionBreakpoints":  on(initialized, c.breakpoints.onSetFunctionBreakpoints),
		"setExceptionBreakpoints": on(initialized, c.breakpoints.onSetExceptionBreakpoints),
		"dataBreakpointInfo":      on(hasTarget, c.breakpoints.onDataBreakpointInfo),
		"setDataBreakpoints":      on(initialized, c.breakpoints.onSetDataBreakpoints),
		"breakpointLocations":     on(initialized, c.sources.onBreakpointLocations),
		"loadedSources":           on(initialized, c.sources.onLoadedSources),
		"source":                  on(initialized, c.sources.onSource),
		"threads":                 on(initialized, c.run.onThreads),
		"continue":                on(isStopped, c.run.onContinue),
		"next":                    on(isStopped, c.run.onNext),
		"stepIn":                  on(isStopped, c.run.onStepIn),
		"stepOut":                 on(isStopped, c.run.onStepOut),
		"stepBack":                on(isStopped, c.run.onStepBack),
		"reverseContinue":         on(isStopped, c.run.onReverseContinue),
		"pause":                   on(hasTarget, c.onPause),
		"stackTrace":              on(isStopped, c.inspector.onStackTrace),
		"scopes":                  on(isStopped, c.inspector.onScopes),
		"variables":               on(isStopped, c.inspector.onVariables),
		"setVariable":             on(isStopped, c.inspector.onSetVariable),
		"setExpression":           on(isStopped, c.inspector.onSetExpression),
		"evaluate":                on(isStopped, c.inspector.onEvaluate),
		"completions":             on(initialized, c.inspector.onCompletions),
		"exceptionInfo":           on(isStopped, c.breakpoints.onExceptionInfo),
	}
}

// capabilities are the optional features that the adapter supports.
func capabilities() dap.Capabilities {
	return dap.Capabilities{
		SupportsConfigurationDoneRequest:   true,
		SupportsFunctionBreakpoints:        true,
		SupportsConditionalBreakpoints:     true,
		SupportsHitConditionalBreakpoints:  true,
		SupportsLogPoints:                  true,
		SupportsDataBreakpoints:            true,
		SupportsBreakpointLocationsRequest: true,
		SupportsEvaluateForHovers:          true,
		SupportsStepBack:                   true,
		SupportsSetVariable:                true,
		SupportsSetExpression:              true,
		SupportsCompletionsRequest:         true,
		CompletionTriggerCharacters:        []string{".", ":", " "},
		SupportsRestartRequest:             true,
		SupportsTerminateRequest:           true,
		SupportTerminateDebuggee:           true,
		SupportsLoadedSourcesRequest:       true,
		SupportsExceptionInfoRequest:       true,
		SupportsCancelRequest:              true,
		SupportsClipboardContext:           true,
		SupportsDelayedStackTraceLoading:   true,
		ExceptionBreakpointFilters:         exceptionFilters(),
	}
}

// Errors of requests that are sent at the wrong time.
var (
	errFresh     = errors.New("initialize must come first")
	errNoTarget  = errors.New("nothing is debugged: launch or attach must come first")
	errTwice     = errors.New("this connection is already debugging")
	errNoScript  = errors.New("no script is in progress")
	errIsRunning = errors.New("the script is running")
	errCancelled = errors.New("cancelled")
)

// serve checks the precondition of a request and calls its method.
func (c *conn) serve(m message) (dap.ResponseMessage, error) {
	r, known := c.requests[m.Command]
	if !known {
		return nil, fmt.Errorf("request %q is not supported", m.Command)
	}
	var err error
	switch {
	case r.needs == always:
	case c.phase == fresh:
		err = errFresh
	case r.needs == initialized:
	case r.needs == hasNoTarget:
		if c.phase != idle {
			err = errTwice
		}
	case c.phase == idle:
		err = errNoTarget
	case r.needs == hasTarget:
	case c.run.current == nil:
		err = errNoScript
	case r.needs == isStopped && !c.run.isStopped():
		err = errIsRunning
	}
	if err != nil {
		return nil, err
	}
	if m.Command == "initialize" {
		c.initialize = m.raw
	}
	return r.do(m.request)
}

func (c *conn) onInitialize(r *dap.InitializeRequest) (dap.ResponseMessage, error) {
	if c.phase != fresh {
		return nil, errors.New("initialize was already sent")
	}
	switch r.Arguments.PathFormat {
	case "", "path", "uri":
	default:
		return nil, fmt.Errorf("the path format %q is not one of path, uri", r.Arguments.PathFormat)
	}
	*c.client, c.phase = clientView{r.Arguments}, idle
	return &dap.InitializeResponse{Body: capabilities()}, nil
}

// onCancel responds after the cancelled request has been answered. The reading goroutine has
// already cancelled it.
func (c *conn) onCancel(r *dap.CancelRequest) (dap.ResponseMessage, error) {
	if r.Arguments != nil {
		c.tracker.forget(r.Arguments.RequestId)
	}
	return &dap.CancelResponse{}, nil
}

// onDisconnect aborts a launched script. A caller's script goes on, unless the client asks for its
// end.
func (c *conn) onDisconnect(r *dap.DisconnectRequest) (dap.ResponseMessage, error) {
	c.disconnected = true
	if _, attached := c.target.(*attached); attached && r.Arguments != nil && r.Arguments.TerminateDebuggee {
		c.run.abort()
	}
	return &dap.DisconnectResponse{}, nil
}
