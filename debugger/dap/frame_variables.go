package dap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger/internal/luaname"
	"github.com/redmoon-lua/redmoon/engine"
)

// namedLocals returns the locals that the script has named.
func namedLocals(f *engine.Frame) []engine.Variable {
	return slices.DeleteFunc(f.Locals(), func(v engine.Variable) bool { return v.Hidden() })
}

// listFrame lists variables of a frame.
func (vs *variables) listFrame(level int, of func(*engine.Frame) []engine.Variable) lister {
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
				described := vs.local(level, v, last[v.Name] == i)
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
func (vs *variables) local(level int, v engine.Variable, seen bool) variable {
	evaluate, hint := v.Name, (*dap.VariablePresentationHint)(nil)
	switch n, isVararg := strings.CutPrefix(v.Name, "..."); {
	case isVararg:
		evaluate = "(select(" + n + ", ...))"
	case !luaname.Is(v.Name):
		evaluate, hint = "", &dap.VariablePresentationHint{Kind: "virtual", Visibility: "internal"}
	case !seen:
		evaluate = ""
	}
	described := variable{Variable: vs.describeValue(v.Name, evaluate, level, v.Value)}
	described.PresentationHint = hint
	return described
}

// listGlobals lists the global variables of the script.
func (vs *variables) listGlobals(level int) lister {
	return func(s *engine.Stack) (all []entry, err error) {
		globals := s.Globals()
		for _, f := range globals.Fields() {
			all = append(all, func() variable {
				v := vs.field("_G", level, globals, f)
				if f.Key.Kind() == engine.LuaString && luaname.Is(f.Key.Text()) {
					v.EvaluateName = f.Key.Text()
				}
				return v
			})
		}
		return all, nil
	}
}
