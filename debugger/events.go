package debugger

import (
	"sync"

	"github.com/redmoon-lua/redmoon/engine"
)

// Event is what a session tells: [Stopped], [Output], [Called] or [Ended].
type Event interface{ event() }

// Stopped tells that the script stands still.
type Stopped struct {
	Reason Reason
	Line   int    // that is about to run, or in which a call or an error is
	Text   string // of the error, command, key or expression; of AtBreakpoint: why its condition could not be evaluated, or ""; of Back: how the run has diverged, or ""
	Index  int    // the number of this stop in the run, from 1; after a step back a lower one
}

// Reason is why a script has stopped.
type Reason int

// The reasons.
const (
	Entry Reason = iota
	Step
	AtBreakpoint
	BreakpointCall // redis.breakpoint(), at the next line that is reached
	PauseRequest
	Error       // Stopped.Text is the error
	Command     // Stopped.Text is the command
	KeyWrite    // Stopped.Text is the key
	ValueChange // Stopped.Text is the expression
	Back        // a step back has come to where it was to go
)

var reasonNames = [...]string{"entry", "step", "breakpoint", "redis.breakpoint()", "pause", "error", "command", "key", "value", "back"}

// String is a word or two for the reason.
func (r Reason) String() string {
	if r < 0 || int(r) >= len(reasonNames) {
		return "unknown"
	}
	return reasonNames[r]
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

// Call is one redis.call of the time line.
type Call struct {
	Line  int
	Args  []string
	Reply engine.Value
	Done  bool // false: it is about to run
}

func (Stopped) event() {}
func (Output) event()  {}
func (Ended) event()   {}
func (Called) event()  {}

// queue hands events on in their order, without making who puts them wait.
type queue struct {
	out  chan Event
	gone chan struct{} // closed by drop

	mu     sync.Mutex
	more   sync.Cond // items or over have changed
	items  []Event
	over   bool // nothing is put any more
	unread bool // nobody receives any more
}

func newQueue() *queue {
	q := &queue{out: make(chan Event), gone: make(chan struct{})}
	q.more.L = &q.mu
	go q.pump()
	return q
}

func (q *queue) put(e Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.over {
		q.items = append(q.items, e)
		q.more.Signal()
	}
}

// end closes out when all has been received.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	q.more.Signal()
}

// drop closes out at once.
func (q *queue) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.unread {
		q.unread = true
		close(q.gone)
	}
	q.over, q.items = true, nil
	q.more.Signal()
}

// pump is a goroutine of each session, until the last event has been received or dropped.
func (q *queue) pump() {
	defer close(q.out)
	for {
		q.mu.Lock()
		for len(q.items) == 0 && !q.over {
			q.more.Wait()
		}
		items := q.items
		q.items = nil
		q.mu.Unlock()
		if len(items) == 0 {
			return
		}
		for _, e := range items {
			select {
			case q.out <- e:
			case <-q.gone:
				return
			}
		}
	}
}
