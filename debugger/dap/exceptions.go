package dap

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
)

func exceptionFilters() []dap.ExceptionBreakpointsFilter {
	return []dap.ExceptionBreakpointsFilter{
		{Filter: "all", Label: "All Errors", Description: "Stops where an error is raised, also one that a pcall catches"},
		{Filter: "uncaught", Label: "Uncaught Errors", Description: "Stops where an error is raised that ends the script", Default: true},
	}
}

func (bs *breakpoints) onSetExceptionBreakpoints(r *dap.SetExceptionBreakpointsRequest) (dap.ResponseMessage, error) {
	response := &dap.SetExceptionBreakpointsResponse{}
	filters := slices.Clone(r.Arguments.Filters)
	for _, o := range r.Arguments.FilterOptions {
		filters = append(filters, o.FilterId)
	}
	bs.exceptions = debugger.ErrorsNone
	for _, f := range filters {
		b := dap.Breakpoint{Id: bs.newID(), Verified: true}
		switch f {
		case "all":
			bs.exceptions = debugger.ErrorsAll
		case "uncaught":
			bs.exceptions = max(bs.exceptions, debugger.ErrorsUncaught)
		default:
			b.Verified, b.Message = false, fmt.Sprintf("the filter %q is not one of all, uncaught", f)
		}
		response.Body.Breakpoints = append(response.Body.Breakpoints, b)
	}
	bs.changed()
	return response, nil
}

// onExceptionInfo describes the error at which the script has stopped.
func (bs *breakpoints) onExceptionInfo(r *dap.ExceptionInfoRequest) (dap.ResponseMessage, error) {
	if err := bs.run.thread(r.Arguments.ThreadId); err != nil {
		return nil, err
	}
	s := bs.run.current.stop
	if s.Reason != debugger.ReasonError {
		return nil, errors.New("the script has not stopped at an error")
	}
	trace, err := bs.inspector.trace()
	if err != nil {
		return nil, err
	}
	mode := dap.ExceptionBreakMode("unhandled")
	if bs.exceptions == debugger.ErrorsAll {
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
