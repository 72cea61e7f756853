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
			name: "break", aliases: []string{"breakpoint"}, letter: "b", group: groupStops, args: "[LINE [if CONDITION] [hits N] [log TEXT]]",
			help: "stop before a line is run, or list the breakpoints",
			more: []string{"CONDITION is Lua and sees the locals there. N counts how often the line was reached so: `hits 5` is the fifth time, also `>5`, `>=5`, `<5`, `<=5`, `%5` (each fifth). " +
				"With TEXT the script is not stopped, the text is printed; `{n}` in it is the value of n. A line without code moves to the next that has some."},
			run: (*dialogue).breakAt,
		},
		{
			name: "delete", group: groupStops, args: "LINE|all", help: "remove the breakpoint of a line, or all",
			run: (*dialogue).deletePoint,
		},
		{
			name: "stop", group: groupStops, args: "[on error|on uncaught|on command NAME|on key PATTERN|on change EXPRESSION|off]", where: local,
			help: "stop also at errors, before a command of Redis, after a key has changed, or when a value has changed; or list what is set",
			more: []string{"`on error` stops where any error is raised, `on uncaught` where one is that ends the script. PATTERN is as that of KEYS. EXPRESSION is Lua, looked at before each line. `off` takes back all of them."},
			run:  (*dialogue).stopOn, complete: completeStops,
		},
		{
			name: "watch", letter: "w", group: groupStops, args: "[EXPRESSION]",
			help: "show the value of an expression at every stop, or list those that are shown",
			run:  (*dialogue).watchFor, complete: completeLua,
		},
		{
			name: "unwatch", group: groupStops, args: "NUMBER|all", help: "show an expression no longer",
			run: (*dialogue).unwatch,
		},
	}
}

// current is the script that line numbers are of.
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
		return d.listPoints(s)
	}
	b, err := parsePoint(rest)
	if err != nil {
		return err
	}
	if b.Line == 0 {
		return d.usage("break")
	}
	if !d.place.embedded() && (b.Condition != "" || b.Hits != "" || b.Log != "") {
		return errors.New("the debugger of a Redis server knows no conditions, only lines; a call of redis.breakpoint() in the script can stand behind an if")
	}
	lines := d.syntax.lines(s.Source())
	at, _ := slices.BinarySearch(lines, b.Line)
	if at == len(lines) {
		return fmt.Errorf("there is no code on line %d or behind it", b.Line)
	}
	moved := lines[at] != b.Line
	b.Line = lines[at]
	points := slices.DeleteFunc(slices.Clone(d.points[s.SHA()]), func(p debugger.Breakpoint) bool { return p.Line == b.Line })
	d.points[s.SHA()] = append(points, b)
	d.set()
	note := ""
	if moved {
		note = ", the next line with code"
	}
	for _, p := range d.points[s.SHA()] {
		if p.Line == b.Line {
			d.say(describePoint(p) + note)
		}
	}
	return nil
}

// parsePoint reads "12 if n > 3 hits >5 log text".
func parsePoint(text string) (b debugger.Breakpoint, err error) {
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
		return b, fmt.Errorf("%q is not understood here", rest)
	}
	return b, nil
}

func describePoint(b debugger.Breakpoint) string {
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

func (d *dialogue) listPoints(s *engine.Script) error {
	points := d.points[s.SHA()]
	if len(points) == 0 {
		d.say("no breakpoints; :break LINE sets one")
		return nil
	}
	lines := strings.Split(s.Source(), "\n")
	slices.SortFunc(points, func(a, b debugger.Breakpoint) int { return a.Line - b.Line })
	for _, p := range points {
		text := describePoint(p)
		if p.Line <= len(lines) {
			text += d.paint.dim("   " + strings.TrimSpace(lines[p.Line-1]))
		}
		d.say(text)
	}
	return nil
}

func (d *dialogue) deletePoint(rest string) error {
	s, err := d.current()
	if err != nil {
		return err
	}
	points := d.points[s.SHA()]
	if rest == "all" {
		d.sayf("%d removed", len(points))
		d.points[s.SHA()] = nil
		d.set()
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
	d.points[s.SHA()] = slices.Delete(slices.Clone(points), i, i+1)
	d.set()
	return nil
}

// set hands breakpoints and stops to the script in hand, and to those that will begin.
func (d *dialogue) set() {
	if d.stop != nil {
		sha := d.stop.script.SHA()
		d.points[sha] = d.stop.target.SetBreakpoints(d.points[sha])
		_ = d.stop.target.SetStops(d.stops) // a server that has none refuses the command :stop
	}
	d.wish()
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
		d.stops.Errors = debugger.AllErrors
	case word == "uncaught" && what == "":
		d.stops.Errors = debugger.UncaughtErrors
	case word == "command" && what != "":
		d.stops.Commands = addTo(d.stops.Commands, strings.Fields(what)...)
	case word == "key" && what != "":
		d.stops.Keys = addTo(d.stops.Keys, strings.Fields(what)...)
	case word == "change" && what != "":
		d.stops.Values = addTo(d.stops.Values, what)
	default:
		return d.usage("stop")
	}
	d.set()
	return d.listStops()
}

// addTo adds what is not yet there; the list that there was is not changed.
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
	case debugger.AllErrors:
		all = append(all, "at every error")
	case debugger.UncaughtErrors:
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
		d.say("no stops but breakpoints; see :help stop")
		return nil
	}
	d.say("stops " + strings.Join(all, ", "))
	return nil
}
