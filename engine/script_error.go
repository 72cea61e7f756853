package engine

import (
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// ScriptErrorPolicy says what becomes of the writes of a script that fails.
type ScriptErrorPolicy uint8

const (
	// KeepWrites leaves what a script has written before it failed, as Redis does. The error is a
	// [ScriptError].
	KeepWrites ScriptErrorPolicy = iota
	// Rollback undoes what a script, function or transaction has written if it fails; see
	// [Options].OnScriptError.
	Rollback
)

// ScriptError is the error of a script or function that has failed after it had written: what it
// has written remains, as in Redis. Error returns the error reply. errors.As finds the *[Error] in
// it, and errors.Is compares that.
//
// A caller gets it from the methods that run one command or script: Eval, EvalSHA, FCall, Do,
// RunScript, DebugScript. In batches, pipelines and transactions, and for clients of a server, the
// error is a reply like any other; the engine then logs the writes.
type ScriptError struct {
	Reply *Error
	// Writes are the commands that have changed something, in order: the first 32.
	Writes []ScriptWrite
	// More is the number of further ones.
	More int
}

// Error returns the error reply.
func (e *ScriptError) Error() string { return e.Reply.Error() }

// Unwrap returns Reply.
func (e *ScriptError) Unwrap() error { return e.Reply }

// ScriptWrite is a command of a script that has changed something.
type ScriptWrite struct {
	DB int // the number of the database
	// Args are the name of the command and its arguments. At most 16 are shown, and of each 64 bytes;
	// what is cut ends with "…".
	Args []string
	// Keys are the keys that the command names to write to them, at most 16.
	Keys []string
}

// The bounds of a ScriptWrite.
const (
	shownArgs = 16
	shownArg  = 64 // bytes
)

// String returns the command line, with arguments in quotes where they need them.
func (w ScriptWrite) String() string {
	var b []byte
	for i, arg := range w.Args {
		if i > 0 {
			b = append(b, ' ')
		}
		text, short := strings.CutSuffix(arg, "…")
		b = append(b, quoting.Word(text)...)
		if short {
			b = append(b, "…"...)
		}
	}
	return string(b)
}

// shorten returns a copy of list with the bounds of a ScriptWrite.
func shorten(list []string) []string {
	short := make([]string, 0, min(len(list), shownArgs))
	for i, s := range list {
		switch {
		case i == shownArgs-1 && len(list) > shownArgs:
			return append(short, strconv.Itoa(len(list)-i)+" more…")
		case len(s) > shownArg:
			s = s[:shownArg] + "…"
		}
		short = append(short, strings.Clone(s))
	}
	return short
}

// leftBehind is the error of a failed script, until it is known whether the caller can get it.
type leftBehind struct {
	err    *ScriptError
	script string // its SHA1, or the name of the function
}

// endScript ends the run of a script or function that has the reply v.
func (e *Engine) endScript(v reply.Value) {
	if run := &e.server.Run; v.IsError() && run.Wrote && !run.MayBeUndone {
		if list, more := e.server.Written(); len(list)+more > 0 {
			e.left = append(e.left, leftBehind{&ScriptError{Reply: v.Err().(*Error), Writes: scriptWrites(list), More: more}, e.server.ScriptName()})
		}
	}
	e.leaveScript()
}

func scriptWrites(list []server.Write) []ScriptWrite {
	writes := make([]ScriptWrite, len(list))
	for i, w := range list {
		writes[i] = ScriptWrite{DB: w.DB, Args: shorten(w.Args), Keys: shorten(w.Keys)}
	}
	return writes
}

// reportLeft passes on what failed scripts of a command have left behind: to the caller if it gets
// the error of the script, and else to the log. v is the reply of the command.
func (e *Engine) reportLeft(v reply.Value) {
	r, last := e.current, len(e.left)-1
	if r != nil && r.kind == commandRequest && v.IsError() && e.left[last].err.Error() == v.Text() {
		r.left = e.left[last].err
		e.left = e.left[:last]
	}
	for _, l := range e.left {
		texts := make([]string, len(l.err.Writes))
		for i, w := range l.err.Writes {
			texts[i] = "[" + strconv.Itoa(w.DB) + "] " + w.String()
		}
		e.log.Warn("redmoon: a script has failed and what it has written remains", "script", l.script, "error", l.err.Error(),
			"writes", texts, "more", l.err.More)
	}
	clear(e.left)
	e.left = e.left[:0]
}
