package repl

import (
	"errors"
	"fmt"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/internal/quoting"
)

func inspectCommands() []command {
	return []command{
		{
			name: "vars", aliases: []string{"locals"}, letter: "v", group: groupInspect, args: "[all]", where: atStop,
			help: "show the locals, upvalues and arguments of the function, KEYS and ARGV; with `all` the other globals too",
			run:  (*dialogue).vars,
		},
		{
			name: "print", letter: "p", group: groupInspect, args: "EXPRESSION", where: atStop,
			help: "show the value of an expression at the stop; `= expression` is the same",
			run:  (*dialogue).print, complete: completeLua,
		},
		{
			name: "set", group: groupInspect, args: "NAME = EXPRESSION", where: atStop | local,
			help: "assign to a local, an upvalue, a field of a table or a global",
			run:  (*dialogue).assign, complete: completeLua,
		},
		{
			name: "stack", aliases: []string{"trace", "bt"}, letter: "t", group: groupInspect, where: atStop,
			help: "show the functions that are in progress, the innermost first",
			run:  (*dialogue).stack,
		},
		{
			name: "frame", letter: "f", group: groupInspect, args: "[N]", where: atStop | local,
			help: "select function number N of :stack for :vars, :print, :set and :watch",
			run:  (*dialogue).chooseFrame,
		},
		{
			name: "up", group: groupInspect, where: atStop | local, help: "select the function that has called this one",
			run: func(d *dialogue, _ string) error { return d.lookAt(d.stop.frame + 1) },
		},
		{
			name: "down", group: groupInspect, where: atStop | local, help: "select the function that this one has called",
			run: func(d *dialogue, _ string) error { return d.lookAt(d.stop.frame - 1) },
		},
		{
			name: "list", letter: "l", group: groupInspect, args: "[LINE|all]",
			help: "show the script around the current line, around another line, or all of it",
			run:  (*dialogue).list,
		},
		{
			name: "calls", group: groupInspect, where: atStop | local,
			help: "show the Redis commands that the script has run so far, with their replies",
			run:  (*dialogue).calls,
		},
		{
			name: "where", group: groupInspect, where: atStop, help: "show the current line again",
			run: func(d *dialogue, _ string) error { d.showStop(d.stop); return nil },
		},
	}
}

func (d *dialogue) vars(rest string) error {
	if rest != "" && rest != "all" && rest != "globals" {
		return d.usage("vars")
	}
	scopes, err := d.stop.target.Scopes(d.stop.frame)
	if err != nil {
		return withoutPackage(err)
	}
	shown := false
	for _, s := range scopes {
		if s.Title == "globals" && rest == "" {
			s = ownGlobals(s)
		}
		if len(s.Variables) == 0 {
			continue
		}
		shown = true
		d.say(d.palette.dim(s.Title))
		for _, v := range s.Variables {
			d.sayf("  %s = %s", d.palette.name(v.Name), v.Value)
		}
	}
	if !shown {
		d.say("(no variables here)")
	}
	return nil
}

// ownGlobals returns the variables of a scope that are not Redis's own.
func ownGlobals(s backend.Scope) backend.Scope {
	kept := backend.Scope{Title: s.Title}
	for _, v := range s.Variables {
		if !standardGlobals[v.Name] && !strings.HasPrefix(v.Name, "__redis__") {
			kept.Variables = append(kept.Variables, v)
		}
	}
	return kept
}

// standardGlobals are the globals that all scripts have.
var standardGlobals = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(`_G _VERSION assert bit cjson cmsgpack collectgarbage coroutine error ` +
		`gcinfo getfenv getmetatable ipairs load loadstring
		math newproxy next os pairs pcall print rawequal rawget rawset redis require select setfenv setmetatable ` +
		`string struct table tonumber tostring type unpack xpcall`) {
		all[name] = true
	}
	return all
}()

func (d *dialogue) print(rest string) error {
	if rest == "" {
		return d.usage("print")
	}
	return d.evaluate(rest)
}

// evaluate runs code in the selected frame and shows its values.
func (d *dialogue) evaluate(code string) error {
	chunk, err := d.syntax.chunk(code)
	if err != nil {
		return withExcerpt(err.Error(), "lua", code)
	}
	texts, err := d.evalHere(chunk)
	if err != nil {
		return withoutPackage(err)
	}
	for _, t := range texts {
		d.say(t)
	}
	return nil
}

// evalHere runs code in the selected frame. Ctrl-C interrupts it.
func (d *dialogue) evalHere(code string) (texts []string, err error) {
	d.showLogs(false) // the debugger sends no events for evaluated code
	defer d.showLogs(true)
	d.onInterrupt(d.stop.target.Interrupt, func() { texts, err = d.stop.target.Eval(d.stop.frame, code) })
	return texts, err
}

// onInterrupt calls f. While f runs, it calls stop at each Ctrl-C.
func (d *dialogue) onInterrupt(stop, f func()) {
	ended, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-d.Interrupts:
				stop()
			case <-ended:
				return
			}
		}
	}()
	f()
	close(ended)
	<-gone
}

func (d *dialogue) assign(rest string) error {
	name, value, ok := strings.Cut(rest, "=")
	if !ok || strings.HasPrefix(value, "=") || strings.TrimSpace(name) == "" || strings.TrimSpace(value) == "" {
		return d.usage("set")
	}
	name = strings.TrimSpace(name)
	texts, err := d.evalHere(fmt.Sprintf("%s = %s\nreturn %s", name, value, name))
	if err != nil {
		return withoutPackage(err)
	}
	d.sayf("%s = %s", d.palette.name(name), strings.Join(texts, ", "))
	return nil
}

func (d *dialogue) stack(string) error {
	frames, err := d.stop.target.Frames()
	if err != nil {
		return withoutPackage(err)
	}
	for i, f := range frames {
		mark := "  "
		if i == d.stop.frame {
			mark = d.palette.marked("> ")
		}
		at := "library function"
		if !f.Library {
			at = fmt.Sprintf("%s:%d", d.stop.name, f.Line)
		}
		d.sayf("%s%d  %s  %s", mark, i, d.palette.name(f.Name), d.palette.dim(at))
	}
	return nil
}

func (d *dialogue) chooseFrame(rest string) error {
	if rest == "" {
		return d.lookAt(d.stop.frame)
	}
	n, err := strconv.Atoi(rest)
	if err != nil {
		return d.usage("frame")
	}
	return d.lookAt(n)
}

func (d *dialogue) lookAt(n int) error {
	frames, err := d.stop.target.Frames()
	if err != nil {
		return withoutPackage(err)
	}
	if n < 0 || n >= len(frames) {
		return fmt.Errorf("there is no frame %d; :stack shows 0 to %d", n, len(frames)-1)
	}
	f := frames[n]
	d.stop.frame, d.stop.looked = n, f.Line
	if n == 0 {
		d.stop.looked = 0
	}
	d.sayf("frame %d, %s", n, d.palette.name(f.Name))
	if f.Line > 0 {
		d.source(d.stop, f.Line, 2)
	}
	return nil
}

func (d *dialogue) list(rest string) error {
	s, err := d.current()
	if err != nil {
		return err
	}
	view := d.stop
	line := 1
	if view == nil {
		view = &stopped{name: d.script.name, script: s}
	} else if line = view.at.Line; view.frame > 0 {
		if frames, err := view.target.Frames(); err == nil && view.frame < len(frames) {
			line = frames[view.frame].Line
		}
	}
	around := 5
	switch n, err := strconv.Atoi(rest); {
	case rest == "" && d.stop == nil, rest == "all":
		around = strings.Count(s.Source(), "\n") + 1
	case rest == "":
	case err != nil:
		return d.usage("list")
	default:
		line = n
	}
	if line < 1 || line > strings.Count(strings.TrimSuffix(s.Source(), "\n"), "\n")+1 {
		return errors.New("the script has no such line")
	}
	d.source(view, line, around)
	return nil
}

func (d *dialogue) calls(string) error {
	calls, err := d.stop.target.Calls()
	if err != nil {
		return withoutPackage(err)
	}
	if len(calls) == 0 {
		d.say("(no calls so far)")
	}
	for i, c := range calls {
		reply := "..."
		if c.Done {
			reply = short(string(display.JSON(nil, display.Shape(c.Reply, d.proto))), backend.ValueLimit)
		}
		d.sayf("%s %s  %s", d.palette.dim(fmt.Sprintf("%3d  line %d ", i+1, c.Line)), quoteAll(c.Args), d.palette.dim("-> ")+reply)
	}
	return nil
}

// quoteAll formats a command as it is typed.
func quoteAll(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = short(quoteWord(a), backend.ValueLimit)
	}
	return strings.Join(words, " ")
}

// quoteWord quotes a word if that is needed.
func quoteWord(word string) string {
	plain := word != ""
	for i := 0; i < len(word); i++ {
		if c := word[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '\'' || c == '\\' {
			plain = false
		}
	}
	if plain {
		return word
	}
	return string(quoting.Append(nil, word))
}

// short cuts a text to about limit bytes.
func short(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "..."
}
