package dap

import (
	"fmt"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/engine"
)

// onScopes returns the groups of variables that a frame sees.
func (in *inspector) onScopes(r *dap.ScopesRequest) (dap.ResponseMessage, error) {
	frame, known := in.variables.frames[r.Arguments.FrameId]
	if !known {
		return nil, fmt.Errorf("there is no frame %d at this stop", r.Arguments.FrameId)
	}
	level := frame.level
	calls, err := in.run.current.session.Calls()
	if err != nil {
		return nil, err
	}
	touched, err := in.run.current.session.Touched()
	if err != nil {
		return nil, err
	}
	response := &dap.ScopesResponse{}
	response.Body.Scopes = []dap.Scope{}
	add := func(name, hint string, expensive bool, size int, list lister) {
		response.Body.Scopes = append(response.Body.Scopes, dap.Scope{
			Name: name, PresentationHint: hint, Expensive: expensive, NamedVariables: size,
			VariablesReference: in.variables.open(container{level: frame.scope, list: list}),
		})
	}
	err = in.at(func(s *engine.Stack) error {
		frames := s.Frames()
		if level >= len(frames) {
			return fmt.Errorf("there is no frame %d any more", r.Arguments.FrameId)
		}
		f := &frames[level]
		if f.Kind == engine.FrameOfLibrary {
			return nil
		}
		add("Locals", "locals", false, len(namedLocals(f)), in.variables.listFrame(level, namedLocals))
		if n := len(f.Varargs()); n > 0 {
			add("Varargs", "arguments", false, n, in.variables.listFrame(level, (*engine.Frame).Varargs))
		}
		if n := len(f.Upvalues()); n > 0 {
			add("Upvalues", "", false, n, in.variables.listFrame(level, (*engine.Frame).Upvalues))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	add("KEYS and ARGV", "arguments", false, 2, func(s *engine.Stack) (all []entry, err error) {
		for _, name := range []string{"KEYS", "ARGV"} {
			values, err := s.Eval(-1, "@scope", name)
			if err != nil {
				return nil, err
			}
			if len(values) == 1 {
				all = append(all, func() variable {
					return variable{Variable: in.variables.describeValue(name, name, frame.scope, values[0])}
				})
			}
		}
		return all, nil
	})
	add("Globals", "", true, 0, in.variables.listGlobals(frame.scope))
	if len(calls) > 0 {
		add("Redis calls", "", false, len(calls), in.variables.listCalls(calls))
	}
	if len(touched) > 0 {
		add("Changed keys", "", false, len(touched), listTouched(touched))
	}
	return response, nil
}
