package dap

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// stopPoint is a breakpoint on a command, a key or a value.
type stopPoint struct {
	id   int
	name string // the command, the glob pattern of keys, or the expression
	key  bool   // name is a pattern of keys
}

// breakpoints are the breakpoints and other stops that the client has set. Breakpoints on lines are
// kept by their sources.
type breakpoints struct {
	client    *clientView
	run       *execution
	sources   *sources
	inspector *inspector
	changed   func() // called after the stops have changed

	ids        int // last id of a breakpoint
	functions  []stopPoint
	data       []stopPoint
	exceptions debugger.ErrorFilter
}

// onSetBreakpoints replaces the breakpoints of a file.
func (bs *breakpoints) onSetBreakpoints(r *dap.SetBreakpointsRequest) (dap.ResponseMessage, error) {
	set := r.Arguments.Breakpoints
	if set == nil {
		for _, line := range r.Arguments.Lines {
			set = append(set, dap.SourceBreakpoint{Line: line})
		}
	}
	response := &dap.SetBreakpointsResponse{}
	response.Body.Breakpoints = make([]dap.Breakpoint, len(set))
	s, file := bs.sources.find(r.Arguments.Source)
	if s == nil {
		for i, b := range set {
			response.Body.Breakpoints[i] = dap.Breakpoint{Id: bs.newID(), Line: b.Line, Message: "this is not the script that is debugged"}
		}
		return response, nil
	}
	kept := 0 // in other files
	for i, b := range s.set {
		if b.file != file {
			s.set[kept], s.ids[kept] = b, s.ids[i]
			kept++
		}
	}
	s.set, s.ids = s.set[:kept:kept], s.ids[:kept:kept]
	for _, b := range set {
		s.set, s.ids = append(s.set, sourceBreakpoint{b, file}), append(s.ids, bs.newID())
	}
	for i, b := range bs.resolve(s)[kept:] {
		b.Id = s.ids[kept+i]
		response.Body.Breakpoints[i] = b
	}
	bs.changed()
	return response, nil
}

func (bs *breakpoints) newID() int {
	bs.ids++
	return bs.ids
}

// resolve finds the lines of a source's breakpoints, and describes each of them without
// its id.
func (bs *breakpoints) resolve(s *source) []dap.Breakpoint {
	described := make([]dap.Breakpoint, len(s.set))
	wanted := make([]debugger.Breakpoint, len(s.set))
	for i, b := range s.set {
		described[i] = dap.Breakpoint{Line: b.Line, Source: bs.sources.describe(s, b.file)}
		line := s.line(b.file, bs.client.fromLine(b.Line))
		wanted[i] = debugger.Breakpoint{Line: line, Condition: b.Condition, Hits: b.HitCondition, Log: b.LogMessage}
	}
	if s.text == "" {
		s.resolved = wanted
		for i := range described {
			described[i].Message = "the script's text is not known before it has been run"
		}
		return described
	}
	s.resolved = debugger.ResolveBreakpoints(s.text, wanted)
	for i, b := range s.resolved {
		if described[i].Message = b.Problem; b.Problem == "" {
			described[i].Verified = true
			described[i].Source, described[i].Line = bs.sources.place(s, b.Line)
		}
	}
	return described
}

// checkSyntax returns what is wrong with the syntax of an expression, or nil.
func checkSyntax(expression string) error {
	if _, err := engine.ScriptLines("return " + expression + "\n"); err != nil {
		_, text, _ := strings.Cut(err.Error(), "user_script:")
		if _, after, found := strings.Cut(text, ": "); found {
			text = after
		}
		return fmt.Errorf("%s", text)
	}
	return nil
}

// stops returns the reasons to stop that the client has set, other than breakpoints on lines.
func (bs *breakpoints) stops() debugger.Stops {
	s := debugger.Stops{Errors: bs.exceptions}
	for _, f := range bs.functions {
		s.Commands = append(s.Commands, f.name)
	}
	for _, d := range bs.data {
		if d.key {
			s.Keys = append(s.Keys, d.name)
		} else {
			s.Values = append(s.Values, d.name)
		}
	}
	return s
}

// onSetFunctionBreakpoints sets breakpoints on Redis commands.
func (bs *breakpoints) onSetFunctionBreakpoints(r *dap.SetFunctionBreakpointsRequest) (dap.ResponseMessage, error) {
	response := &dap.SetFunctionBreakpointsResponse{}
	response.Body.Breakpoints = []dap.Breakpoint{}
	bs.functions = nil
	for _, f := range r.Arguments.Breakpoints {
		b := dap.Breakpoint{Id: bs.newID(), Verified: true}
		words := strings.FieldsFunc(strings.ToLower(f.Name), func(r rune) bool { return r == ' ' || r == '|' })
		name := strings.Join(words, " ")
		switch doc, known := bs.run.commands().Describe(words...); {
		case !known || !strings.EqualFold(doc.Name, name):
			b.Verified, b.Message = false, fmt.Sprintf("%q is not a Redis command; scripts stop before commands by name", f.Name)
		case f.Condition != "" || f.HitCondition != "":
			b.Verified, b.Message = false, "breakpoints on commands have no conditions"
		default:
			bs.functions = append(bs.functions, stopPoint{id: b.Id, name: name})
		}
		response.Body.Breakpoints = append(response.Body.Breakpoints, b)
	}
	bs.changed()
	return response, nil
}

// dataID identifies the target of a data breakpoint. The client stores it as JSON.
type dataID struct {
	Key   string `json:"key,omitempty"`   // pattern of keys
	Value string `json:"value,omitempty"` // expression
}

// onDataBreakpointInfo describes the data breakpoint that a variable, expression or pattern of keys
// would get. For an element of KEYS it is the key. For any other variable or expression it is the
// value. Text that begins with "key:" is a pattern of keys.
func (bs *breakpoints) onDataBreakpointInfo(r *dap.DataBreakpointInfoRequest) (dap.ResponseMessage, error) {
	response := &dap.DataBreakpointInfoResponse{}
	id, what, err := bs.dataFor(r.Arguments)
	if err != nil {
		response.Body.Description = err.Error()
		return response, nil
	}
	text, err := json.Marshal(id)
	if err != nil {
		return nil, err
	}
	response.Body.DataId, response.Body.Description = string(text), what
	response.Body.AccessTypes, response.Body.CanPersist = []dap.DataBreakpointAccessType{"write"}, id.Key != ""
	return response, nil
}

func (bs *breakpoints) dataFor(a dap.DataBreakpointInfoArguments) (id dataID, what string, err error) {
	if pattern, ok := strings.CutPrefix(a.Name, "key:"); ok && a.VariablesReference == 0 {
		pattern = strings.TrimSpace(pattern)
		if pattern == "" {
			return id, "", fmt.Errorf("no pattern of keys is given")
		}
		return dataID{Key: pattern}, "writes to keys like " + pattern, nil
	}
	expression := a.Name
	if a.VariablesReference != 0 {
		if !bs.run.isStopped() {
			return id, "", errIsRunning
		}
		v, err := bs.inspector.findVariable(a.VariablesReference, a.Name)
		if err != nil {
			return id, "", err
		}
		if v.key != "" {
			return dataID{Key: globLiteral(v.key)}, "writes to the key " + v.key, nil
		}
		if expression = v.EvaluateName; expression == "" {
			return id, "", fmt.Errorf("%s cannot be named in an expression", a.Name)
		}
	}
	if err := checkSyntax(expression); err != nil {
		return id, "", err
	}
	return dataID{Value: expression}, "changes of " + expression, nil
}

// globLiteral returns the glob pattern that matches only one key.
func globLiteral(key string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`).Replace(key)
}

func (bs *breakpoints) onSetDataBreakpoints(r *dap.SetDataBreakpointsRequest) (dap.ResponseMessage, error) {
	response := &dap.SetDataBreakpointsResponse{}
	response.Body.Breakpoints = []dap.Breakpoint{}
	bs.data = nil
	for _, d := range r.Arguments.Breakpoints {
		b := dap.Breakpoint{Id: bs.newID()}
		var id dataID
		err := json.Unmarshal([]byte(d.DataId), &id)
		switch {
		case err != nil || (id.Key == "") == (id.Value == ""):
			b.Message = "dataBreakpointInfo has not returned this data id"
		case d.AccessType != "" && d.AccessType != "write":
			b.Message = "only writes can stop a script"
		case d.Condition != "" || d.HitCondition != "":
			b.Message = "breakpoints on data have no conditions"
		case id.Value != "" && checkSyntax(id.Value) != nil:
			b.Message = checkSyntax(id.Value).Error()
		default:
			b.Verified = true
			bs.data = append(bs.data, stopPoint{id: b.Id, name: id.Key + id.Value, key: id.Key != ""})
		}
		response.Body.Breakpoints = append(response.Body.Breakpoints, b)
	}
	bs.changed()
	return response, nil
}

// hitIDs returns the ids of the breakpoints at which a script has stopped.
func (bs *breakpoints) hitIDs(d *debuggee, s debugger.Stopped) (ids []int) {
	switch s.Reason {
	case debugger.ReasonBreakpoint:
		for i, b := range d.source.resolved {
			if b.Line == s.Line && b.Problem == "" && b.Log == "" {
				ids = append(ids, d.source.ids[i])
			}
		}
	case debugger.ReasonCommand:
		for _, f := range bs.functions {
			if f.name == s.Text {
				ids = append(ids, f.id)
			}
		}
	case debugger.ReasonKeyWrite, debugger.ReasonValueChange:
		for _, n := range bs.data {
			if n.key == (s.Reason == debugger.ReasonKeyWrite) && (n.name == s.Text || n.key && engine.MatchGlob(n.name, s.Text)) {
				ids = append(ids, n.id)
			}
		}
	}
	return ids
}
