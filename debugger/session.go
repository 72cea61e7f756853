package debugger

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/engine"
)

// Errors that the methods of a [Session] return.
var (
	// ErrRunning: the method needs a stopped script, and the script is running.
	ErrRunning = errors.New("debugger: the script is running")
	// ErrEnded: the method needs a stopped script, and the script has ended.
	ErrEnded = errors.New("debugger: the script has ended")
	// ErrAtStart: the script cannot go back from its first line.
	ErrAtStart = errors.New("debugger: the script is at its first line")
	// ErrNoStop: [Session.BackTo] was called with the number of a stop that does not exist.
	ErrNoStop = errors.New("debugger: there was no such stop")
)

// Target is a script, or a function of a library, and its input.
type Target struct {
	// Script is the script. With Function it is the text of the library, which is loaded first, as by
	// FUNCTION LOAD REPLACE: that code is debugged too. nil: the engine has the library.
	Script *engine.Script
	// Function is the name of the function to call. Default: none, Script is a script.
	Function string
	// ReadOnly calls the function as FCALL_RO does. For a script, see [engine.Script.ReadOnly].
	ReadOnly bool
	Keys     []string // KEYS, or the first argument of the function. Default: none
	Args     []string // ARGV, or the second argument of the function. Default: none
}

// ErrNoFunction: a [Target] names a function, without its library, that the engine does not have.
var ErrNoFunction = errors.New("debugger: the engine has no such function")

// Options of a session. The zero value works: the script runs on a fork and stops nowhere.
type Options struct {
	// Sync runs the script on the engine itself. While the script is stopped the engine serves no
	// other caller, and the script's changes stay. Default: the script runs on a fork of the
	// engine, which is discarded at the end.
	Sync bool
	// StopOnEntry stops the script before its first line, or a function before its own first line.
	// Default: false.
	StopOnEntry bool
	// StopAtEnd stops the script where nothing follows: before its last line, or in that line after
	// its last redis.call, or at the error that ends it. The keyspace is as the script leaves it. For
	// that it runs twice: the first run stops nowhere, sends no events and is undone. Default: false.
	StopAtEnd bool
	// Breakpoints and Stops are the initial reasons to stop; see [Session.SetBreakpoints] and
	// [Session.SetStops]. Default: none.
	Breakpoints []Breakpoint
	Stops       Stops
	// Calls makes the session send a [Called] event before and after each redis.call. Default:
	// false.
	Calls bool
	// Observer is called on the engine's goroutine before the session handles each hook. It is not
	// called during a replay. The result of its Breakpoint method is ignored. Optional.
	Observer engine.Debugger
	// OnRun is called on the engine's goroutine before each run of the script. again is false for the
	// first one; the others repeat it from the state before it. Optional.
	OnRun func(again bool)
	// OnEvaluate is called on the engine's goroutine before and after the session evaluates code or
	// runs a command of its own, with true and false. Optional.
	OnEvaluate func(begins bool)
}

// Session debugs one script. Any goroutine may call its methods. Methods that need a stopped script
// return [ErrRunning] while the script is running, and [ErrEnded] after it has ended.
type Session struct {
	options  Options
	attached bool
	loads    bool  // the text of a library runs, and then a function of it
	lines    []int // lines that have code
	broken   error // why the script does not compile; nil if it does
	events   *eventQueue
	cancel   context.CancelFunc // ends a call that the engine has not begun yet

	settings     atomic.Pointer[settings]
	requests     atomic.Uint32                   // bits, see pauseRequested
	engineRun    atomic.Pointer[engine.DebugRun] // nil until the engine has begun to run the script
	evaluatingOn atomic.Pointer[engine.Stack]    // where the debugger evaluates code; nil: it does not

	mu         sync.Mutex // guards what follows
	stop       *stop      // nil: the script is running or has ended
	where      Stopped
	ended      bool
	calls      []Call // of the run, once it has ended
	keys       []engine.TouchedKey
	divergence error // see Diverged
	watches    []watch
	nextID     int

	done chan struct{} // closed when the script has ended

	// Only the engine's goroutine uses these.
	nextReplay replay // what the next run repeats
	began      bool   // the script has begun
	searching  *run   // the run that looks for the end of the script; nil: none
}

// Requests to a session whose script is running. The run checks them at each hook.
const (
	pauseRequested uint32 = 1 << iota
	abortRequested
	restartRequested
	detached // never cleared
)

func newSession(source string, o Options) *Session {
	s := &Session{options: o, events: newQueue(), cancel: func() {}, done: make(chan struct{})}
	s.lines, s.broken = engine.ScriptLines(source)
	s.settings.Store(&settings{})
	s.SetBreakpoints(o.Breakpoints)
	s.SetStops(o.Stops)
	return s
}

// Events returns the channel of the session's events. It is closed after [Ended]. Events are kept
// until they are received: a caller that stops receiving before the end must call [Session.Close].
func (s *Session) Events() <-chan Event { return s.events.out }

// Lines returns the numbers of the lines that have code, in ascending order, from 1. It is nil for
// a script that does not compile.
func (s *Session) Lines() []int { return s.lines }

// Pause stops a running script at its next line. It does nothing while the script is stopped.
func (s *Session) Pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil {
		s.requests.Or(pauseRequested)
	}
}

// Abort ends the script, stopped or running, and blocks until it has ended. Do not call it from a
// function given to [Session.At] or [Session.Change]. Changes that the script has made stay, unless
// it runs on a fork.
func (s *Session) Abort() {
	s.requests.Or(abortRequested)
	if on := s.engineRun.Load(); on != nil {
		on.Interrupt(abortText)
	} else {
		s.cancel()
	}
	_ = s.Continue()
	<-s.done
}

// Detach resumes the script, which then runs to its end without stopping again. It does not wait
// for the end.
func (s *Session) Detach() {
	s.requests.Or(detached)
	s.Interrupt()
	_ = s.Continue()
}

// Interrupt ends code that is being evaluated at the stop, with an error. It does nothing if no
// code is being evaluated.
func (s *Session) Interrupt() {
	if st := s.evaluatingOn.Load(); st != nil {
		st.CancelEval("evaluation interrupted")
	}
}

// Close ends the session: it aborts a script that [Start] has begun, and detaches from a script
// that [Attach] has caught. Events that were not received are dropped. Close may be called again.
func (s *Session) Close() {
	if s.attached {
		s.Detach()
	} else {
		s.Abort()
	}
	s.events.drop()
}

// Where returns the stop at which the script is. If the script is not stopped, it returns the last
// stop together with [ErrRunning] or [ErrEnded].
func (s *Session) Where() (Stopped, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.where, s.stopError()
}

// stopError returns nil if the script is stopped. The caller must hold s.mu.
func (s *Session) stopError() error {
	switch {
	case s.ended:
		return ErrEnded
	case s.stop == nil:
		return ErrRunning
	}
	return nil
}

// Calls returns the calls of redis.call and redis.pcall so far, in order: up to the current stop,
// or all of them after the script has ended. It returns [ErrRunning] while the script is running.
func (s *Session) Calls() (calls []Call, err error) {
	err = s.atStop(func(r *run, _ *engine.Stack) { calls = append(calls, r.calls...) })
	if err == ErrEnded {
		return s.calls, nil
	}
	return calls, err
}

// Touched returns the changes of keys so far, in order: up to the current stop, or all of them
// after the script has ended. It returns [ErrRunning] while the script is running.
func (s *Session) Touched() (keys []engine.TouchedKey, err error) {
	err = s.atStop(func(r *run, _ *engine.Stack) { keys = append(keys, r.engineRun.Touched()...) })
	if err == ErrEnded {
		return s.keys, nil
	}
	return keys, err
}

// At calls f with the stopped script's stack, on the engine's goroutine, and waits until f returns.
// f must not keep the stack or its frames. It may keep values ([engine.LuaValue]) until the script
// is resumed. f must not call methods of the session. A replay does not call f again: use
// [Session.Change] for functions that change something.
func (s *Session) At(f func(*engine.Stack)) error {
	return s.atStop(func(_ *run, st *engine.Stack) { f(st) })
}

// Change is like [Session.At] for a function that changes something. A replay that passes this stop
// calls f again.
func (s *Session) Change(f func(*engine.Stack)) error {
	return s.change(func(_ *run, st *engine.Stack) { f(st) })
}

// Do runs a Redis command at a stop, as redis.call does. An error reply is a Value, not an error. A
// replay that passes this stop runs the command again.
func (s *Session) Do(args ...string) (v engine.Value, err error) {
	args = append([]string(nil), args...)
	err = s.change(func(r *run, _ *engine.Stack) { v = r.engineRun.Do(args...).Clone() })
	return v, err
}

func (s *Session) change(f func(*run, *engine.Stack)) error {
	return s.atStop(func(r *run, st *engine.Stack) {
		r.changes = append(r.changes, change{r.now, f})
		f(r, st)
	})
}
