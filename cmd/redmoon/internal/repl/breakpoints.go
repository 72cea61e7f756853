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
				"without code moves to the next line that has code."},
			run: (*dialogue).breakAt,
		},
		{
			name: "delete", group: groupStops, args: "LINE|all", help: "remove the breakpoint on a line, or all breakpoints",
			run: (*dialogue).deleteBreakpoint,
		},
		{
			name: "stop", group: groupStops, where: local,
			args: "[on error|on uncaught|on command NAME|on key PATTERN|on change EXPRESSION|off]",
			help: "stop at errors, before a Redis command, after a change of a key or of a value; or list these stops",
			more: []string{"`on error` stops at each error, `on uncaught` at errors that end the script. PATTERN " +
				"is a glob pattern, as for KEYS. " +
				"EXPRESSION is Lua and is evaluated before each line. `off` removes all of these stops."},
			run: (*dialogue).stopOn, complete: completeStops,
		},
		{
			name: "watch", letter: "w", group: groupStops, args: "[EXPRESSION]",
			help: "show the value of an expression at each stop, or list these expressions",
			run:  (*dialogue).addWatch, complete: completeLua,
		},
		{
			name: "unwatch", group: groupStops, args: "NUMBER|all", help: "remove a watch expression, or all of them",
			run: (*dialogue).unwatch,
		},
	}
}

// current returns the script to which line numbers refer.
func (d *dialogue) current() (*engine.Script, error) {
	switch {
	case d.stop != nil:
		return d.stop.script, nil
	case d.script != nil:
		return d.script.script, nil
	}
	return nil, errors.New("no script is loaded; :load file.lua loads one")
}

func (d *dialogue) breakAt(rest string) error {
	s, err := d.current()
	if err != nil {
		return err
	}
	if rest == "" {
		return d.listBreakpoints(s)
	}
	b, err := parseBreakpoint(rest)
	if err != nil {
		return err
	}
	if b.Line == 0 {
		return d.usage("break")
	}
	if !d.backend.Embedded() && (b.Condition != "" || b.Hits != "" || b.Log != "") {
		return errors.New("the debugger of a Redis server has breakpoints on lines only; " +
			"instead of a condition, the script can call redis.breakpoint() in an if statement")
	}
	lines := d.syntax.lines(s.Source())
	at, _ := slices.BinarySearch(lines, b.Line)
	if at == len(lines) {
		return fmt.Errorf("there is no code on line %d or after it", b.Line)
	}
	moved := lines[at] != b.Line
	b.Line = lines[at]
	points := slices.DeleteFunc(slices.Clone(d.breakpoints[s.SHA()]), func(p debugger.Breakpoint) bool { return p.Line == b.Line })
	d.breakpoints[s.SHA()] = append(points, b)
	d.applyBreakpoints()
	note := ""
	if moved {
		note = ", the next line with code"
	}
	for _, p := range d.breakpoints[s.SHA()] {
		if p.Line == b.Line {
			d.say(describeBreakpoint(p) + note)
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

func (d *dialogue) listBreakpoints(s *engine.Script) error {
	points := d.breakpoints[s.SHA()]
	if len(points) == 0 {
		d.say("no breakpoints; :break LINE sets one")
		return nil
	}
	lines := strings.Split(s.Source(), "\n")
	slices.SortFunc(points, func(a, b debugger.Breakpoint) int { return a.Line - b.Line })
	for _, p := range points {
		text := describeBreakpoint(p)
		if p.Line <= len(lines) {
			text += d.palette.dim("   " + strings.TrimSpace(lines[p.Line-1]))
		}
		d.say(text)
	}
	return nil
}

func (d *dialogue) deleteBreakpoint(rest string) error {
	s, err := d.current()
	if err != nil {
		return err
	}
	points := d.breakpoints[s.SHA()]
	if rest == "all" {
		d.sayf("%d removed", len(points))
		d.breakpoints[s.SHA()] = nil
		d.applyBreakpoints()
		return nil
	}
	line, err := strconv.Atoi(rest)
	if err != nil {
		return d.usage("delete")
	}
	i := slices.IndexFunc(points, func(b debugger.Breakpoint) bool { return b.Line == line })
	if i < 0 {
		return fmt.Errorf("there is no breakpoint at line %d", line)
	}
	d.breakpoints[s.SHA()] = slices.Delete(slices.Clone(points), i, i+1)
	d.applyBreakpoints()
	return nil
}

// applyBreakpoints passes the breakpoints and stops on to the current script, and to later ones.
func (d *dialogue) applyBreakpoints() {
	if d.stop != nil {
		sha := d.stop.script.SHA()
		d.breakpoints[sha] = d.stop.target.SetBreakpoints(d.breakpoints[sha])
		_ = d.stop.target.SetStops(d.stops) // a server has no stops and refuses the command :stop
	}
	d.updateWanted()
}

func (d *dialogue) stopOn(rest string) error {
	word, what := cutWord(rest)
	if word == "on" {
		word, what = cutWord(what)
	}
	switch {
	case word == "":
		return d.listStops()
	case word == "off" && what == "":
		d.stops = debugger.Stops{}
	case word == "error" && what == "", word == "errors" && what == "":
		d.stops.Errors = debugger.ErrorsAll
	case word == "uncaught" && what == "":
		d.stops.Errors = debugger.ErrorsUncaught
	case word == "command" && what != "":
		d.stops.Commands = addTo(d.stops.Commands, strings.Fields(what)...)
	case word == "key" && what != "":
		d.stops.Keys = addTo(d.stops.Keys, strings.Fields(what)...)
	case word == "change" && what != "":
		d.stops.Values = addTo(d.stops.Values, what)
	default:
		return d.usage("stop")
	}
	d.applyBreakpoints()
	return d.listStops()
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

func (d *dialogue) listStops() error {
	var all []string
	switch d.stops.Errors {
	case debugger.ErrorsAll:
		all = append(all, "at every error")
	case debugger.ErrorsUncaught:
		all = append(all, "at errors that end the script")
	}
	for _, c := range d.stops.Commands {
		all = append(all, "before "+strings.ToUpper(c))
	}
	for _, k := range d.stops.Keys {
		all = append(all, "after a change of a key "+k)
	}
	for _, v := range d.stops.Values {
		all = append(all, "when "+v+" changes")
	}
	if all == nil {
		d.say("no stops except breakpoints; see :help stop")
		return nil
	}
	d.say("stops " + strings.Join(all, ", "))
	return nil
}
