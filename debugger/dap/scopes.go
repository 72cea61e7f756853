package dap

import (
	"fmt"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/engine"
)

// onScopes tells what groups of variables a function sees.
func (c *conn) onScopes(r *dap.ScopesRequest) (dap.ResponseMessage, error) {
	level, known := c.frames[r.Arguments.FrameId]
	if !known {
		return nil, fmt.Errorf("there is no frame %d at this stop", r.Arguments.FrameId)
	}
	calls, err := c.run.session.Calls()
	if err != nil {
		return nil, err
	}
	touched, err := c.run.session.Touched()
	if err != nil {
		return nil, err
	}
	response := &dap.ScopesResponse{}
	response.Body.Scopes = []dap.Scope{}
	add := func(name, hint string, expensive bool, size int, list func(*conn, *engine.Stack) ([]variable, error)) {
		response.Body.Scopes = append(response.Body.Scopes, dap.Scope{Name: name, PresentationHint: hint, Expensive: expensive, NamedVariables: size,
			VariablesReference: c.open(container{level: level, list: list})})
	}
	err = c.at(func(s *engine.Stack) error {
		frames := s.Frames()
		if level >= len(frames) {
			return fmt.Errorf("there is no frame %d any more", r.Arguments.FrameId)
		}
		f := &frames[level]
		if f.Kind == engine.FrameOfLibrary {
			return nil
		}
		add("Locals", "locals", false, len(f.Locals()), inFrame(level, (*engine.Frame).Locals))
		if n := len(f.Varargs()); n > 0 {
			add("Varargs", "arguments", false, n, inFrame(level, (*engine.Frame).Varargs))
		}
		if n := len(f.Upvalues()); n > 0 {
			add("Upvalues", "", false, n, inFrame(level, (*engine.Frame).Upvalues))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	add("KEYS and ARGV", "arguments", false, 2, func(c *conn, s *engine.Stack) (all []variable, err error) {
		for _, name := range []string{"KEYS", "ARGV"} {
			values, err := s.Eval(-1, "@scope", name)
			if err != nil {
				return nil, err
			}
			if len(values) == 1 {
				all = append(all, variable{Variable: c.describeValue(name, name, level, values[0])})
			}
		}
		return all, nil
	})
	add("Globals", "", true, 0, listGlobals(level))
	if len(calls) > 0 {
		add("Redis calls", "", false, len(calls), c.listCalls(calls))
	}
	if len(touched) > 0 {
		add("Changed keys", "", false, len(touched), listTouched(touched))
	}
	return response, nil
}

// inFrame lists variables of a frame.
func inFrame(level int, of func(*engine.Frame) []engine.Variable) func(*conn, *engine.Stack) ([]variable, error) {
	find := func(s *engine.Stack) []engine.Variable {
		frames := s.Frames()
		if level >= len(frames) {
			return nil
		}
		return of(&frames[level])
	}
	return func(c *conn, s *engine.Stack) (all []variable, err error) {
		variables := find(s)
		last := map[string]int{}
		for i, v := range variables {
			last[v.Name] = i
		}
		for i, v := range variables {
			evaluate := v.Name
			switch n, isVararg := strings.CutPrefix(v.Name, "..."); {
			case isVararg:
				evaluate = "(select(" + n + ", ...))"
			case !isName(v.Name) || last[v.Name] != i:
				evaluate = ""
			}
			all = append(all, variable{Variable: c.describeValue(v.Name, evaluate, level, v.Value), set: func(s *engine.Stack, to engine.LuaValue) error {
				if now := find(s); i < len(now) && now[i].Name == v.Name {
					now[i].Set(to)
					return nil
				}
				return fmt.Errorf("there is no variable %s any more", v.Name)
			}})
		}
		return all, nil
	}
}

// listGlobals lists the globals of the script.
func listGlobals(level int) func(*conn, *engine.Stack) ([]variable, error) {
	return func(c *conn, s *engine.Stack) (all []variable, err error) {
		globals := s.Globals()
		for _, f := range globals.Fields() {
			v := c.field("_G", level, globals, f, false)
			if f.Key.Kind() == engine.LuaString && isName(f.Key.Text()) {
				v.EvaluateName = f.Key.Text()
			}
			all = append(all, v)
		}
		return all, nil
	}
}
