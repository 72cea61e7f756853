package redmoontest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/excerpt"
)

// shownCalls is the number of calls of a failed script that are shown: the last ones.
const shownCalls = 20

// scriptRun is a run of a script that a test expects to succeed.
type scriptRun struct {
	name, source string // of a script; "": a command was run
	keys         []string
	args         []any
	before       int // the number of calls before it
}

// mark returns the number of calls so far.
func (e *Engine) mark() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calls.from + len(e.calls.list)
}

// since returns the calls of scripts after a mark.
func (e *Engine) since(mark int) (list []Call) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.calls.list[min(max(0, mark-e.calls.from), len(e.calls.list)):] {
		if c.Script {
			list = append(list, c)
		}
	}
	return list
}

// mustRun returns v, or ends the test with what is known about the run.
func (e *Engine) mustRun(r scriptRun, v engine.Value, err error) engine.Value {
	e.t.Helper()
	if err != nil {
		e.t.Fatalf("redmoontest: %v%s", err, e.report(r, err))
	}
	return v
}

// report shows where a script has failed, its arguments and what it called.
func (e *Engine) report(r scriptRun, err error) string {
	var b strings.Builder
	if line, ok := excerpt.Line(err.Error()); ok && r.source != "" {
		b.WriteString("\n\n" + excerpt.Of(r.name, r.source, line))
	}
	if len(r.keys)+len(r.args) > 0 {
		b.WriteString("\nKEYS " + words(r.keys) + "\nARGV " + words(r.args) + "\n")
	}
	calls := e.since(r.before)
	if len(calls) > 0 {
		if b.Len() == 0 {
			b.WriteByte('\n') // ends the line of the error
		}
		b.WriteString("\nit called:\n")
	}
	left := max(0, len(calls)-shownCalls)
	if left > 0 {
		fmt.Fprintf(&b, "  ... %d calls\n", left)
		calls = calls[left:]
	}
	for _, c := range calls {
		mark := " "
		if c.Write && !c.Reply.IsError() {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %s\n", mark, c)
	}
	writes := (*engine.ScriptError)(nil)
	switch {
	case !errors.As(err, &writes):
	case left == 0 && len(calls) > 0:
		b.WriteString("what a * marks was written before the script failed, and stays\n")
	default:
		b.WriteString("\nwritten before the script failed, and kept:\n")
		for _, w := range writes.Writes {
			b.WriteString("  " + w.String() + "\n")
		}
		if writes.More > 0 {
			fmt.Fprintf(&b, "  ... %d more\n", writes.More)
		}
	}
	return b.String()
}

// words lists the keys or arguments of a script.
func words[T any](list []T) string {
	quoted := make([]string, len(list))
	for i, x := range list {
		quoted[i] = word(fmt.Sprint(x))
	}
	return "[" + strings.Join(quoted, " ") + "]"
}
