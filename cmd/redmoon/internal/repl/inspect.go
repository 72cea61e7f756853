package repl

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

func inspectCommands() []command {
	return []command{
		{
			name: "vars", aliases: []string{"locals"}, letter: "v", group: groupInspect, args: "[all]", where: atStop,
			help: "show the locals, upvalues and arguments of the function, KEYS and ARGV; with `all` the other globals too",
			run:  func(d *dialogue, rest string) error { return d.inspector.vars(rest) },
		},
		{
			name: "print", letter: "p", group: groupInspect, args: "EXPRESSION", where: atStop,
			help: "show the value of an expression at the stop; `= expression` is the same",
			run:  func(d *dialogue, rest string) error { return d.inspector.print(rest) }, complete: completeLua,
		},
		{
			name: "json", letter: "j", group: groupInspect, args: "EXPRESSION", where: atStop | local,
			help: "show the value of an expression at the stop as JSON",
			run:  func(d *dialogue, rest string) error { return d.inspector.json(rest) }, complete: completeLua,
		},
		{
			name: "set", group: groupInspect, args: "NAME = EXPRESSION", where: atStop | local,
			help: "assign to a local, an upvalue, a field of a table or a global",
			run:  func(d *dialogue, rest string) error { return d.inspector.assign(rest) }, complete: completeLua,
		},
		{
			name: "stack", aliases: []string{"trace", "bt"}, letter: "t", group: groupInspect, where: atStop,
			help: "show the functions that are in progress, the innermost first",
			run:  func(d *dialogue, rest string) error { return d.inspector.stack(rest) },
		},
		{
			name: "frame", letter: "f", group: groupInspect, args: "[N]", where: atStop | local,
			help: "select function number N of :stack for :vars, :print, :set and :watch",
			run:  func(d *dialogue, rest string) error { return d.inspector.chooseFrame(rest) },
		},
		{
			name: "up", group: groupInspect, where: atStop | local, help: "select the function that has called this one",
			run: func(d *dialogue, _ string) error { return d.inspector.lookAt(d.scripts.current.frame + 1) },
		},
		{
			name: "down", group: groupInspect, where: atStop | local, help: "select the function that this one has called",
			run: func(d *dialogue, _ string) error { return d.inspector.lookAt(d.scripts.current.frame - 1) },
		},
		{
			name: "list", letter: "l", group: groupInspect, args: "[LINE|all]",
			help: "show the script around the current line, around another line, or all of it",
			run:  func(d *dialogue, rest string) error { return d.inspector.list(rest) },
		},
		{
			name: "calls", group: groupInspect, where: atStop | local,
			help: "show the Redis commands that the script has run so far, with their replies",
			run:  func(d *dialogue, rest string) error { return d.inspector.calls(rest) },
		},
		{
			name: "where", group: groupInspect, where: atStop, help: "show the current line again",
			run: func(d *dialogue, _ string) error { d.player.showStop(d.scripts.current); return nil },
		},
	}
}

// inspector looks into the current script.
type inspector struct {
	*common
	breakpoints *breakpoints
	watches     []string // expressions whose values each stop shows
}

func (in *inspector) vars(rest string) error {
	if rest != "" && rest != "all" && rest != "globals" {
		return usage("vars")
	}
	scopes, err := in.scripts.current.target.Scopes(in.scripts.current.frame)
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
		in.say(in.palette.dim(s.Title))
		for _, v := range s.Variables {
			in.sayf("  %s = %s", in.palette.name(v.Name), v.Value)
		}
	}
	if !shown {
		in.say("(no variables here)")
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

func (in *inspector) print(rest string) error {
	if rest == "" {
		return usage("print")
	}
	return in.evaluate(rest)
}

func (in *inspector) json(rest string) error {
	if rest == "" {
		return usage("json")
	}
	return in.evaluateBy(in.scripts.current.target.EvalJSON, rest)
}

// evaluate runs code in the selected frame and shows its values in Lua's notation.
func (in *inspector) evaluate(code string) error {
	return in.evaluateBy(in.scripts.current.target.Eval, code)
}

// evaluator runs code in a frame and returns its values as text.
type evaluator func(level int, code string) ([]string, error)

// evaluateBy runs code in the selected frame and shows its values.
func (in *inspector) evaluateBy(eval evaluator, code string) error {
	chunk, err := in.syntax.chunk(code)
	if err != nil {
		return withExcerpt(err.Error(), "lua", bundle.Whole("lua", code))
	}
	texts, err := in.evalHere(eval, chunk)
	if err != nil {
		return withoutPackage(err)
	}
	for _, t := range texts {
		in.say(t)
	}
	return nil
}

// evalHere runs code in the selected frame. Ctrl-C interrupts it.
func (in *inspector) evalHere(eval evaluator, code string) (texts []string, err error) {
	in.showLogs(false) // the debugger sends no events for evaluated code
	defer in.showLogs(true)
	in.onInterrupt(in.scripts.current.target.Interrupt, func() { texts, err = eval(in.scripts.current.frame, code) })
	return texts, err
}

func (in *inspector) assign(rest string) error {
	name, value, ok := strings.Cut(rest, "=")
	if !ok || strings.HasPrefix(value, "=") || strings.TrimSpace(name) == "" || strings.TrimSpace(value) == "" {
		return usage("set")
	}
	name = strings.TrimSpace(name)
	if err := in.begun(name); err != nil {
		return err
	}
	texts, err := in.evalHere(in.scripts.current.target.Eval, fmt.Sprintf("%s = %s\nreturn %s", name, value, name))
	if err != nil {
		return withoutPackage(err)
	}
	in.sayf("%s = %s", in.palette.name(name), strings.Join(texts, ", "))
	return nil
}

// begun returns an error if the local with that name does not exist yet: an assignment would mean a
// global.
func (in *inspector) begun(name string) error {
	scopes, err := in.scripts.current.target.Scopes(in.scripts.current.frame)
	if err != nil {
		return withoutPackage(err)
	}
	for _, s := range scopes {
		if slices.ContainsFunc(s.Variables, func(v backend.Variable) bool { return v.Name == name }) {
			return nil
		}
	}
	for i, text := range strings.Split(in.scripts.current.script.Source(), "\n") {
		m := localNames.FindStringSubmatch(text)
		if m == nil || !slices.Contains(strings.FieldsFunc(m[1], func(c rune) bool { return c == ',' || c == ' ' || c == '\t' }), name) {
			continue
		}
		return fmt.Errorf("there is no variable %s here: the local of line %d exists in its block, once that line has run", name, i+1)
	}
	return nil
}

// localNames matches the names of a local statement.
var localNames = regexp.MustCompile(`\blocal\s+(?:function\s+)?([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)`)

func (in *inspector) stack(string) error {
	frames, err := in.scripts.current.target.Frames()
	if err != nil {
		return withoutPackage(err)
	}
	for i, f := range frames {
		mark := "  "
		if i == in.scripts.current.frame {
			mark = in.palette.marked("> ")
		}
		at := "library function"
		if !f.Library {
			at = in.scripts.place(in.scripts.current, f.Line)
		}
		in.sayf("%s%d  %s  %s", mark, i, in.palette.name(f.Name), in.palette.dim(at))
	}
	return nil
}

// selectScript selects the innermost function of the script itself: in the middle of a line that is
// not a function of a library, such as redis.call.
func (in *inspector) selectScript(s *stopped) {
	switch s.at.Reason {
	case debugger.ReasonCommand, debugger.ReasonKeyWrite, debugger.ReasonError, debugger.ReasonEnd:
	default:
		return
	}
	frames, err := s.target.Frames()
	if err != nil {
		return
	}
	if n := slices.IndexFunc(frames, func(f backend.Frame) bool { return !f.Library }); n > 0 {
		s.frame = n
	}
}

func (in *inspector) chooseFrame(rest string) error {
	if rest == "" {
		return in.lookAt(in.scripts.current.frame)
	}
	n, err := strconv.Atoi(rest)
	if err != nil {
		return usage("frame")
	}
	return in.lookAt(n)
}

func (in *inspector) lookAt(n int) error {
	frames, err := in.scripts.current.target.Frames()
	if err != nil {
		return withoutPackage(err)
	}
	if n < 0 || n >= len(frames) {
		return fmt.Errorf("there is no frame %d; :stack shows 0 to %d", n, len(frames)-1)
	}
	f := frames[n]
	in.scripts.current.frame, in.scripts.current.looked = n, f.Line
	if n == 0 {
		in.scripts.current.looked = 0
	}
	in.sayf("frame %d, %s", n, in.palette.name(f.Name))
	if f.Line > 0 {
		in.source(in.scripts.current, f.Line, 2)
	}
	return nil
}

func (in *inspector) list(rest string) error {
	s, err := in.scripts.meant()
	if err != nil {
		return err
	}
	view := in.scripts.current
	line := 1
	if view == nil {
		view = &stopped{name: in.scripts.loaded.name, script: s}
	} else if line = view.at.Line; view.frame > 0 {
		if frames, err := view.target.Frames(); err == nil && view.frame < len(frames) {
			line = frames[view.frame].Line
		}
	}
	around := 5
	switch n, err := strconv.Atoi(rest); {
	case rest == "" && in.scripts.current == nil, rest == "all":
		around = strings.Count(s.Source(), "\n") + 1
	case rest == "":
	case err != nil:
		return usage("list")
	default:
		line = n
	}
	if line < 1 || line > strings.Count(strings.TrimSuffix(s.Source(), "\n"), "\n")+1 {
		return errors.New("the script has no such line")
	}
	in.source(view, line, around)
	return nil
}

// source prints lines of a script around one. It marks the current line and breakpoints.
func (in *inspector) source(s *stopped, line, around int) {
	lines := in.palette.highlightLines(strings.TrimSuffix(s.script.Source(), "\n"))
	from, to := max(line-around, 1), min(line+around, len(lines))
	width := len(strconv.Itoa(to))
	for n := from; n <= to; n++ {
		number := fmt.Sprintf("%*d", width, n)
		mark := "  "
		for _, b := range in.breakpoints.lines[s.script.SHA()] {
			if b.Line == n && b.Problem == "" {
				mark = in.palette.bad("# ")
			}
		}
		arrow := "   "
		switch n {
		case s.looked:
			arrow, number = in.palette.marked(" > "), in.palette.marked(number)
		case s.at.Line:
			arrow, number = in.palette.marked("-> "), in.palette.marked(number)
		default:
			number = in.palette.dim(number)
		}
		in.say(strings.TrimRight(mark+arrow+number+"  "+strings.TrimSuffix(lines[n-1], "\r"), " "))
	}
}
func (in *inspector) calls(string) error {
	calls, err := in.scripts.current.target.Calls()
	if err != nil {
		return withoutPackage(err)
	}
	if len(calls) == 0 {
		in.say("(no calls so far)")
	}
	for i, c := range calls {
		reply := "..."
		if c.Done {
			reply = short(string(display.JSON(nil, display.Shape(c.Reply, in.proto))), backend.ValueLimit)
		}
		in.sayf("%s %s  %s", in.palette.dim(fmt.Sprintf("%3d  line %d ", i+1, c.Line)), quoteAll(c.Args), in.palette.dim("-> ")+reply)
	}
	return nil
}

// quoteAll formats a command as it is typed.
func quoteAll(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = short(quoting.Word(a), backend.ValueLimit)
	}
	return strings.Join(words, " ")
}

// short cuts a text to about limit bytes.
func short(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "..."
}
