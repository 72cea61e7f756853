package dap

import (
	"errors"
	"fmt"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
)

// need is what a request can't do without.
type need int

const (
	nothing    need = iota
	greeted         // initialize came before
	aTarget         // launch or attach came before
	aRun            // a script is in progress
	aStop           // it stands still
	beforehand      // neither launch nor attach came before
)

// request is one line of the table of requests.
type request struct {
	needs need
	do    func(*conn, dap.RequestMessage) (dap.ResponseMessage, error)
}

// on makes a line of the table from a method for one type of request.
func on[R dap.RequestMessage](needs need, do func(*conn, R) (dap.ResponseMessage, error)) request {
	return request{needs, func(c *conn, m dap.RequestMessage) (dap.ResponseMessage, error) { return do(c, m.(R)) }}
}

// requests are all that a client may ask for.
func requests() map[string]request {
	return map[string]request{
		"initialize":              on(nothing, (*conn).onInitialize),
		"launch":                  on(beforehand, (*conn).onLaunch),
		"attach":                  on(beforehand, (*conn).onAttach),
		"configurationDone":       on(aTarget, (*conn).onConfigurationDone),
		"disconnect":              on(nothing, (*conn).onDisconnect),
		"terminate":               on(aTarget, (*conn).onTerminate),
		"restart":                 on(aTarget, (*conn).onRestart),
		"cancel":                  on(nothing, (*conn).onCancel),
		"setBreakpoints":          on(greeted, (*conn).onSetBreakpoints),
		"setFunctionBreakpoints":  on(greeted, (*conn).onSetFunctionBreakpoints),
		"setExceptionBreakpoints": on(greeted, (*conn).onSetExceptionBreakpoints),
		"dataBreakpointInfo":      on(aTarget, (*conn).onDataBreakpointInfo),
		"setDataBreakpoints":      on(greeted, (*conn).onSetDataBreakpoints),
		"breakpointLocations":     on(greeted, (*conn).onBreakpointLocations),
		"loadedSources":           on(greeted, (*conn).onLoadedSources),
		"source":                  on(greeted, (*conn).onSource),
		"threads":                 on(greeted, (*conn).onThreads),
		"continue":                on(aStop, (*conn).onContinue),
		"next":                    on(aStop, (*conn).onNext),
		"stepIn":                  on(aStop, (*conn).onStepIn),
		"stepOut":                 on(aStop, (*conn).onStepOut),
		"stepBack":                on(aStop, (*conn).onStepBack),
		"reverseContinue":         on(aStop, (*conn).onReverseContinue),
		"pause":                   on(aTarget, (*conn).onPause),
		"stackTrace":              on(aStop, (*conn).onStackTrace),
		"scopes":                  on(aStop, (*conn).onScopes),
		"variables":               on(aStop, (*conn).onVariables),
		"setVariable":             on(aStop, (*conn).onSetVariable),
		"setExpression":           on(aStop, (*conn).onSetExpression),
		"evaluate":                on(aStop, (*conn).onEvaluate),
		"completions":             on(greeted, (*conn).onCompletions),
		"exceptionInfo":           on(aStop, (*conn).onExceptionInfo),
	}
}

// capabilities are what the adapter can do beyond what all adapters can.
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

// Errors of requests that come at the wrong time.
var (
	errFresh     = errors.New("initialize must come first")
	errNoTarget  = errors.New("nothing is debugged: launch or attach must come first")
	errTwice     = errors.New("this connection debugs already")
	errNoScript  = errors.New("no script is in progress")
	errIsRunning = errors.New("the script is running")
	errCancelled = errors.New("cancelled")
)

// serve finds who handles a request, and whether its time has come.
func (c *conn) serve(m message) (dap.ResponseMessage, error) {
	r, known := requests()[m.Command]
	if !known {
		return nil, fmt.Errorf("request %q is not supported", m.Command)
	}
	var err error
	switch {
	case r.needs == nothing:
	case c.phase == fresh:
		err = errFresh
	case r.needs == greeted:
	case r.needs == beforehand:
		if c.phase != idle {
			err = errTwice
		}
	case c.phase == idle:
		err = errNoTarget
	case r.needs == aTarget:
	case c.run == nil:
		err = errNoScript
	case r.needs == aStop && c.run.stop == nil:
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
		return nil, errors.New("initialize came before")
	}
	switch r.Arguments.PathFormat {
	case "", "path", "uri":
	default:
		return nil, fmt.Errorf("the path format %q is none of path, uri", r.Arguments.PathFormat)
	}
	c.client, c.phase = r.Arguments, idle
	return &dap.InitializeResponse{Body: capabilities()}, nil
}

// onCancel comes when the request that it cancels has been answered: the goroutine that reads has seen to that.
func (c *conn) onCancel(r *dap.CancelRequest) (dap.ResponseMessage, error) {
	if r.Arguments != nil {
		c.mu.Lock()
		delete(c.cancelled, r.Arguments.RequestId)
		c.mu.Unlock()
	}
	return &dap.CancelResponse{}, nil
}

// onDisconnect ends a script that was launched. One that was attached to goes on, unless the client wants it to end.
func (c *conn) onDisconnect(r *dap.DisconnectRequest) (dap.ResponseMessage, error) {
	c.over = true
	if c.attached && c.run != nil && r.Arguments != nil && r.Arguments.TerminateDebuggee {
		c.abort(c.run.session)
	}
	return &dap.DisconnectResponse{}, nil
}

// abort ends a script. Its events are dropped.
func (c *conn) abort(s *debugger.Session) { s.Abort() }

// line is a line as the client counts them.
func (c *conn) line(n int) int {
	if c.client.LinesStartAt1 {
		return n
	}
	return n - 1
}

// fromLine is the line of the script, from 1, that the client means.
func (c *conn) fromLine(n int) int {
	if c.client.LinesStartAt1 {
		return n
	}
	return n + 1
}

// column is the first column as the client counts them.
func (c *conn) column() int {
	if c.client.ColumnsStartAt1 {
		return 1
	}
	return 0
}
