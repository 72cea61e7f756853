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
	do    func(*conn, dap.RequestMessage) (dap.ResponseMessage, error)
}

// on makes a row of the table from a method for one type of request.
func on[R dap.RequestMessage](needs need, do func(*conn, R) (dap.ResponseMessage, error)) request {
	return request{needs, func(c *conn, m dap.RequestMessage) (dap.ResponseMessage, error) { return do(c, m.(R)) }}
}

// requests returns the table of all requests that a client may send.
func requests() map[string]request {
	return map[string]request{
		"initialize":              on(always, (*conn).onInitialize),
		"launch":                  on(hasNoTarget, (*conn).onLaunch),
		"attach":                  on(hasNoTarget, (*conn).onAttach),
		"configurationDone":       on(hasTarget, (*conn).onConfigurationDone),
		"disconnect":              on(always, (*conn).onDisconnect),
		"terminate":               on(hasTarget, (*conn).onTerminate),
		"restart":                 on(hasTarget, (*conn).onRestart),
		"cancel":                  on(always, (*conn).onCancel),
		"setBreakpoints":          on(initialized, (*conn).onSetBreakpoints),
		"setFunctionBreakpoints":  on(initialized, (*conn).onSetFunctionBreakpoints),
		"setExceptionBreakpoints": on(initialized, (*conn).onSetExceptionBreakpoints),
		"dataBreakpointInfo":      on(hasTarget, (*conn).onDataBreakpointInfo),
		"setDataBreakpoints":      on(initialized, (*conn).onSetDataBreakpoints),
		"breakpointLocations":     on(initialized, (*conn).onBreakpointLocations),
		"loadedSources":           on(initialized, (*conn).onLoadedSources),
		"source":                  on(initialized, (*conn).onSource),
		"threads":                 on(initialized, (*conn).onThreads),
		"continue":                on(isStopped, (*conn).onContinue),
		"next":                    on(isStopped, (*conn).onNext),
		"stepIn":                  on(isStopped, (*conn).onStepIn),
		"stepOut":                 on(isStopped, (*conn).onStepOut),
		"stepBack":                on(isStopped, (*conn).onStepBack),
		"reverseContinue":         on(isStopped, (*conn).onReverseContinue),
		"pause":                   on(hasTarget, (*conn).onPause),
		"stackTrace":              on(isStopped, (*conn).onStackTrace),
		"scopes":                  on(isStopped, (*conn).onScopes),
		"variables":               on(isStopped, (*conn).onVariables),
		"setVariable":             on(isStopped, (*conn).onSetVariable),
		"setExpression":           on(isStopped, (*conn).onSetExpression),
		"evaluate":                on(isStopped, (*conn).onEvaluate),
		"completions":             on(initialized, (*conn).onCompletions),
		"exceptionInfo":           on(isStopped, (*conn).onExceptionInfo),
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
	r, known := requests()[m.Command]
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
	case c.run == nil:
		err = errNoScript
	case r.needs == isStopped && c.run.stop == nil:
		err = errIsRunning
	}
	if err != nil {
		return nil, err
	}
	if m.Command == "initialize" {
		c.initialize = m.raw
	}
	return r.do(c, m.request)
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
	c.client, c.phase = clientView{r.Arguments}, idle
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
	if c.attached && c.run != nil && r.Arguments != nil && r.Arguments.TerminateDebuggee {
		c.run.session.Abort()
	}
	return &dap.DisconnectResponse{}, nil
}
