package debugger

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// ErrorFilter says at which errors a script stops.
type ErrorFilter int

// The error filters.
const (
	ErrorsNone     ErrorFilter = iota // never
	ErrorsUncaught                    // at errors that end the script
	ErrorsAll                         // at all errors, also those that a pcall catches
)

// Stops are reasons to stop other than breakpoints. The zero value is none.
type Stops struct {
	// Errors says at which errors the script stops. Default: [ErrorsNone].
	Errors ErrorFilter
	// Commands are names of Redis commands: the script stops before it calls one of them. The case
	// of letters is ignored. A subcommand is "xgroup create" or "xgroup|create".
	Commands []string
	// Keys are glob patterns, as in KEYS: the script stops after a command has changed a matching
	// key.
	Keys []string
	// Values are Lua expressions: the script stops at the first line after the value of one of them
	// has changed. Where an expression cannot be evaluated, for example in a function that does not
	// see its variables, it counts as unchanged.
	Values []string
}

// settings are the breakpoints and stops of a session, compiled. They are immutable, except for the
// hit counts of the breakpoints.
type settings struct {
	Stops
	list     []*breakpoint         // in the order of SetBreakpoints
	at       map[int][]*breakpoint // by line
	commands map[string]bool       // by name in lower case
}

// SetBreakpoints replaces all breakpoints, whether the script is stopped or running. It returns
// them with their actual lines: a breakpoint on a line without code moves to the next line that has
// code. A breakpoint that stays the same keeps its hit count.
func (s *Session) SetBreakpoints(list []Breakpoint) []Breakpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.settings.Load()
	set := &settings{Stops: old.Stops, commands: old.commands, at: map[int][]*breakpoint{}}
	known := slices.Clone(old.list)
	resolved := make([]Breakpoint, len(list))
	for i, b := range list {
		ready := newBreakpoint(b, s.lines, s.broken)
		resolved[i] = ready.Breakpoint
		for j, k := range known {
			if k.Breakpoint == ready.Breakpoint {
				ready.hits = k.hits
				known = slices.Delete(known, j, j+1)
				break
			}
		}
		set.list = append(set.list, ready)
		if ready.Problem == "" {
			set.at[ready.Line] = append(set.at[ready.Line], ready)
		}
	}
	s.settings.Store(set)
	return resolved
}

// SetStops replaces the other reasons to stop, whether the script is stopped or running.
func (s *Session) SetStops(o Stops) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.settings.Load()
	set := &settings{list: old.list, at: old.at, commands: map[string]bool{}}
	set.Stops = Stops{o.Errors, slices.Clone(o.Commands), slices.Clone(o.Keys), slices.Clone(o.Values)}
	for _, name := range o.Commands {
		words := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '|' })
		set.commands[strings.ToLower(strings.Join(words, " "))] = true
	}
	s.settings.Store(set)
}

// resetHits sets all hit counts to 0. It is called before each run.
func (s *settings) resetHits() {
	for _, b := range s.list {
		*b.hits = 0
	}
}

// matchCommand reports whether to stop before a command, and returns the name by which it matched.
func (s *settings) matchCommand(args []string) (name string, stop bool) {
	if len(s.commands) == 0 || len(args) == 0 {
		return "", false
	}
	name = strings.ToLower(args[0])
	if s.commands[name] {
		return name, true
	}
	if len(args) > 1 {
		name += " " + strings.ToLower(args[1])
	}
	return name, s.commands[name]
}

// decideAtLine decides whether to stop before a line.
func (r *run) decideAtLine(st *engine.Stack, line int) (reason Reason, text string, stop bool) {
	entry := r.enters()
	set, called := r.s.settings.Load(), r.breakpointCalled
	r.breakpointCalled = false
	text, hit := r.hitBreakpoints(st, set.at[line])
	if r.replay.kind == replayToTarget {
		return ReasonBack, "", false
	}
	expression, changed := r.changedValue(st, set.Values)
	switch {
	case r.replay.kind == live && entry && r.s.options.StopOnEntry:
		return ReasonEntry, "", true
	case called:
		return ReasonBreakpointCall, "", true
	case hit:
		return ReasonBreakpoint, text, true
	case changed:
		return ReasonValueChange, expression, true
	case r.replay.kind == replayToFindStop:
		return ReasonBack, "", false
	case r.s.requests.Load()&pauseRequested != 0:
		return ReasonPause, "", true
	}
	return ReasonStep, "", r.step.ends(st)
}

// enters reports whether the line that has been reached is the first one, of a function its own and
// not that of its library. A step to a frame of the library's text, which has ended, ends there.
func (r *run) enters() bool {
	if r.entry != (position{}) || r.s.loads && r.engineRun.Loading() {
		return false
	}
	r.entry = r.now
	if r.now.lines > 1 && r.step.kind == stepToFrame {
		r.step.kind = stepIn
	}
	return true
}

// hitBreakpoints counts a hit of each breakpoint in list, sends the messages of logpoints, and
// reports whether to stop. text is the error if a condition cannot be evaluated.
func (r *run) hitBreakpoints(st *engine.Stack, list []*breakpoint) (text string, stop bool) {
	for _, b := range list {
		if r.replay.kind == replayToTarget && b.Hits == "" {
			continue
		}
		if b.Condition != "" {
			holds, err := r.condition(st, b.Condition)
			if err != nil {
				text, stop = err.Error(), true
				continue
			}
			if !holds {
				continue
			}
		}
		*b.hits++
		switch {
		case r.replay.kind == replayToTarget || !b.when.matches(*b.hits):
		case b.Log != "":
			if r.replay.kind == live {
				r.emit(Output{Kind: OutputLogpoint, Line: r.line, Text: r.logMessage(st, b.log)})
			}
		default:
			stop = true
		}
	}
	return text, stop
}

func (r *run) condition(st *engine.Stack, code string) (bool, error) {
	values, err := r.eval(st, 0, "@condition", code)
	if err != nil || len(values) == 0 {
		return false, err
	}
	v := values[0]
	return v.Kind() != engine.LuaNil && (v.Kind() != engine.LuaBoolean || v.Bool()), nil
}

// logMessage returns the message of a logpoint.
func (r *run) logMessage(st *engine.Stack, pieces []logPiece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
		if p.code == "" {
			continue
		}
		values, err := r.eval(st, 0, "@logpoint", p.code)
		if err != nil {
			b.WriteString("<" + err.Error() + ">")
		}
		for i, v := range values {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(plain(v, logLimit))
		}
	}
	return b.String()
}

// logLimit is the maximum length of a value in a logpoint's message, in bytes.
const logLimit = 1024

// eval evaluates code for the debugger in a frame.
func (r *run) eval(st *engine.Stack, level int, chunk, code string) ([]engine.LuaValue, error) {
	defer r.beginEvaluation(st)()
	return st.Eval(level, chunk, code)
}

// touchedKey reports whether the last command has changed a key that matches Stops.Keys.
func (r *run) touchedKey(set *settings) (key string, stop bool) {
	if len(set.Keys) == 0 {
		return "", false
	}
	fresh := r.engineRun.TouchedSince(r.keysSeen)
	r.keysSeen += len(fresh)
	for _, k := range fresh {
		for _, pattern := range set.Keys {
			if engine.MatchGlob(pattern, k.Key) {
				return k.Key, true
			}
		}
	}
	return "", false
}
