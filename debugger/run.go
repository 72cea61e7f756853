package debugger

import (
	"errors"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// run is one run of the script. It is the engine's Debugger. Only the engine's goroutine uses it.
type run struct {
	s         *Session
	engineRun *engine.DebugRun
	observer  engine.Debugger // Options.Observer; nil during a replay

	now              position
	entry            position // of the first line, of a function its own; zero: not reached
	line             int      // the line that was reached last
	evaluating       bool     // the debugger itself evaluates or changes something; hooks ignore it
	breakpointCalled bool     // redis.breakpoint() was called: the script stops at the next line
	step             step
	keysSeen         int               // number of touched keys that Stops.Keys was compared with
	values           map[string]string // the last known value of each expression of Stops.Values
	calls            []Call
	changes          []change
	stops            []position          // where the run has stopped
	resume           func(*engine.Stack) // set by the work that resumes the script; nil: it stays stopped
	replay           replay
}

// position identifies a hook call within a run: the number of lines reached, and the number of
// other hook calls since the last line.
type position struct{ lines, since int }

func (p position) before(q position) bool {
	return p.lines < q.lines || p.lines == q.lines && p.since < q.since
}

// change is a change that the user made at a stop. A replay makes it again.
type change struct {
	at position
	do func(*run, *engine.Stack)
}

// begin is called before each run of the script.
func (s *Session) begin(on *engine.DebugRun) engine.Debugger {
	if s.engineRun.Swap(on) == nil {
		go s.interruptWhenDone(on)
	}
	s.settings.Load().resetHits()
	if s.options.OnRun != nil {
		s.options.OnRun(s.began)
	}
	s.prepareEnd()
	r := &run{s: s, engineRun: on, replay: s.nextReplay, values: map[string]string{}}
	if r.replay.kind == live {
		r.observer = s.options.Observer
	}
	if r.replay.kind == replayToEnd {
		s.searching = r
		on.Rewind()
	}
	s.nextReplay, s.began = replay{}, true
	on.OnEnd(r.onEnd)
	return r
}

// interruptWhenDone interrupts the script, and code that the debugger evaluates in it, when the
// engine wants the script to end.
func (s *Session) interruptWhenDone(on *engine.DebugRun) {
	select {
	case <-on.Done():
		on.Interrupt(abortText)
	case <-s.done:
	}
}

// beginEvaluation marks that the debugger itself evaluates or changes something, until the caller
// calls done.
func (r *run) beginEvaluation(st *engine.Stack) (done func()) {
	was := r.evaluating
	r.evaluating = true
	r.s.evaluatingOn.Store(st)
	notify := r.s.options.OnEvaluate
	if notify == nil || was {
		notify = func(bool) {}
	}
	notify(true)
	return func() {
		if r.evaluating = was; !was {
			r.s.evaluatingOn.Store(nil)
		}
		notify(false)
	}
}

// onEnd receives the reply of the last run, after which the script is not run again.
func (r *run) onEnd(v engine.Value) {
	s := r.s
	keys := append([]engine.TouchedKey(nil), r.engineRun.Touched()...)
	s.mu.Lock()
	s.calls, s.keys = r.calls, keys
	if r.replay.kind != live && s.requests.Load()&abortRequested == 0 {
		s.divergence = errors.New("debugger: the script did not go the same way: it ended where it had gone on")
	}
	s.mu.Unlock()
	if s.attached {
		s.end(v.Clone(), nil)
	}
}

// Line implements engine.Debugger.
func (r *run) Line(st *engine.Stack, line int) {
	if r.evaluating {
		return
	}
	if r.observer != nil {
		r.observer.Line(st, line)
	}
	r.now, r.line = position{lines: r.now.lines + 1}, line
	if r.skipHook(st) {
		return
	}
	reason, text, stop := r.decideAtLine(st, line)
	r.stopIfDue(st, reason, text, stop)
}

// Call implements engine.Debugger.
func (r *run) Call(st *engine.Stack, args []string) {
	if r.evaluating {
		return
	}
	if r.observer != nil {
		r.observer.Call(st, args)
	}
	r.now.since++
	if r.skipHook(st) {
		return
	}
	call := Call{Line: st.Line(), Args: cloneAll(args)}
	r.calls = append(r.calls, call)
	r.emit(Called{call})
	set := r.s.settings.Load()
	if len(set.Keys) > 0 {
		// Keys that the user has changed at a stop do not count.
		r.keysSeen += len(r.engineRun.TouchedSince(r.keysSeen))
	}
	name, stop := set.matchCommand(args)
	r.stopIfDue(st, ReasonCommand, name, stop)
}

// Reply implements engine.Debugger.
func (r *run) Reply(st *engine.Stack, args []string, v engine.Value) {
	if r.evaluating {
		return
	}
	if r.observer != nil {
		r.observer.Reply(st, args, v)
	}
	r.now.since++
	if r.skipHook(st) || len(r.calls) == 0 {
		return
	}
	call := &r.calls[len(r.calls)-1]
	call.Reply, call.Done = v.Clone(), true
	if r.checkReplayedCall(st) {
		return
	}
	r.emit(Called{*call})
	key, stop := r.touchedKey(r.s.settings.Load())
	r.stopIfDue(st, ReasonKeyWrite, key, stop)
}

// Raise implements engine.Debugger.
func (r *run) Raise(st *engine.Stack, v engine.LuaValue, caught bool) {
	if r.evaluating {
		return
	}
	if r.observer != nil {
		r.observer.Raise(st, v, caught)
	}
	r.now.since++
	if r.skipHook(st) {
		return
	}
	at := r.s.settings.Load().Errors
	r.stopIfDue(st, ReasonError, errorText(v), at == ErrorsAll || at == ErrorsUncaught && !caught)
}

// Complain implements engine.Debugger.
func (r *run) Complain(st *engine.Stack, text string) {
	if !r.evaluating && r.observer != nil {
		r.observer.Complain(st, text)
	}
}

// Breakpoint implements engine.Debugger. Code that the debugger evaluates may call it too.
func (r *run) Breakpoint(st *engine.Stack) bool {
	if r.observer != nil {
		r.observer.Breakpoint(st)
	}
	if r.evaluating {
		r.breakpointCalled = true
		return true
	}
	r.now.since++
	if !r.skipHook(st) {
		r.stopIfDue(st, ReasonBack, "", false)
		r.breakpointCalled = true
	}
	return true
}

// Print implements engine.Debugger. It is also called for output of code that the debugger
// evaluates.
func (r *run) Print(st *engine.Stack, values []engine.LuaValue) {
	if r.observer != nil {
		r.observer.Print(st, values)
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = plain(v, 0)
	}
	r.emitOutput(st, Output{Kind: OutputPrint, Text: strings.Join(texts, "\t")})
}

// Log implements engine.Debugger.
func (r *run) Log(st *engine.Stack, level int, text string) {
	if r.observer != nil {
		r.observer.Log(st, level, text)
	}
	r.emitOutput(st, Output{Kind: OutputLog, Level: level, Text: strings.Clone(text)})
}

func (r *run) emitOutput(st *engine.Stack, o Output) {
	o.Line = r.line
	if r.evaluating {
		r.emit(o)
		return
	}
	r.now.since++
	o.Line = st.Line()
	r.emit(o)
	if !r.skipHook(st) {
		r.stopIfDue(st, ReasonBack, "", false)
	}
}

// emit sends an event, except during a replay.
func (r *run) emit(e Event) {
	if _, call := e.(Called); call && !r.s.options.Calls || r.replay.kind != live {
		return
	}
	r.s.events.put(e)
}

// skipHook begins each hook. It reports whether the session has been detached.
func (r *run) skipHook(st *engine.Stack) bool {
	r.obeyRequests(st)
	return r.s.requests.Load()&detached != 0
}

// abortText is the reply of a script that was aborted.
const abortText = "ERR Script aborted by the debugger"

// errorText returns the message of an error value. Errors of redis.call are tables with the message
// in the field err.
func errorText(v engine.LuaValue) string {
	if v.Kind() == engine.LuaTable {
		for _, f := range v.Fields() {
			if f.Key.Kind() == engine.LuaString && f.Key.Text() == "err" && f.Value.Kind() == engine.LuaString {
				return f.Value.Text()
			}
		}
	}
	return plain(v, 1024)
}

func cloneAll(texts []string) []string {
	cloned := make([]string, len(texts))
	for i, text := range texts {
		cloned[i] = strings.Clone(text)
	}
	return cloned
}
