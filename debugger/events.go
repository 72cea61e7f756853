package debugger

import (
	"errors"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/queue"
)

// Event is one of [Stopped], [Output], [Called] and [Ended].
type Event interface{ event() }

// Stopped is sent when the script has stopped.
type Stopped struct {
	// Reason is why the script has stopped.
	Reason Reason
	// Line is the line that is about to run, or the line of the call, write or error, from 1.
	Line int
	// Text depends on Reason: the error, command, key or expression. For [ReasonBreakpoint] it is
	// the error of a condition that could not be evaluated, or "". For [ReasonBack] it is how the
	// replay has diverged, or "".
	Text string
	// Index is the number of the stop within the run, from 1. It is lower after the script has gone
	// back.
	Index int
}

// Reason is why a script has stopped.
type Reason int

// The reasons.
const (
	ReasonEntry          Reason = iota // before the first line, with Options.StopOnEntry
	ReasonStep                         // a step has ended
	ReasonBreakpoint                   // before a line with a breakpoint
	ReasonBreakpointCall               // at the first line after a call of redis.breakpoint()
	ReasonPause                        // at the first line after Session.Pause
	ReasonError                        // at an error: Stopped.Text
	ReasonCommand                      // before a command: Stopped.Text is its name in lower case
	ReasonKeyWrite                     // after a command has changed a key: Stopped.Text
	ReasonValueChange                  // after the value of an expression has changed: Stopped.Text
	ReasonBack                         // at the target of StepBack, ContinueBack or BackTo
	ReasonEnd                          // at the end of the script, with Options.StopAtEnd
)

var reasonNames = [...]string{
	"entry", "step", "breakpoint", "redis.breakpoint()", "pause", "error", "command", "key", "value", "back", "end",
}

// String returns a word or two for the reason.
func (r Reason) String() string {
	if r < 0 || int(r) >= len(reasonNames) {
		return "unknown"
	}
	return reasonNames[r]
}

// Output is sent for text that the script or a logpoint writes.
type Output struct {
	Kind  OutputKind
	Level int // of redis.log, from 0 (debug) to 3 (warning); otherwise 0
	Line  int // of the call or logpoint, from 1
	Text  string
}

// OutputKind is a source of output.
type OutputKind int

// The kinds of output.
const (
	OutputLog      OutputKind = iota // redis.log
	OutputPrint                      // redis.debug, and print in code that the debugger evaluates
	OutputLogpoint                   // a breakpoint with Breakpoint.Log
)

// Ended is the last event of a session: the script has ended.
type Ended struct {
	Reply   engine.Value // of the script; an error reply is a Value
	Err     error        // why there is no reply: the engine was closed or the call was cancelled
	Aborted bool         // Session.Abort has ended the script
	// Left is what the script has written, if it has failed after that: it stays, except on a fork.
	// Otherwise it is nil.
	Left *engine.ScriptError
}

// Called is sent before and after each redis.call if Options.Calls is set.
type Called struct{ Call Call }

// Call is a call of redis.call or redis.pcall.
type Call struct {
	Line  int          // from 1
	Args  []string     // the name of the command and its arguments
	Reply engine.Value // valid if Done is set
	Done  bool         // false before the call
}

func (Stopped) event() {}
func (Output) event()  {}
func (Ended) event()   {}
func (Called) event()  {}

// eventQueue delivers events in order, without blocking the sender.
type eventQueue struct {
	q   *queue.Queue[Event]
	out chan Event
}

// errDropped closes the queue of a session whose events nobody receives any more.
var errDropped = errors.New("debugger: events are dropped")

// newQueue starts the pump itself, because the script's goroutine may be in another bubble of
// testing/synctest than the receiver.
func newQueue() *eventQueue {
	e := &eventQueue{out: make(chan Event)}
	e.q = queue.New(queue.Consumer[Event]{Deliver: e.deliver, End: func() { close(e.out) }})
	e.q.Start()
	return e
}

func (e *eventQueue) put(event Event) { e.q.Put(event, 0, 0) }

// end closes the channel after the last event has been received.
func (e *eventQueue) end() { e.q.End() }

// drop discards the events and closes the channel immediately.
func (e *eventQueue) drop() { e.q.Close(errDropped) }

// deliver sends events to the receiver until the queue is dropped.
func (e *eventQueue) deliver(events []Event) {
	over := e.q.Over()
	for _, event := range events {
		select {
		case e.out <- event:
		case <-over:
			return
		}
	}
}
