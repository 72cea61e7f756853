package dap

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// conn is the connection of one client. The package comment says which goroutine may use which
// field.
type conn struct {
	sender
	opts Options
	ctx  context.Context // ends when the client disconnects
	in   io.Reader

	messages     chan message
	events       chan sessionEvent
	begun        chan beginning
	disconnected bool     // the client has sent disconnect
	deferred     []func() // called after the response has been sent

	tracker requestTracker

	mu       sync.Mutex // guards what follows
	detach   func()     // ends the interception of scripts
	released bool       // scripts are no longer intercepted

	client     clientView
	initialize []byte // the initialize request, as it was received
	phase      phase
	attached   bool // by attach, not by launch
	args       *arguments

	// What is debugged.
	mainSource *source // the script to debug; nil: every script
	sources    []*source
	run        *debuggee   // nil: no script is in progress
	waiting    []beginning // scripts that began before the end of run was handled
	threads    int         // number of scripts so far
	ids        int         // last id of a breakpoint
	functions  []stopPoint
	data       []stopPoint
	exceptions debugger.ErrorFilter

	ownEngine *engine.Engine // engine of a launched script
	plan      atomic.Pointer[attachPlan]
	stopNext  atomic.Bool // the next script stops on entry

	refs   map[int]container // containers at the current stop
	lastID int               // last id in refs and frames; ids are not reused
	frames map[int]frameRef  // frames that the client knows, at the current stop
}

// phase is the progress of a connection.
type phase int

const (
	fresh       phase = iota // before initialize
	idle                     // before launch or attach
	configuring              // before configurationDone
	active
	ended // the launched script has ended
)

// debuggee is a script that is being debugged.
type debuggee struct {
	session *debugger.Session
	source  *source
	thread  int
	name    string
	stop    *debugger.Stopped // nil: the script is running
}

type sessionEvent struct {
	of    *debuggee
	event debugger.Event
}

// beginning is a script of a caller that has begun.
type beginning struct {
	session *debugger.Session
	call    engine.ScriptCall
}

func newConn(ctx context.Context, o Options, in io.Reader, out io.Writer) *conn {
	ctx, cancel := context.WithCancel(ctx)
	return &conn{
		sender: sender{out: out, cancel: cancel}, opts: o, ctx: ctx, in: in,
		messages: make(chan message, 1024), events: make(chan sessionEvent), begun: make(chan beginning),
		tracker: requestTracker{cancelled: map[int]bool{}}, refs: map[int]container{}, frames: map[int]frameRef{},
	}
}

// loop serves the client until it disconnects or ctx ends.
func (c *conn) loop(ctx context.Context) error {
	defer c.cancel()
	if closer, ok := c.in.(io.Closer); ok {
		defer context.AfterFunc(ctx, func() { _ = closer.Close() })()
	}
	problem := make(chan error, 1)
	go func() { problem <- c.read() }()
	defer c.release()
	for !c.disconnected && c.broken == nil {
		select {
		case m, ok := <-c.messages:
			if !ok {
				err := <-problem
				if errors.Is(err, errFraming) {
					c.refuse(message{}, err.Error())
				}
				return errors.Join(err, c.broken)
			}
			c.handle(m)
		case e := <-c.events:
			c.handleSessionEvent(e)
		case b := <-c.begun:
			c.callBegan(b)
		case <-ctx.Done():
			return c.broken
		}
	}
	return c.broken
}

// read reads the client's messages until the end of the input.
func (c *conn) read() error {
	defer c.cancel()
	defer close(c.messages)
	r := bufio.NewReader(c.in)
	for {
		raw, err := readMessage(r)
		switch {
		case errors.Is(err, io.EOF) || err != nil && c.ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		m := decode(raw)
		if cancel, ok := m.request.(*dap.CancelRequest); ok && cancel.Arguments != nil && cancel.Arguments.RequestId != 0 {
			c.tracker.cancelRequest(cancel.Arguments.RequestId)
		}
		select {
		case c.messages <- m:
		case <-c.ctx.Done():
			return nil
		}
	}
}

// handle handles one message.
func (c *conn) handle(m message) {
	c.deferred = nil
	c.tracker.begin(m.Seq)
	switch {
	case m.problem != "":
		c.refuse(m, m.problem)
	case m.request == nil: // a response or an event needs no response
	case c.tracker.wasCancelled(m.Seq):
		c.refuse(m, errCancelled.Error())
	default:
		response, err := c.serve(m)
		if err != nil && c.tracker.wasCancelled(m.Seq) {
			err = errCancelled
		}
		if err != nil {
			c.refuse(m, err.Error())
			return
		}
		if response == nil {
			return // the other adapter responds
		}
		r := response.GetResponse()
		r.Type, r.RequestSeq, r.Command, r.Success = "response", m.Seq, m.Command, true
		c.send(response, &r.Seq)
		for _, f := range c.deferred {
			f()
		}
	}
}

// afterResponse calls f after the response has been sent.
func (c *conn) afterResponse(f func()) { c.deferred = append(c.deferred, f) }

// forwardEvents passes the events of a session to the connection's goroutine.
func (c *conn) forwardEvents(d *debuggee) {
	go func() {
		for e := range d.session.Events() {
			select {
			case c.events <- sessionEvent{d, e}:
			case <-c.ctx.Done():
				return
			}
		}
	}()
}

// release ends the debugging of all scripts when the client has disconnected.
func (c *conn) release() {
	c.cancel()
	c.stopIntercepting()
	if c.run != nil {
		c.run.session.Close()
	}
	for _, b := range c.waiting {
		b.session.Close()
	}
	if c.ownEngine != nil {
		_ = c.ownEngine.Close()
	}
}
