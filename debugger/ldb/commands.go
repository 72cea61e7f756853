package ldb

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// command is a command of the debugger. do reports whether it has resumed or ended the script.
type command struct {
	short, name string
	minArgs     int // minimum number of arguments, including the name
	do          func(d *dialogue, args []string) (resumes bool)
}

var commands = []command{
	{"h", "help", 1, (*dialogue).help},
	{"s", "step", 1, (*dialogue).step},
	{"n", "next", 1, (*dialogue).step},
	{"c", "continue", 1, (*dialogue).continueScript},
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

// runCommand runs one command of the client.
func (d *dialogue) runCommand(args []string) (resumes bool) {
	name := cString(args[0])
	for _, c := range commands {
		if len(args) >= c.minArgs && (equalFold(name, c.short) || equalFold(name, c.name)) {
			return c.do(d, args)
		}
	}
	d.log.add("<error> Unknown Redis Lua debugger command or wrong number of arguments.")
	return false
}

// equalFold reports whether s is name, ignoring the case of letters. name is ASCII.
func equalFold(s, name string) bool { return len(s) == len(name) && strings.EqualFold(s, name) }

func (d *dialogue) step([]string) bool {
	d.stepping = true
	_ = d.session.StepIn()
	return true
}

func (d *dialogue) continueScript([]string) bool {
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
		d.log.hintGiven, d.log.maxLen = true, int(n)
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
	d.session.SetBreakpoints(d.breakpoints.forSession(d.session.Lines()))
	return false
}

func (d *dialogue) showBreakpoints() {
	if len(d.breakpoints.lines) == 0 {
		d.log.add("No breakpoints set. Use 'b <line>' to add one.")
		return
	}
	d.log.add(fmt.Sprintf("%d breakpoints set:", len(d.breakpoints.lines)))
	for _, line := range d.breakpoints.lines {
		d.showLine(int(line))
	}
}

// setBreakpoint handles one argument of the break command: a line, a negated line to remove, or 0
// to remove all breakpoints.
func (d *dialogue) setBreakpoint(arg string) {
	n, err := strconv.ParseInt(arg, 10, 64)
	line := int32(n)
	switch {
	case err != nil || strconv.FormatInt(n, 10) != arg:
		d.log.add("Invalid argument:'" + arg + "'")
	case n == 0:
		d.breakpoints.clear()
		d.log.add("All breakpoints removed.")
	case n < 0 && d.breakpoints.remove(-line):
		d.log.add("Breakpoint removed.")
	case n < 0:
		d.log.add("No breakpoint in the specified line.")
	case d.breakpoints.full():
		d.log.add("Too many breakpoints set.")
	case line <= 0 || int(line) > len(d.source) || d.breakpoints.has(int(line)):
		d.log.add("Wrong line number.")
	default:
		d.breakpoints.add(line)
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
	switch current, point := line == d.line, d.breakpoints.has(line); {
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

// redis runs a Redis command. It is logged in the same way as the calls of a script that is stepped
// through.
func (d *dialogue) redis(args []string) bool {
	v, err := d.session.Do(args[1:]...)
	if err != nil {
		return true
	}
	d.logCall(args[1:])
	d.logReply(v)
	return false
}

// logCall logs a command before it runs.
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

// logReply logs the reply of a command. A refused command has an error but no reply.
func (d *dialogue) logReply(v engine.Value) {
	if v.IsError() {
		d.log.add("<error> " + errorLine(v))
		if v.Refused() {
			return
		}
	}
	d.log.addValue("<reply> " + formatReply(string(resp.Append(nil, v, 2))))
}

// errorLine returns an error as Redis's own functions pass it on. A dash says that the error begins
// with a code.
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
