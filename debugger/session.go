package debugger

import (
	"context"
	"errors"

	"github.com/redmoon-lua/redmoon/engine"
)

// Errors of a session.
var (
	ErrRunning = errors.New("debugger: the script is running")
	ErrEnded   = errors.New("debugger: the script has ended")
	ErrAtStart = errors.New("debugger: the script is at its first line")
	ErrNoStop  = errors.New("debugger: there was no such stop")
)

var errUnbuilt = errors.New("unbuilt")

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
	// Observer is told of everything before the session is, on the script's goroutine. What its Breakpoint gives counts for nothing. nil: nobody is.
	Observer engine.Debugger
}

// Breakpoint stops a script before it runs a line.
type Breakpoint struct {
	Line      int
	Condition string // a Lua expression, evaluated in the frame; "" always
	Hits      string // when to stop, by how often the line was reached with the condition true: "5", "==5", ">5", ">=5", "<5", "<=5", "%5"; "" always
	Log       string // in place of stopping, say this; {expression} in it gives values

	Problem string // why it can't be had: no code on that line or behind it, a condition that does not parse; "" else
}

// Errors says at which errors to stop.
type Errors int

// The choices.
const (
	NoErrors       Errors = iota
	UncaughtErrors        // those that end the script
	AllErrors
)

// Stops are further reasons to stop.
type Stops struct {
	Errors   Errors
	Commands []string // names of Redis commands, before which to stop; any case
	Keys     []string // glob patterns of keys, after a command has changed one of which to stop
	Values   []string // Lua expressions: to stop at the line after the value of one has changed
}

// Reason is why a script has stopped.
type Reason int

// The reasons.
const (
	Entry Reason = iota
	Step
	AtBreakpoint
	BreakpointCall // redis.breakpoint()
	PauseRequest
	Error       // Stop.Text is the error
	Command     // Stop.Text is the command
	KeyWrite    // Stop.Text is the key
	ValueChange // Stop.Text is the expression
	Back        // a step back has come to where it was to go
)

// Event is what a session tells: [Stopped], [Output], [Called] or [Ended].
type Event interface{ event() }

// Stopped tells that the script stands still.
type Stopped struct {
	Reason Reason
	Line   int
	Text   string // of the error, command, key or expression; of AtBreakpoint: why its condition could not be evaluated, or ""
	Index  int    // the number of this stop in the run, from 1; after a step back a lower one
}

// Output is text from the script.
type Output struct {
	Kind  OutputKind
	Level int // of redis.log: 0 (debug) to 3 (warning)
	Line  int
	Text  string
}

// OutputKind says where output comes from.
type OutputKind int

// The kinds of output.
const (
	LogOutput   OutputKind = iota // redis.log
	PrintOutput                   // redis.debug, and print in evaluated code
	LogpointOutput
)

// Ended tells that the script is over; it is the last event.
type Ended struct {
	Reply   engine.Value // of EVAL; an error reply is a Value
	Err     error        // of the engine: closed, cancelled
	Aborted bool         // by Abort
}

// Called tells of a redis.call, twice: when it is about to run, and when it has.
type Called struct{ Call Call }

func (Stopped) event() {}
func (Output) event()  {}
func (Ended) event()   {}
func (Called) event()  {}

// Call is one redis.call of the time line.
type Call struct {
	Line  int
	Args  []string
	Reply engine.Value
	Done  bool // false: it is about to run
}

// Session is one script that is debugged. Its methods may be called by any goroutine; those that need a stop return [ErrRunning] or [ErrEnded] where there is none.
type Session struct {
}

// Start begins to debug a script. Cancelling ctx aborts it. Events must be received until the last.
func Start(ctx context.Context, e *engine.Engine, t Target, o Options) (*Session, error) {
	panic(errUnbuilt)
}

// StartOn is Start with the database and user of a session.
func StartOn(ctx context.Context, s *engine.Session, t Target, o Options) (*Session, error) {
	panic(errUnbuilt)
}

// Attach debugs the scripts that callers of e run and choose accepts, on e itself, until detach is called. choose is asked on the engine's goroutine before each script and gives the
// options for it (Sync is taken as true); it must not wait. begun is called for each session, on a goroutine of its own. Several may be attached to one engine: the first whose choose accepts a script
// gets it. A session that has begun goes on after detach: end it by Detach or Abort.
func Attach(e *engine.Engine, choose func(engine.ScriptCall) (o Options, ok bool), begun func(*Session, engine.ScriptCall)) (detach func(), err error) {
	panic(errUnbuilt)
}

// Events are what happens. The channel is closed after [Ended].
func (s *Session) Events() <-chan Event { panic(errUnbuilt) }

// SetBreakpoints replaces the breakpoints, stopped or running. It returns them with the lines where they are: a line without code moves to the next that has some.
func (s *Session) SetBreakpoints(b []Breakpoint) []Breakpoint { panic(errUnbuilt) }

// SetStops replaces the further reasons to stop.
func (s *Session) SetStops(o Stops) { panic(errUnbuilt) }

// Lines are the lines of the script that have code, in order.
func (s *Session) Lines() []int { panic(errUnbuilt) }

// Continue goes on to the next stop.
func (s *Session) Continue() error { panic(errUnbuilt) }

// StepIn goes on to the next line reached.
func (s *Session) StepIn() error { panic(errUnbuilt) }

// StepOver goes on to the next line of this function or of one that called it.
func (s *Session) StepOver() error { panic(errUnbuilt) }

// StepOut goes on to the next line of a function that called this one.
func (s *Session) StepOut() error { panic(errUnbuilt) }

// StepBack goes to the line that was reached before this one, by a new run from the beginning: see [Session.Diverged].
func (s *Session) StepBack() error { panic(errUnbuilt) }

// ContinueBack goes to the last line before this one that has a breakpoint, or to the first.
func (s *Session) ContinueBack() error { panic(errUnbuilt) }

// BackTo goes to stop number index of this run.
func (s *Session) BackTo(index int) error { panic(errUnbuilt) }

// Restart runs the script anew from the state before it.
func (s *Session) Restart() error { panic(errUnbuilt) }

// Diverged is nil, or why a run that was to be the same as the one before was not.
func (s *Session) Diverged() error { panic(errUnbuilt) }

// Pause stops a running script at the next line.
func (s *Session) Pause() { panic(errUnbuilt) }

// Close is for who does not want to receive any more: it ends a script that [Start] began, and lets go on one that [Attach] has stopped. Events that nobody has
// received are dropped.
func (s *Session) Close() { panic(errUnbuilt) }

// Abort ends the script, stopped or running, and waits for the end.
func (s *Session) Abort() { panic(errUnbuilt) }

// Raise goes on with an error at the line where the script stands, as redis.call would raise it; see [engine.Stack.Raise]. Where a pcall of the script catches it, the script goes
// on as after Continue.
func (s *Session) Raise(text string) error { panic(errUnbuilt) }

// Detach lets the script run to its end without stopping again.
func (s *Session) Detach() { panic(errUnbuilt) }

// At calls f with the stopped script's functions, on the script's goroutine, and waits for it. What f learns of the stack must not be kept, values (engine.LuaValue) may until the script goes on.
func (s *Session) At(f func(*engine.Stack)) error { panic(errUnbuilt) }

// Change is At for a function that changes something: a later run that passes this stop (see [Session.StepBack]) calls f again there, so that it goes the same way.
func (s *Session) Change(f func(*engine.Stack)) error { panic(errUnbuilt) }

// Watch adds an expression to those that Watches evaluates, and returns a number for it, from 1.
func (s *Session) Watch(expression string) int { panic(errUnbuilt) }

// Unwatch removes an expression by its number.
func (s *Session) Unwatch(id int) { panic(errUnbuilt) }

// Watched is an expression and its value at a stop.
type Watched struct {
	ID         int
	Expression string
	Text       string // the values as people read them, see Format; or an error's text
	Failed     bool
}

// Watches evaluates the watched expressions in the innermost frame, or in frame number level.
func (s *Session) Watches(level int) ([]Watched, error) { panic(errUnbuilt) }

// Format is a value of a script as people read it, in the manner of Lua: "text", {1, 2, x = {…}}. It is cut to about limit bytes; 0: no limit.
func Format(v engine.LuaValue, limit int) string { panic(errUnbuilt) }

// Do runs a Redis command at a stop, as redis.call would. A later run that passes this stop runs it again, as with Change.
func (s *Session) Do(args ...string) (engine.Value, error) { panic(errUnbuilt) }

// Calls are the redis.calls made so far, to the present stop, or to the end.
func (s *Session) Calls() ([]Call, error) { panic(errUnbuilt) }

// Touched are the keys changed so far, to the present stop, or to the end.
func (s *Session) Touched() ([]engine.TouchedKey, error) { panic(errUnbuilt) }

// Where is the last stop.
func (s *Session) Where() (Stopped, error) { panic(errUnbuilt) }
