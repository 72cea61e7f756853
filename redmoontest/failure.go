package redmoontest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/excerpt"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
)

// scriptRun is a run of a script that a test expects to succeed.
type scriptRun struct {
	name, source string // of a script; "": a command was run
	keys         []string
	args         []any
	before       int // the number of calls before it
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
	calls, left := harness.Called(e.seen.ScriptCalls(r.before))
	if calls != "" {
		if b.Len() == 0 {
			b.WriteByte('\n') // ends the line of the error
		}
		b.WriteString("\nit called:\n" + calls)
	}
	writes := (*engine.ScriptError)(nil)
	switch {
	case !errors.As(err, &writes):
	case left == 0 && calls != "":
		b.WriteString(harness.Stays + "\n")
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

// words shows the keys or arguments of a script.
func words[T any](list []T) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = fmt.Sprint(x)
	}
	return harness.List(texts)
}
