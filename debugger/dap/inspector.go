package dap

import (
	"context"
	"fmt"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// inspector answers the requests that look into a stopped script: its stack, its variables, and
// expressions.
type inspector struct {
	ctx       context.Context // ends when the client disconnects
	client    *clientView
	run       *execution
	sources   *sources
	variables *variables
	tracker   *requestTracker
	format    func(engine.Value) string // Options.Format
}

// at calls f with the stopped script's stack and waits for it. If the client disconnects or cancels
// the request meanwhile, code that f evaluates ends with an error.
func (in *inspector) at(f func(*engine.Stack) error) error {
	return in.within(in.run.current.session, in.run.current.session.At, f)
}

// change is like at, for an f that changes the script: a replay calls f again.
func (in *inspector) change(f func(*engine.Stack) error) error {
	return in.within(in.run.current.session, in.run.current.session.Change, f)
}

// within calls f by do, which is a method of the session.
func (in *inspector) within(
	session *debugger.Session, do func(func(*engine.Stack)) error, f func(*engine.Stack) error,
) (err error) {
	seq := in.tracker.setInspected(session)
	defer in.tracker.setInspected(nil)
	defer context.AfterFunc(in.ctx, session.Interrupt)()
	stopped := do(func(s *engine.Stack) {
		if err = errCancelled; !in.tracker.wasCancelled(seq) && in.ctx.Err() == nil {
			err = f(s)
		}
	})
	if stopped != nil {
		return stopped
	}
	return err
}

// onVariables returns the variables of a container, or some of them.
func (in *inspector) onVariables(r *dap.VariablesRequest) (dap.ResponseMessage, error) {
	k, known := in.variables.refs[r.Arguments.VariablesReference]
	if !known {
		return nil, fmt.Errorf("there are no variables %d at this stop", r.Arguments.VariablesReference)
	}
	response := &dap.VariablesResponse{}
	response.Body.Variables = []dap.Variable{}
	err := in.at(func(s *engine.Stack) error {
		all, err := k.list(s)
		if err != nil {
			return err
		}
		switch r.Arguments.Filter {
		case "indexed":
			all = all[:min(k.indexed, len(all))]
		case "named":
			all = all[min(k.indexed, len(all)):]
		}
		first := min(max(r.Arguments.Start, 0), len(all))
		all = all[first:]
		if r.Arguments.Count > 0 {
			all = all[:min(r.Arguments.Count, len(all))]
		}
		for _, v := range all {
			response.Body.Variables = append(response.Body.Variables, v().Variable)
		}
		return nil
	})
	return response, err
}

// findVariable returns the variable of a container with a name. If there are several, the last one
// hides the others.
func (in *inspector) findVariable(ref int, name string) (v variable, err error) {
	k, known := in.variables.refs[ref]
	if !known {
		return v, fmt.Errorf("there are no variables %d at this stop", ref)
	}
	err = in.at(func(s *engine.Stack) error {
		all, err := k.list(s)
		if err != nil {
			return err
		}
		found := false
		for _, each := range all {
			if described := each(); described.Name == name {
				v, found = described, true // the last one hides those before it
			}
		}
		if !found {
			return fmt.Errorf("there is no variable %s", name)
		}
		return nil
	})
	return v, err
}

// onSetVariable assigns the value of an expression to a variable.
func (in *inspector) onSetVariable(r *dap.SetVariableRequest) (dap.ResponseMessage, error) {
	v, err := in.findVariable(r.Arguments.VariablesReference, r.Arguments.Name)
	if err != nil {
		return nil, err
	}
	if v.set == nil {
		return nil, fmt.Errorf("%s cannot be set", r.Arguments.Name)
	}
	level := max(in.variables.refs[r.Arguments.VariablesReference].level, 0)
	var value engine.LuaValue
	err = in.change(func(s *engine.Stack) error {
		values, err := s.Eval(level, "@value", r.Arguments.Value)
		if err != nil {
			return err
		}
		if len(values) != 1 {
			return fmt.Errorf("%q are %d values", r.Arguments.Value, len(values))
		}
		value = values[0]
		return v.set(s, value)
	})
	if err != nil {
		return nil, err
	}
	response := &dap.SetVariableResponse{}
	err = in.at(func(*engine.Stack) error {
		described := in.variables.describeValue("", v.EvaluateName, level, value)
		response.Body = dap.SetVariableResponseBody{
			Value: described.Value, Type: described.Type, VariablesReference: described.VariablesReference,
			NamedVariables: described.NamedVariables, IndexedVariables: described.IndexedVariables,
		}
		return nil
	})
	return response, err
}
