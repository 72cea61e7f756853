package debugger

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// Errors says at which errors to stop.
type Errors int

// The choices.
const (
	NoErrors       Errors = iota
	UncaughtErrors        // those that end the script
	AllErrors
)

// Stops are further reasons to stop.
type Stops struct {
	Errors   Errors
	Commands []string // names of Redis commands, before which to stop; any case. "xgroup create" is a subcommand
	Keys     []string // glob patterns of keys, after a command has changed one of which to stop
	// Values are Lua expressions: to stop at the line after the value of one has changed. Where one cannot be evaluated, as in functions that do not see
	// its variables, it counts as not changed.
	Values []string
}

// settings are the breakpoints and stops made ready. They are replaced as a whole, but for the hits.
type settings struct {
	Stops
	list     []*breakpoint // as they were given
	at       map[int][]*breakpoint
	commands map[string]bool // lower case
}

// SetBreakpoints replaces the breakpoints, stopped or running. It returns them with the lines where they are: a line without code moves to the next that has some. One that
// was there already goes on counting its hits.
func (s *Session) SetBreakpoints(list []Breakpoint) []Breakpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.settings.Load()
	set := &settings{Stops: old.Stops, commands: old.commands, at: map[int][]*breakpoint{}}
	known := slices.Clone(old.list)
	told := make([]Breakpoint, len(list))
	for i, b := range list {
		ready := newBreakpoint(b, s.lines, s.broken)
		told[i] = ready.Breakpoint
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
	return told
}

// SetStops replaces the further reasons to stop.
func (s *Session) SetStops(o Stops) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.settings.Load()
	set := &settings{list: old.list, at: old.at, commands: map[string]bool{}}
	set.Stops = Stops{o.Errors, slices.Clone(o.Commands), slices.Clone(o.Keys), slices.Clone(o.Values)}
	for _, name := range o.Commands {
		set.commands[strings.ToLower(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '|' }), " "))] = true
	}
	s.settings.Store(set)
}

// forget makes all hits none, before a run.
func (s *settings) forget() {
	for _, b := range s.list {
		*b.hits = 0
	}
}

// command reports whether to stop before a command, and its name.
func (s *settings) command(args []string) (name string, stop bool) {
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

// atLine decides whether to stop before a line.
func (r *run) atLine(st *engine.Stack, line int) (reason Reason, text string, stop bool) {
	set, called := r.s.settings.Load(), r.called
	r.called = false
	text, hit := r.breakpoints(st, set.at[line])
	if r.aim.kind == arrive {
		return Back, "", false
	}
	expression, changed := r.changed(st, set.Values)
	switch {
	case r.aim.kind == forward && r.now.lines == 1 && r.s.options.StopOnEntry:
		return Entry, "", true
	case called:
		return BreakpointCall, "", true
	case hit:
		return AtBreakpoint, text, true
	case changed:
		return ValueChange, expression, true
	case r.aim.kind == survey:
		return Back, "", false
	case r.s.asked.Load()&pauseAsked != 0:
		return PauseRequest, "", true
	}
	return Step, "", r.step.ends(st)
}

// breakpoints counts the hits of those of a line, and says their logs. text tells why a condition could not be evaluated.
func (r *run) breakpoints(st *engine.Stack, list []*breakpoint) (text string, stop bool) {
	for _, b := range list {
		if r.aim.kind == arrive && b.Hits == "" {
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
		case r.aim.kind == arrive || !b.when.holds(*b.hits):
		case b.Log != "":
			if r.aim.kind == forward {
				r.tell(Output{Kind: LogpointOutput, Line: r.line, Text: r.message(st, b.log)})
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

// message is what a logpoint says.
func (r *run) message(st *engine.Stack, pieces []logPiece) string {
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

// logLimit cuts values in logpoints, in bytes.
const logLimit = 1024

// eval runs code of the debugger's own in a frame.
func (r *run) eval(st *engine.Stack, level int, chunk, code string) ([]engine.LuaValue, error) {
	defer r.evaluating(st)()
	return st.Eval(level, chunk, code)
}

// touched reports whether the last command has changed a key at which to stop.
func (r *run) touched(set *settings) (key string, stop bool) {
	if len(set.Keys) == 0 {
		return "", false
	}
	fresh := r.on.TouchedSince(r.seen)
	r.seen += len(fresh)
	for _, k := range fresh {
		for _, pattern := range set.Keys {
			if engine.MatchGlob(pattern, k.Key) {
				return k.Key, true
			}
		}
	}
	return "", false
}
