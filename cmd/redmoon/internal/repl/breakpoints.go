package repl

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

func breakCommands() []command {
	return []command{
		{
			name: "break", aliases: []string{"breakpoint"}, letter: "b", group: groupStops, args: "[LINE [if " +
				"CONDITION] [hits N] [log TEXT]]",
			help: "stop before a line, or list the breakpoints",
			more: []string{"CONDITION is a Lua expression that may use local variables. N is the number of times that the line is " +
				"reached with a true CONDITION: `hits 5` is the fifth time; also `>5`, `>=5`, `<5`, `<=5`, and `%5` for each fifth time. " +
				"With TEXT the script does not stop but prints the text, in which `{n}` is the value of n. A breakpoint on a line " +
				"without code moves to the next line that has code. " +
				"A script that includes files also takes FILE:LINE."},
			run: func(d *dialogue, rest string) error { return d.breakpoints.breakAt(rest) },
		},
		{
			name: "delete", group: groupStops, args: "LINE|all", help: "remove the breakpoint on a line, or all breakpoints",
			run: func(d *dialogue, rest string) error { return d.breakpoints.deleteLine(rest) },
		},
		{
			name: "stop", group: groupStops, where: local,
			args: "[on error|on uncaught|on command NAME|on key PATTERN|on change EXPRESSION|off]",
			help: "stop at errors, before a Redis command, after a change of a key or of a value; or list these stops",
			more: []string{"`on error` stops at each error, `on uncaught` at errors that end the script. PATTERN " +
				"is a glob pattern, as for KEYS. " +
				"A script of `:debug` stops at errors that end it, unless you choose something else. " +
				"EXPRESSION is Lua and is evaluated before each line. `off` removes all of these stops."},
			run: func(d *dialogue, rest string) error { return d.breakpoints.stopOn(rest) }, complete: completeStops,
		},
		{
			name: "watch", letter: "w", group: groupStops, args: "[EXPRESSION]",
			help: "show the value of an expression at each stop, or list these expressions",
			run:  func(d *dialogue, rest string) error { return d.inspector.addWatch(rest) }, complete: completeLua,
		},
		{
			name: "unwatch", group: groupStops, args: "NUMBER|all", help: "remove a watch expression, or all of them",
			run: func(d *dialogue, rest string) error { return d.inspector.unwatch(rest) },
		},
	}
}

// breakpoints are the breakpoints and other stops that the user has set.
type breakpoints struct {
	*common
	lines  map[string][]debugger.Breakpoint // by the SHA1 of the script
	stops  debugger.Stops
	wanted wantedScripts
	// choseErrors: the user has said at which errors to stop.
	choseErrors bool
}

func (bs *breakpoints) breakAt(rest string) error {
	s, err := bs.scripts.meant()
	if err != nil {
		return err
	}
	if rest == "" {
		return bs.listLines(s)
	}
	word, conditions := cutWord(rest)
	line, err := bs.scripts.lineOf(s, word)
	if err != nil {
		return err
	}
	b, err := parseBreakpoint(strconv.Itoa(line) + " " + conditions)
	if err != nil {
		return err
	}
	if b.Line == 0 {
		return usage("break")
	}
	if !bs.backend.Embedded() && (b.Condition != "" || b.Hits != "" || b.Log != "") {
		return errors.New("the debugger of a Redis server has breakpoints on lines only; " +
			"instead of a condition, the script can call redis.breakpoint() in an if statement")
	}
	lines := bs.syntax.lines(s.Source())
	at, _ := slices.BinarySearch(lines, b.Line)
	if at == len(lines) {
		return fmt.Errorf("there is no code on line %d or after it", b.Line)
	}
	moved := lines[at] != b.Line
	b.Line = lines[at]
	points := slices.DeleteFunc(slices.Clone(bs.lines[s.SHA()]), func(p debugger.Breakpoint) bool { return p.Line == b.Line })
	bs.lines[s.SHA()] = append(points, b)
	bs.apply()
	note := ""
	if moved {
		note = ", the next line with code"
	}
	for _, p := range bs.lines[s.SHA()] {
		if p.Line == b.Line {
			bs.say(describeBreakpoint(p) + note)
		}
	}
	return nil
}

// parseBreakpoint parses "12 if n > 3 hits >5 log text". Its Line is 0 if text does not begin with
// a line number.
func parseBreakpoint(text string) (b debugger.Breakpoint, err error) {
	number, rest := cutWord(text)
	if b.Line, err = strconv.Atoi(number); err != nil || b.Line < 1 {
		return debugger.Breakpoint{}, nil
	}
	rest = " " + rest
	if i := strings.Index(rest, " log "); i >= 0 {
		rest, b.Log = rest[:i], strings.TrimSpace(rest[i+5:])
	}
	if i := strings.LastIndex(rest, " hits "); i >= 0 {
		rest, b.Hits = rest[:i], strings.ReplaceAll(rest[i+6:], " ", "")
	}
	rest = strings.TrimSpace(rest)
	if condition, ok := strings.CutPrefix(rest, "if "); ok {
		rest, b.Condition = "", strings.TrimSpace(condition)
	}
	if rest != "" {
		return b, fmt.Errorf("unexpected %q", rest)
	}
	return b, nil
}

func describeBreakpoint(b debugger.Breakpoint) string {
	text := fmt.Sprintf("breakpoint at line %d", b.Line)
	if b.Condition != "" {
		text += " if " + b.Condition
	}
	if b.Hits != "" {
		text += " hits " + b.Hits
	}
	if b.Log != "" {
		text += " log " + b.Log
	}
	if b.Problem != "" {
		text += ": " + b.Problem
	}
	return text
}

func (bs *breakpoints) listLines(s *engine.Script) error {
	points := bs.lines[s.SHA()]
	if len(points) == 0 {
		bs.say("no breakpoints; :break LINE sets one")
		return nil
	}
	lines := strings.Split(s.Source(), "\n")
	slices.SortFunc(points, func(a, b debugger.Breakpoint) int { return a.Line - b.Line })
	for _, p := range points {
		text := describeBreakpoint(p)
		if p.Line <= len(lines) {
			text += bs.palette.dim("   " + strings.TrimSpace(lines[p.Line-1]))
		}
		bs.say(text)
	}
	return nil
}

func (bs *breakpoints) deleteLine(rest string) error {
	s, err := bs.scripts.meant()
	if err != nil {
		return err
	}
	points := bs.lines[s.SHA()]
	if rest == "all" {
		bs.sayf("%d removed", len(points))
		bs.lines[s.SHA()] = nil
		bs.apply()
		return nil
	}
	line, err := bs.scripts.lineOf(s, rest)
	if err != nil {
		return err
	}
	if line == 0 {
		return usage("delete")
	}
	i := slices.IndexFunc(points, func(b debugger.Breakpoint) bool { return b.Line == line })
	if i < 0 {
		return fmt.Errorf("there is no breakpoint at line %d", line)
	}
	bs.lines[s.SHA()] = slices.Delete(slices.Clone(points), i, i+1)
	bs.apply()
	return nil
}

// applyBreakpoints passes the breakpoints and stops on to the current script, and to later ones.
func (bs *breakpoints) apply() {
	if bs.scripts.current != nil {
		sha := bs.scripts.current.script.SHA()
		bs.lines[sha] = bs.scripts.current.target.SetBreakpoints(bs.lines[sha])
		_ = bs.scripts.current.target.SetStops(bs.stopsOf(bs.scripts.current.client)) // a server has no stops and refuses the command :stop
	}
	bs.updateWanted()
}

// stopsOf returns the stops of a script. A script that the user debugs stops at errors that end it,
// unless the user has chosen otherwise. A script of another client does not: the engine would wait.
func (bs *breakpoints) stopsOf(client string) debugger.Stops {
	stops := bs.stops
	if client == "" && !bs.choseErrors {
		stops.Errors = debugger.ErrorsUncaught
	}
	return stops
}

func (bs *breakpoints) stopOn(rest string) error {
	word, what := cutWord(rest)
	if word == "on" {
		word, what = cutWord(what)
	}
	switch {
	case word == "":
		return bs.listStops()
	case word == "off" && what == "":
		bs.stops, bs.choseErrors = debugger.Stops{}, true
	case word == "error" && what == "", word == "errors" && what == "":
		bs.stops.Errors, bs.choseErrors = debugger.ErrorsAll, true
	case word == "uncaught" && what == "":
		bs.stops.Errors, bs.choseErrors = debugger.ErrorsUncaught, true
	case word == "command" && what != "":
		bs.stops.Commands = addTo(bs.stops.Commands, strings.Fields(what)...)
	case word == "key" && what != "":
		bs.stops.Keys = addTo(bs.stops.Keys, strings.Fields(what)...)
	case word == "change" && what != "":
		bs.stops.Values = addTo(bs.stops.Values, what)
	default:
		return usage("stop")
	}
	bs.apply()
	return bs.listStops()
}

// addTo returns list with the elements of more that it does not contain. It does not change list.
func addTo(list []string, more ...string) []string {
	list = slices.Clone(list)
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

func (bs *breakpoints) listStops() error {
	var all []string
	switch bs.stops.Errors {
	case debugger.ErrorsAll:
		all = append(all, "at every error")
	case debugger.ErrorsUncaught:
		all = append(all, "at errors that end the script")
	case debugger.ErrorsNone:
		if !bs.choseErrors {
			all = append(all, "at errors that end a script of :debug")
		}
	}
	for _, c := range bs.stops.Commands {
		all = append(all, "before "+strings.ToUpper(c))
	}
	for _, k := range bs.stops.Keys {
		all = append(all, "after a change of a key "+k)
	}
	for _, v := range bs.stops.Values {
		all = append(all, "when "+v+" changes")
	}
	if all == nil {
		bs.say("no stops except breakpoints; see :help stop")
		return nil
	}
	bs.say("stops " + strings.Join(all, ", "))
	return nil
}
