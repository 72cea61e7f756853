package ldb

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// command is a command of the debugger. do reports whether the script goes on, or has ended.
type command struct {
	short, name string
	least       int // arguments, with the name
	do          func(d *dialogue, args []string) (goesOn bool)
}

var commands = []command{
	{"h", "help", 1, (*dialogue).help},
	{"s", "step", 1, (*dialogue).step},
	{"n", "next", 1, (*dialogue).step},
	{"c", "continue", 1, (*dialogue).goOn},
	{"t", "trace", 1, (*dialogue).trace},
	{"m", "maxlen", 1, (*dialogue).maxLen},
	{"b", "break", 1, (*dialogue).breakAt},
	{"e", "eval", 1, (*dialogue).eval},
	{"a", "abort", 1, (*dialogue).abort},
	{"r", "redis", 2, (*dialogue).redis},
	{"p", "print", 1, (*dialogue).print},
	{"l", "list", 1, (*dialogue).list},
	{"w", "whole", 1, (*dialogue).whole},
}

// run runs a command.
func (d *dialogue) run(args []string) (goesOn bool) {
	name := cString(args[0])
	for _, c := range commands {
		if len(args) >= c.least && (equalFold(name, c.short) || equalFold(name, c.name)) {
			return c.do(d, args)
		}
	}
	d.log.add("<error> Unknown Redis Lua debugger command or wrong number of arguments.")
	return false
}

// equalFold compares with an ASCII name.
func equalFold(s, name string) bool { return len(s) == len(name) && strings.EqualFold(s, name) }

func (d *dialogue) step([]string) bool {
	d.stepping = true
	_ = d.session.StepIn()
	return true
}

func (d *dialogue) goOn([]string) bool {
	_ = d.session.Continue()
	return true
}

func (d *dialogue) abort([]string) bool {
	_ = d.session.Raise("ERR script aborted for user request")
	return true
}

func (d *dialogue) maxLen(args []string) bool {
	if len(args) == 2 {
		n := atoi(args[1])
		if n != 0 && n <= 60 {
			n = 60
		}
		d.log.hinted, d.log.maxLen = true, int(n)
	}
	if d.log.maxLen == 0 {
		d.log.add("<value> replies are unlimited.")
	} else {
		d.log.add(fmt.Sprintf("<value> replies are truncated at %d bytes.", d.log.maxLen))
	}
	return false
}

func (d *dialogue) breakAt(args []string) bool {
	if len(args) == 1 {
		d.showBreakpoints()
		return false
	}
	for _, arg := range args[1:] {
		d.setBreakpoint(arg)
	}
	d.session.SetBreakpoints(d.points.in(d.session.Lines()))
	return false
}

func (d *dialogue) showBreakpoints() {
	if len(d.points.lines) == 0 {
		d.log.add("No breakpoints set. Use 'b <line>' to add one.")
		return
	}
	d.log.add(fmt.Sprintf("%d breakpoints set:", len(d.points.lines)))
	for _, line := range d.points.lines {
		d.showLine(int(line))
	}
}

// setBreakpoint obeys one argument of break: a line, a line to remove with a minus, or 0 for all.
func (d *dialogue) setBreakpoint(arg string) {
	n, err := strconv.ParseInt(arg, 10, 64)
	line := int32(n)
	switch {
	case err != nil || strconv.FormatInt(n, 10) != arg:
		d.log.add("Invalid argument:'" + arg + "'")
	case n == 0:
		d.points.clear()
		d.log.add("All breakpoints removed.")
	case n < 0 && d.points.remove(-line):
		d.log.add("Breakpoint removed.")
	case n < 0:
		d.log.add("No breakpoint in the specified line.")
	case d.points.full():
		d.log.add("Too many breakpoints set.")
	case line <= 0 || int(line) > len(d.source) || d.points.has(int(line)):
		d.log.add("Wrong line number.")
	default:
		d.points.add(line)
		d.showAround(line, 1)
	}
}

func (d *dialogue) list(args []string) bool {
	around, context := int32(d.line), int32(5)
	if len(args) > 1 {
		if n := atoi(args[1]); n > 0 {
			around = n
		}
	}
	if len(args) > 2 {
		context = atoi(args[2])
	}
	d.showAround(around, context)
	return false
}

func (d *dialogue) whole([]string) bool {
	for i := range d.source {
		d.showLine(i + 1)
	}
	return false
}

func (d *dialogue) showAround(around, context int32) {
	for i := range d.source {
		away := around - int32(i+1)
		if max(away, -away) <= context {
			d.showLine(i + 1)
		}
	}
}

func (d *dialogue) showLine(line int) {
	mark := "   "
	switch current, point := line == d.line, d.points.has(line); {
	case current && point:
		mark = "->#"
	case current:
		mark = "-> "
	case point:
		mark = "  #"
	}
	text := "<out of range source code line>"
	if line >= 1 && line <= len(d.source) {
		text = cString(d.source[line-1])
	}
	d.log.add(fmt.Sprintf("%s%-3d %s", mark, line, text))
}

// redis runs a command of Redis, and logs it as the script's own are while one steps.
func (d *dialogue) redis(args []string) bool {
	v, err := d.session.Do(args[1:]...)
	if err != nil {
		return true
	}
	d.logCall(args[1:])
	d.logReply(v)
	return false
}

// logCall logs a command that is about to run.
func (d *dialogue) logCall(args []string) {
	const most = 10
	line := "<redis>"
	for i, arg := range args {
		if i == most {
			line += fmt.Sprintf(" ... (%d more)", len(args)-i-1)
			break
		}
		line += " " + arg
	}
	d.log.add(line)
}

// logReply logs what a command has answered. One that was refused has answered nothing.
func (d *dialogue) logReply(v engine.Value) {
	if v.IsError() {
		d.log.add("<error> " + errorLine(v))
		if v.Refused() {
			return
		}
	}
	d.log.addValue("<reply> " + human(string(resp.Append(nil, v, 2))))
}

// errorLine is an error as Redis's own functions hand it on. The dash tells that it begins with a code.
func errorLine(v engine.Value) string {
	text := v.Text()
	switch rest, plain := strings.CutPrefix(text, "ERR "); {
	case !v.Refused():
		return "-" + text
	case plain:
		return rest
	case strings.HasPrefix(text, "OOM "):
		return "-" + text + "\r\n" // it is a reply that is ready to be sent
	}
	return "-" + text
}
