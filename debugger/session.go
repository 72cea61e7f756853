package debugger

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/engine"
)

// Errors of a session.
var (
	ErrRunning = errors.New("debugger: the script is running")
	ErrEnded   = errors.New("debugger: the script has ended")
	ErrAtStart = errors.New("debugger: the script is at its first line")
	ErrNoStop  = errors.New("debugger: there was no such stop")
)

// Target is what to debug.
type Target struct {
	Script     *engine.Script
	Keys, Args []string
}

// Options of a session.
type Options struct {
	// Sync runs the script on the engine itself, which serves nobody else meanwhile, and leaves its changes there. Otherwise it runs on a fork.
	Sync bool
	// StopOnEntry stops before the first line.
	StopOnEntry bool
	// Breakpoints and Stops hold from the start.
	Breakpoints []Breakpoint
	Stops       Stops
	// Calls tells of each redis.call by [Called].
	Calls bool
	// Observer is told of everything before the session is, on the script's goroutine, but for what is run once more to go back. What its Breakpoint gives counts for nothing. nil: nobody is.
	Observer engine.Debugger
}

// Session is one script that is debugged. Its methods may be called by any goroutine; those that need a stop return [ErrRunning] or [ErrEnded] where there is none.
type Session struct {
	options  Options
	attached bool
	lines    []int // that have code
	broken   error // why there are none: the script does not compile
	events   *queue
	cancel   context.CancelFunc // ends a call that is not begun yet

	settings atomic.Pointer[settings]
	asked    atomic.Uint32                   // of the askings
	on       atomic.Pointer[engine.DebugRun] // nil: the engine has not begun to run the script
	eval     atomic.Pointer[engine.Stack]    // where the debugger may be evaluating something; nil: nowhere

	mu     sync.Mutex // guards what follows
	stop   *stop      // nil: the script is running, or has ended
	where  Stopped
	ended  bool
	calls  []Call // of the run, once it has ended
	keys   []engine.TouchedKey
	drift  error // see Diverged
	watch  []watched
	nextID int

	done chan struct{} // closed when the script has ended

	aim aim // of the run to come; the engine's goroutine alone uses it
}

// What a session is asked while its script is running, which it looks at before each line, call and error.
const (
	pauseAsked uint32 = 1 << iota
	abortAsked
	restartAsked
	detached // for good
)

func newSession(source string, o Options) *Session {
	s := &Session{options: o, events: newQueue(), cancel: func() {}, done: make(chan struct{})}
	s.lines, s.broken = engine.ScriptLines(source)
	s.settings.Store(&settings{})
	s.SetBreakpoints(o.Breakpoints)
	s.SetStops(o.Stops)
	return s
}

// Events are what happens. The channel is closed after [Ended]. They are kept until they are received: who does not receive to the end calls [Session.Close].
func (s *Session) Events() <-chan Event { return s.events.out }

// Lines are the lines of the script that have code, in order.
func (s *Session) Lines() []int { return s.lines }

// Pause stops a running script at the next line.
func (s *Session) Pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil {
		s.asked.Or(pauseAsked)
	}
}

// Abort ends the script, stopped or running, and waits for the end.
func (s *Session) Abort() {
	s.asked.Or(abortAsked)
	if on := s.on.Load(); on != nil {
		on.Interrupt(abortText)
	} else {
		s.cancel()
	}
	_ = s.Continue()
	<-s.done
}

// Detach lets the script run to its end without stopping again.
func (s *Session) Detach() {
	s.asked.Or(detached)
	s.Interrupt()
	_ = s.Continue()
}

// Interrupt ends what is being evaluated at the stop, if anything, with an error. It is for evaluations that take too long.
func (s *Session) Interrupt() {
	if st := s.eval.Load(); st != nil {
		st.CancelEval("evaluation interrupted")
	}
}

// Close is for who does not want to receive any more: it ends a script that [Start] began, and lets go on one that [Attach] has stopped. Events that nobody has
// received are dropped.
func (s *Session) Close() {
	if s.attached {
		s.Detach()
	} else {
		s.Abort()
	}
	s.events.drop()
}

// Where is the last stop.
func (s *Session) Where() (Stopped, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.where, s.moving()
}

// moving is nil where the script stands still. s.mu must be held.
func (s *Session) moving() error {
	switch {
	case s.ended:
		return ErrEnded
	case s.stop == nil:
		return ErrRunning
	}
	return nil
}

// Calls are the redis.calls made so far, to the present stop, or to the end.
func (s *Session) Calls() (calls []Call, err error) {
	err = s.at(func(r *run, _ *engine.Stack) { calls = append(calls, r.calls...) })
	if err == ErrEnded {
		return s.calls, nil
	}
	return calls, err
}

// Touched are the keys changed so far, to the present stop, or to the end.
func (s *Session) Touched() (keys []engine.TouchedKey, err error) {
	err = s.at(func(r *run, _ *engine.Stack) { keys = append(keys, r.on.Touched()...) })
	if err == ErrEnded {
		return s.keys, nil
	}
	return keys, err
}

// At calls f with the stopped script's functions, on the script's goroutine, and waits for it. What f learns of the stack must not be kept, values (engine.LuaValue) may until the script goes
// on. f must not call the session.
func (s *Session) At(f func(*engine.Stack)) error {
	return s.at(func(_ *run, st *engine.Stack) { f(st) })
}

// Change is At for a function that changes something: a later run that passes this stop (see [Session.StepBack]) calls f again there, so that it goes the same way.
func (s *Session) Change(f func(*engine.Stack)) error {
	return s.change(func(_ *run, st *engine.Stack) { f(st) })
}

// Do runs a Redis command at a stop, as redis.call would; an error reply is a Value. A later run that passes this stop runs it again, as with Change.
func (s *Session) Do(args ...string) (v engine.Value, err error) {
	args = append([]string(nil), args...)
	err = s.change(func(r *run, _ *engine.Stack) { v = r.on.Do(args...).Clone() })
	return v, err
}

func (s *Session) change(f func(*run, *engine.Stack)) error {
	return s.at(func(r *run, st *engine.Stack) {
		r.changes = append(r.changes, change{r.now, f})
		f(r, st)
	})
}
