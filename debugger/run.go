package debugger

import (
	"errors"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// run is the script being run once. It is the engine's Debugger: the engine's goroutine alone uses it.
type run struct {
	s     *Session
	on    *engine.DebugRun
	watch engine.Debugger // Options.Observer, or nil

	now     position
	line    int  // that was reached last
	busy    bool // the debugger itself evaluates or changes something
	called  bool // redis.breakpoint() was
	step    step
	seen    int               // of the touched keys that have been looked at
	values  map[string]string // of Stops.Values, where they were last known
	calls   []Call
	changes []change
	stops   []position          // where the run has stopped
	leave   func(*engine.Stack) // how to go on from a stop; nil: the script stays there
	aim     aim
}

// position is a place in a run: how many lines were reached, and how many other things have happened since the last.
type position struct{ lines, since int }

func (p position) before(q position) bool {
	return p.lines < q.lines || p.lines == q.lines && p.since < q.since
}

// change is what the user has changed at a stop.
type change struct {
	at position
	do func(*run, *engine.Stack)
}

// begin is called before each run of the script.
func (s *Session) begin(on *engine.DebugRun) engine.Debugger {
	if s.on.Swap(on) == nil {
		go s.heed(on)
	}
	s.settings.Load().forget()
	r := &run{s: s, on: on, aim: s.aim, values: map[string]string{}}
	if r.aim.kind == forward {
		r.watch = s.options.Observer
	}
	s.aim = aim{}
	on.OnEnd(r.over)
	return r
}

// heed ends the script when the engine wants that, also what the debugger evaluates for it.
func (s *Session) heed(on *engine.DebugRun) {
	select {
	case <-on.Done():
		on.Interrupt(abortText)
	case <-s.done:
	}
}

// evaluating notes that the debugger does something of its own; done ends that.
func (r *run) evaluating(st *engine.Stack) (done func()) {
	was := r.busy
	r.busy = true
	r.s.eval.Store(st)
	return func() {
		if r.busy = was; !was {
			r.s.eval.Store(nil)
		}
	}
}

// over is told the reply when the script has ended for good.
func (r *run) over(v engine.Value) {
	s := r.s
	keys := append([]engine.TouchedKey(nil), r.on.Touched()...)
	s.mu.Lock()
	s.calls, s.keys = r.calls, keys
	if r.aim.kind != forward && s.asked.Load()&abortAsked == 0 {
		s.drift = errors.New("debugger: the script did not go the same way: it ended where it had gone on")
	}
	s.mu.Unlock()
	if s.attached {
		s.end(v.Clone(), nil)
	}
}

// Line implements engine.Debugger.
func (r *run) Line(st *engine.Stack, line int) {
	if r.busy {
		return
	}
	if r.watch != nil {
		r.watch.Line(st, line)
	}
	r.now, r.line = position{lines: r.now.lines + 1}, line
	if r.free(st) {
		return
	}
	reason, text, stop := r.atLine(st, line)
	r.settle(st, reason, text, stop)
}

// Call implements engine.Debugger.
func (r *run) Call(st *engine.Stack, args []string) {
	if r.busy {
		return
	}
	if r.watch != nil {
		r.watch.Call(st, args)
	}
	r.now.since++
	if r.free(st) {
		return
	}
	call := Call{Line: st.Line(), Args: cloneAll(args)}
	r.calls = append(r.calls, call)
	r.tell(Called{call})
	set := r.s.settings.Load()
	if len(set.Keys) > 0 {
		r.seen += len(r.on.TouchedSince(r.seen)) // what the user has changed meanwhile is none of it
	}
	name, stop := set.command(args)
	r.settle(st, Command, name, stop)
}

// Reply implements engine.Debugger.
func (r *run) Reply(st *engine.Stack, args []string, v engine.Value) {
	if r.busy {
		return
	}
	if r.watch != nil {
		r.watch.Reply(st, args, v)
	}
	r.now.since++
	if r.free(st) || len(r.calls) == 0 {
		return
	}
	call := &r.calls[len(r.calls)-1]
	call.Reply, call.Done = v.Clone(), true
	if r.compare(st) {
		return
	}
	r.tell(Called{*call})
	key, stop := r.touched(r.s.settings.Load())
	r.settle(st, KeyWrite, key, stop)
}

// Raise implements engine.Debugger.
func (r *run) Raise(st *engine.Stack, v engine.LuaValue, caught bool) {
	if r.busy {
		return
	}
	if r.watch != nil {
		r.watch.Raise(st, v, caught)
	}
	r.now.since++
	if r.free(st) {
		return
	}
	at := r.s.settings.Load().Errors
	r.settle(st, Error, errorText(v), at == AllErrors || at == UncaughtErrors && !caught)
}

// Complain implements engine.Debugger.
func (r *run) Complain(st *engine.Stack, text string) {
	if !r.busy && r.watch != nil {
		r.watch.Complain(st, text)
	}
}

// Breakpoint implements engine.Debugger. Evaluated code may call it too.
func (r *run) Breakpoint(st *engine.Stack) bool {
	if r.watch != nil {
		r.watch.Breakpoint(st)
	}
	if r.busy {
		r.called = true
		return true
	}
	r.now.since++
	if !r.free(st) {
		r.settle(st, Back, "", false)
		r.called = true
	}
	return true
}

// Print implements engine.Debugger. It is told of what evaluated code prints too.
func (r *run) Print(st *engine.Stack, values []engine.LuaValue) {
	if r.watch != nil {
		r.watch.Print(st, values)
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = plain(v, 0)
	}
	r.say(st, Output{Kind: PrintOutput, Text: strings.Join(texts, "\t")})
}

// Log implements engine.Debugger.
func (r *run) Log(st *engine.Stack, level int, text string) {
	if r.watch != nil {
		r.watch.Log(st, level, text)
	}
	r.say(st, Output{Kind: LogOutput, Level: level, Text: strings.Clone(text)})
}

func (r *run) say(st *engine.Stack, o Output) {
	o.Line = r.line
	if r.busy {
		r.tell(o)
		return
	}
	r.now.since++
	o.Line = st.Line()
	r.tell(o)
	if !r.free(st) {
		r.settle(st, Back, "", false)
	}
}

// tell tells of something that happens, but not when that is run once more.
func (r *run) tell(e Event) {
	if _, call := e.(Called); call && !r.s.options.Calls || r.aim.kind != forward {
		return
	}
	r.s.events.put(e)
}

// free begins each hook. It reports whether the script is not debugged any more.
func (r *run) free(st *engine.Stack) bool {
	r.obey(st)
	return r.s.asked.Load()&detached != 0
}

// abortText is the reply of a script that was aborted.
const abortText = "ERR Script aborted by the debugger"

// errorText is what an error value says: Redis's are tables with the text in err.
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
