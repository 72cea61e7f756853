package dap

import (
	"fmt"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger/internal/luaname"
	"github.com/redmoon-lua/redmoon/engine"
)

// onScopes returns the groups of variables that a frame sees.
func (c *conn) onScopes(r *dap.ScopesRequest) (dap.ResponseMessage, error) {
	frame, known := c.frames[r.Arguments.FrameId]
	if !known {
		return nil, fmt.Errorf("there is no frame %d at this stop", r.Arguments.FrameId)
	}
	level := frame.level
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
	add := func(name, hint string, expensive bool, size int, list lister) {
		response.Body.Scopes = append(response.Body.Scopes, dap.Scope{
			Name: name, PresentationHint: hint, Expensive: expensive, NamedVariables: size,
			VariablesReference: c.open(container{level: frame.scope, list: list}),
		})
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
		add("Locals", "locals", false, len(f.Locals()), c.listFrame(level, (*engine.Frame).Locals))
		if n := len(f.Varargs()); n > 0 {
			add("Varargs", "arguments", false, n, c.listFrame(level, (*engine.Frame).Varargs))
		}
		if n := len(f.Upvalues()); n > 0 {
			add("Upvalues", "", false, n, c.listFrame(level, (*engine.Frame).Upvalues))
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
				all = append(all, func() variable { return variable{Variable: c.describeValue(name, name, frame.scope, values[0])} })
			}
		}
		return all, nil
	})
	add("Globals", "", true, 0, c.listGlobals(frame.scope))
	if len(calls) > 0 {
		add("Redis calls", "", false, len(calls), c.listCalls(calls))
	}
	if len(touched) > 0 {
		add("Changed keys", "", false, len(touched), listTouched(touched))
	}
	return response, nil
}

// listFrame lists variables of a frame.
func (c *conn) listFrame(level int, of func(*engine.Frame) []engine.Variable) lister {
	find := func(s *engine.Stack) []engine.Variable {
		frames := s.Frames()
		if level >= len(frames) {
			return nil
		}
		return of(&frames[level])
	}
	return func(s *engine.Stack) (all []entry, err error) {
		variables := find(s)
		last := map[string]int{}
		for i, v := range variables {
			last[v.Name] = i
		}
		for i, v := range variables {
			all = append(all, func() variable {
				described := c.local(level, v, last[v.Name] == i)
				described.set = func(s *engine.Stack, to engine.LuaValue) error {
					if now := find(s); i < len(now) && now[i].Name == v.Name {
						now[i].Set(to)
						return nil
					}
					return fmt.Errorf("there is no variable %s any more", v.Name)
				}
				return described
			})
		}
		return all, nil
	}
}

// local describes a variable of a frame. seen says that no other variable of the same name hides
// it.
func (c *conn) local(level int, v engine.Variable, seen bool) variable {
	evaluate, hint := v.Name, (*dap.VariablePresentationHint)(nil)
	switch n, isVararg := strings.CutPrefix(v.Name, "..."); {
	case isVararg:
		evaluate = "(select(" + n + ", ...))"
	case !luaname.Is(v.Name):
		evaluate, hint = "", &dap.VariablePresentationHint{Kind: "virtual", Visibility: "internal"}
	case !seen:
		evaluate = ""
	}
	described := variable{Variable: c.describeValue(v.Name, evaluate, level, v.Value)}
	described.PresentationHint = hint
	return described
}

// listGlobals lists the global variables of the script.
func (c *conn) listGlobals(level int) lister {
	return func(s *engine.Stack) (all []entry, err error) {
		globals := s.Globals()
		for _, f := range globals.Fields() {
			all = append(all, func() variable {
				v := c.field("_G", level, globals, f)
				if f.Key.Kind() == engine.LuaString && luaname.Is(f.Key.Text()) {
					v.EvaluateName = f.Key.Text()
				}
				return v
			})
		}
		return all, nil
	}
}
