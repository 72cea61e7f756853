package studio

import (
	"strings"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/excerpt"
)

// State is where a script is.
type State struct {
	State   string   `json:"state"`            // stopped or ended
	Reason  string   `json:"reason,omitempty"` // of a stop
	Line    int      `json:"line,omitempty"`   // of a stop, from 1
	Index   int      `json:"index,omitempty"`  // of a stop, from 1
	Reply   string   `json:"reply,omitempty"`  // as redis-cli prints it
	Error   *Failure `json:"failure,omitempty"`
	Aborted bool     `json:"aborted,omitempty"`
	Frames  []Frame  `json:"frames,omitempty"` // the innermost first
	Calls   []Call   `json:"calls"`
	Hidden  int      `json:"hidden,omitempty"` // number of calls before the first of Calls
	Output  []output `json:"output"`
	Changes []Change `json:"changes"`
	// Partial is set if too many keys have changed to show them at a stop.
	Partial bool  `json:"partial,omitempty"`
	Keys    []Key `json:"keys,omitempty"` // after the end
	More    int   `json:"more,omitempty"` // number of further keys
	// Diverged says how a run after a step back differed from the one before.
	Diverged string `json:"diverged,omitempty"`
}

// Failure is an error of the script.
type Failure struct {
	Text   string   `json:"text"`
	Line   int      `json:"line,omitempty"`   // from 1; 0: unknown
	Writes []string `json:"writes,omitempty"` // what the script has written before and left behind
}

// Frame is a function in progress.
type Frame struct {
	Name   string     `json:"name"`
	Line   int        `json:"line"`
	Level  int        `json:"level"` // for eval
	Locals []Variable `json:"locals"`
}

// Variable is a local, an upvalue or a vararg.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Kind  string `json:"kind"` // local, upvalue or vararg
}

// Call is a call of redis.call or redis.pcall.
type Call struct {
	Line    int      `json:"line"`
	Args    []string `json:"args"`
	Reply   string   `json:"reply"`
	Done    bool     `json:"done"`
	IsError bool     `json:"isError,omitempty"`
}

// output is a line that the script has written.
type output struct {
	Kind string `json:"kind"` // debug, verbose, notice, warning, print or logpoint
	Line int    `json:"line"`
	Text string `json:"text"`

	stop int // number of the stop before it
}

// Change is a key that differs from before the script.
type Change struct {
	DB     int    `json:"db,omitempty"`
	Key    string `json:"key"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Key is a key of the keyspace.
type Key struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Len    int    `json:"len"`
	TTL    int64  `json:"ttl"` // in ms; -1: none
	Value  string `json:"value"`
	Latest bool   `json:"changed,omitempty"`
}

// cut returns a text of bounded size that is valid UTF-8.
func cut(text string) string {
	if len(text) > maxText {
		text = text[:maxText] + "…"
	}
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// stoppedState describes a stop.
func (s *Session) stoppedState(at debugger.Stopped) (*State, error) {
	d := s.run.d
	st := &State{State: "stopped", Reason: at.Reason.String(), Line: at.Line, Index: at.Index, Output: s.run.lines()}
	if at.Reason == debugger.ReasonError {
		st.Error = failure(at.Text)
		st.Error.Line = at.Line
	}
	if err := d.Diverged(); err != nil {
		st.Diverged = err.Error()
	}
	err := d.At(func(stack *engine.Stack) {
		for level, f := range stack.Frames() {
			if f.Line > 0 && len(st.Frames) < maxElements {
				st.Frames = append(st.Frames, frame(level, &f))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	changes, whole, err := s.run.shadow.changes(d)
	if err != nil {
		return nil, err
	}
	st.Changes, st.Partial = describe(changes), !whole
	return st, s.addCalls(st)
}

func frame(level int, f *engine.Frame) Frame {
	out := Frame{Name: f.Name, Line: f.Line, Level: level, Locals: []Variable{}}
	if out.Name == "" {
		out.Name = "function"
	}
	add := func(kind string, v *engine.Variable) {
		if !strings.HasPrefix(v.Name, "(") && len(out.Locals) < maxElements {
			out.Locals = append(out.Locals, Variable{v.Name, cut(debugger.Format(v.Value, 1000)), kind})
		}
	}
	for _, v := range f.Locals() {
		if v.Hidden() {
			continue
		}
		add("local", &v)
	}
	for _, v := range f.Upvalues() {
		add("upvalue", &v)
	}
	for _, v := range f.Varargs() {
		add("vararg", &v)
	}
	return out
}

// addCalls adds the calls so far, without the first ones if there are many.
func (s *Session) addCalls(st *State) error {
	calls, err := s.run.d.Calls()
	if err != nil {
		return err
	}
	st.Hidden = max(0, len(calls)-maxCalls)
	st.Calls = []Call{}
	for _, c := range calls[st.Hidden:] {
		call := Call{Line: c.Line, Args: []string{}, Done: c.Done}
		for i, a := range c.Args {
			if i == 50 {
				call.Args = append(call.Args, "…")
				break
			}
			call.Args = append(call.Args, cut(a))
		}
		if c.Done {
			call.Reply, call.IsError = text(c.Reply), c.Reply.IsError()
		}
		st.Calls = append(st.Calls, call)
	}
	return nil
}

// endedState describes the end.
func (s *Session) endedState(end debugger.Ended) (*State, error) {
	st := &State{State: "ended", Aborted: end.Aborted, Output: s.run.lines(), Changes: []Change{}}
	switch {
	case end.Err != nil:
		st.Error = failure(end.Err.Error())
	case end.Reply.IsError():
		st.Error = failure(end.Reply.Text())
		if end.Left != nil {
			st.Error.Writes = writes(end.Left)
		}
	default:
		st.Reply = text(end.Reply)
	}
	if err := s.addCalls(st); err != nil {
		return nil, err
	}
	changes, err := s.e.Changes(s.run.before)
	if err != nil {
		return nil, err
	}
	st.Changes = describe(changes)
	return st, s.addKeys(st)
}

func failure(text string) *Failure {
	f := &Failure{Text: cut(text)}
	f.Line, _ = excerpt.Line(text)
	return f
}

func writes(e *engine.ScriptError) (list []string) {
	for _, w := range e.Writes {
		list = append(list, cut(strings.Join(w.Args, " ")))
	}
	return list
}

func describe(changes []engine.KeyChange) []Change {
	list := []Change{}
	for _, c := range changes[:min(len(changes), maxElements)] {
		list = append(list, Change{c.DB, cut(c.Key), cut(c.Before), cut(c.After)})
	}
	return list
}

// lines returns the output so far.
func (r *run) lines() []output { return append([]output{}, r.output...) }
