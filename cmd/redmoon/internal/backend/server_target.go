package backend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/debugger/ldb"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// serverTarget is a script under the debugger of a Redis server. The dialogue uses it while the
// script is stopped. A goroutine uses it while the script is running.
type serverTarget struct {
	r      *Remote
	script debugger.Target
	db     int
	sync   bool
	events chan debugger.Event
	points []debugger.Breakpoint // breakpoints that the server has
	warned bool                  // the user knows that the server cannot step over calls

	mu      sync.Mutex // guards what follows
	client  *ldb.Client
	running bool // a command that resumes the script has been sent
	aborted bool
}

// errServer says what the debugger of a server cannot do.
type errServer string

func (e errServer) Error() string {
	return "the debugger of a Redis server cannot " + string(e) + "; :debug without --connect can"
}

func (r *Remote) Debug(ctx context.Context, s debugger.Target, o debugger.Options, db int) (Target, error) {
	t := &serverTarget{r: r, script: s, db: db, sync: o.Sync, events: make(chan debugger.Event, 64), points: o.Breakpoints}
	return t, t.start(ctx, debugger.ReasonEntry)
}

// start begins the script and stops at its first line.
func (t *serverTarget) start(ctx context.Context, why debugger.Reason) error {
	w, err := t.r.dial(ctx, t.db, 2)
	if err != nil {
		return err
	}
	c, first, err := ldb.Start(w.nc, t.script.Script.Source(), t.script.Keys, t.script.Args, t.sync)
	if err != nil {
		w.close()
		return err
	}
	t.mu.Lock()
	t.client = c
	t.mu.Unlock()
	if points := t.points; !first.Ended {
		t.points = nil
		t.SetBreakpoints(points)
	}
	go t.sendEvents(first, why, nil)
	return nil
}

// sendEvents converts an answer of the server to events.
func (t *serverTarget) sendEvents(a ldb.Answer, why debugger.Reason, err error) {
	for _, line := range a.Lines {
		if !strings.HasPrefix(line, "* Stopped at ") && !strings.HasPrefix(line, "->") {
			t.events <- debugger.Output{Kind: debugger.OutputPrint, Text: strings.TrimPrefix(line, "<debug> ")}
		}
	}
	t.mu.Lock()
	t.running = false
	aborted := t.aborted
	t.mu.Unlock()
	switch {
	case aborted:
		t.events <- debugger.Ended{Aborted: true}
		close(t.events)
	case err != nil:
		t.events <- debugger.Ended{Err: fmt.Errorf("the debugging session is lost: %w", err)}
		close(t.events)
	case a.Ended:
		t.Close()
		t.events <- debugger.Ended{Reply: a.Reply}
		close(t.events)
	default:
		switch t.client.Reason() {
		case "break point":
			why = debugger.ReasonBreakpoint
		case "redis.breakpoint() called":
			why = debugger.ReasonBreakpointCall
		case "timeout reached, infinite loop?":
			why = debugger.ReasonPause
		}
		t.events <- debugger.Stopped{Reason: why, Line: t.client.Line()}
	}
}

// resume sends a command that resumes the script.
func (t *serverTarget) resume(command string) error {
	t.mu.Lock()
	t.running = true
	t.mu.Unlock()
	go func() {
		answer, err := t.client.Do(command)
		t.sendEvents(answer, debugger.ReasonStep, err)
	}()
	return nil
}

// ask sends a command that does not resume the script.
func (t *serverTarget) ask(command ...string) ([]string, error) {
	answer, err := t.client.Do(command...)
	return answer.Lines, err
}

func (t *serverTarget) Events() <-chan debugger.Event { return t.events }

// SetBreakpoints removes the breakpoints that are not in list, and adds the others.
func (t *serverTarget) SetBreakpoints(list []debugger.Breakpoint) []debugger.Breakpoint {
	for _, had := range t.points {
		if !slices.ContainsFunc(list, func(b debugger.Breakpoint) bool { return b.Line == had.Line }) {
			// a lost session reports its error when the script is resumed
			_, _ = t.ask("break", strconv.Itoa(-had.Line))
		}
	}
	list = slices.Clone(list)
	for i := range list {
		if slices.ContainsFunc(t.points, func(had debugger.Breakpoint) bool { return had.Line == list[i].Line }) {
			continue
		}
		lines, err := t.ask("break", strconv.Itoa(list[i].Line))
		list[i].Problem = ""
		if err == nil && len(lines) == 1 && !strings.Contains(lines[0], "#") {
			list[i].Problem = lines[0]
		}
	}
	t.points = list
	return slices.Clone(list)
}

func (t *serverTarget) SetStops(debugger.Stops) error { return errServer("stop at anything but lines") }
func (t *serverTarget) Continue() error               { return t.resume("continue") }
func (t *serverTarget) StepIn() error                 { return t.resume("step") }
func (t *serverTarget) StepOut() error                { return errServer("run to the end of a function") }
func (t *serverTarget) StepBack() error               { return errServer("go back") }
func (t *serverTarget) ContinueBack() error           { return errServer("go back") }
func (t *serverTarget) BackTo(int) error              { return errServer("go back") }
func (t *serverTarget) Diverged() error               { return nil }

// StepOver steps to the next line, because the server can do nothing else.
func (t *serverTarget) StepOver() error {
	if !t.warned {
		t.warned = true
		t.events <- debugger.Output{Kind: debugger.OutputPrint, Text: "(" + errServer("step over calls").Error() + ")"}
	}
	return t.resume("next")
}

// Restart begins again on another connection.
func (t *serverTarget) Restart() error {
	if t.sync {
		return errServer("undo what a script has changed with --sync; :abort and :debug it again")
	}
	old := t.client
	if err := t.start(context.Background(), debugger.ReasonEntry); err != nil {
		return err
	}
	return old.Close()
}

func (t *serverTarget) Pause() {
	text := "(" + errServer("pause a running script").Error() + "; another Ctrl-C closes the session)"
	t.events <- debugger.Output{Kind: debugger.OutputPrint, Text: text}
}

// Interrupt closes the session, because the server cannot interrupt an evaluation.
func (t *serverTarget) Interrupt() { t.Close() }

// Abort ends a stopped script. It disconnects from a running one.
func (t *serverTarget) Abort() {
	t.mu.Lock()
	t.aborted = true
	running := t.running
	t.mu.Unlock()
	if running {
		t.Close()
		return
	}
	_ = t.resume("abort")
}

func (t *serverTarget) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = t.client.Close()
}

func (t *serverTarget) Do(args ...string) (engine.Value, error) {
	lines, err := t.ask(append([]string{"redis"}, args...)...)
	if err != nil {
		return engine.Value{}, err
	}
	var shown []string
	for _, line := range lines {
		if !strings.HasPrefix(line, "<redis> ") {
			shown = append(shown, strings.TrimPrefix(line, "<reply> "))
		}
	}
	text := strings.Join(shown, "\n")
	if failed, ok := strings.CutPrefix(text, "<error> "); ok {
		return engine.Value{}, errors.New(failed)
	}
	return resp.NewDecoder(bytes.NewReader(fmt.Appendf(nil, "=%d\r\ntxt:%s\r\n", len(text)+4, text))).Decode()
}

func (t *serverTarget) Calls() ([]debugger.Call, error) { return nil, errServer("list the calls") }
func (t *serverTarget) Touched() ([]engine.TouchedKey, error) {
	return nil, errServer("list the changes")
}

var leadingDigits = regexp.MustCompile(`^[0-9]*`)

var luaName = regexp.MustCompile(`^(?:return\s+)?([A-Za-z_][A-Za-z0-9_]*)$`)

// Eval evaluates code. If code is only a name, it prints the variable with that name, because
// evaluated code does not see local variables.
func (t *serverTarget) Eval(_ int, code string) ([]string, error) {
	command := []string{"eval", code}
	if m := luaName.FindStringSubmatch(strings.TrimSpace(code)); m != nil {
		command = []string{"print", m[1]}
	}
	lines, err := t.ask(command...)
	if err != nil {
		return nil, err
	}
	for i, line := range lines {
		if text, ok := strings.CutPrefix(line, "<error> "); ok {
			if strings.Contains(text, "nonexistent global variable") {
				text += "\n(code that is evaluated on a Redis server does not see the locals; :print NAME shows one)"
			}
			return nil, errors.New(text)
		}
		for _, mark := range []string{"<value> ", "<retval> ", "<debug> "} {
			lines[i] = strings.TrimPrefix(lines[i], mark)
		}
	}
	return lines, nil
}

func (t *serverTarget) EvalJSON(int, string) ([]string, error) {
	return nil, errServer("write a value as JSON")
}

func (t *serverTarget) EvalQuietly(level int, code string) ([]string, error) {
	return t.Eval(level, code)
}

func (t *serverTarget) Scopes(int) ([]Scope, error) {
	lines, err := t.ask("print")
	s := Scope{Title: "locals"}
	for _, line := range lines {
		if name, value, ok := strings.Cut(strings.TrimPrefix(line, "<value> "), " = "); ok {
			s.Variables = append(s.Variables, Variable{name, value})
		}
	}
	return []Scope{s}, err
}

// Frames parses the answer to trace: for each function a line with its name and a line with its
// source line.
func (t *serverTarget) Frames() (all []Frame, err error) {
	lines, err := t.ask("trace")
	for i := 0; i+1 < len(lines); i += 2 {
		name := strings.TrimSuffix(lines[i], ":")
		name = strings.TrimPrefix(strings.TrimPrefix(name, "In "), "From ")
		number := strings.TrimLeft(lines[i+1], "->#* ")
		n, _ := strconv.Atoi(leadingDigits.FindString(number))
		all = append(all, Frame{Name: name, Line: n})
	}
	return all, err
}
