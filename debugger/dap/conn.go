package dap

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// conn is one client. See the package's comment for who may touch what.
type conn struct {
	opts   Options
	ctx    context.Context // ends when the client goes away
	cancel context.CancelFunc
	in     io.Reader
	out    io.Writer
	seq    int

	messages chan message
	events   chan sessionEvent
	begun    chan begun
	over     bool // the client has disconnected
	broken   error
	after    []func() // to be done when the response has been sent

	mu        sync.Mutex        // guards what follows
	cancelled map[int]bool      // requests that are not to be handled any more
	handling  int               // the request that is
	inside    *debugger.Session // whose script the request looks at; nil: none
	detach    func()            // of attach

	client     dap.InitializeRequestArguments
	initialize []byte // the request, as it came
	phase      phase
	attached   bool // by attach, not launch
	args       *arguments

	// What is debugged.
	main       *source // nil: every script
	sources    []*source
	run        *debuggee // nil: none at present
	waiting    []begun   // those that began before the end of run was told
	threads    int       // how many there have been
	ids        int       // of breakpoints
	functions  []named
	data       []named
	exceptions debugger.Errors

	own  *engine.Engine // of launch
	gone bool           // no more scripts are waited for
	plan atomic.Pointer[plan]
	next atomic.Bool // the next script is to stop on entry

	refs   map[int]container // of the present stop
	lastID int               // of refs and frames; they are never used again
	frames map[int]frameRef  // those that the client knows, of the present stop
}

// phase is how far a client has come.
type phase int

const (
	fresh       phase = iota // before initialize
	idle                     // before launch or attach
	configuring              // before configurationDone
	active
	ended // a script that was launched has ended
)

// debuggee is a script that is debugged.
type debuggee struct {
	session *debugger.Session
	source  *source
	thread  int
	name    string
	stop    *debugger.Stopped // nil: it runs
}

type sessionEvent struct {
	of    *debuggee
	event debugger.Event
}

// begun is a script of a caller that has begun.
type begun struct {
	session *debugger.Session
	call    engine.ScriptCall
}

func newConn(ctx context.Context, o Options, in io.Reader, out io.Writer) *conn {
	ctx, cancel := context.WithCancel(ctx)
	return &conn{opts: o, ctx: ctx, cancel: cancel, in: in, out: out, messages: make(chan message, 1024), events: make(chan sessionEvent),
		begun: make(chan begun), cancelled: map[int]bool{}, refs: map[int]container{}, frames: map[int]frameRef{}}
}

// loop serves the client to the end, or until ctx ends.
func (c *conn) loop(ctx context.Context) error {
	defer c.cancel()
	if closer, ok := c.in.(io.Closer); ok {
		defer context.AfterFunc(ctx, func() { _ = closer.Close() })()
	}
	problem := make(chan error, 1)
	go func() { problem <- c.read() }()
	defer c.release()
	for !c.over && c.broken == nil {
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
			c.tell(e)
		case b := <-c.begun:
			c.begin(b)
		case <-ctx.Done():
			return c.broken
		}
	}
	return c.broken
}

// read reads the client's messages until there are none, and tells that it has gone.
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
			c.stop(cancel.Arguments.RequestId)
		}
		select {
		case c.messages <- m:
		case <-c.ctx.Done():
			return nil
		}
	}
}

// stop takes a request back: one that waits is not handled, an expression that runs is ended.
func (c *conn) stop(seq int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancelled[seq] = true
	if c.handling == seq && c.inside != nil {
		c.inside.Interrupt()
	}
}

// wasCancelled reports whether the client does not want request number seq to be handled.
func (c *conn) wasCancelled(seq int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cancelled[seq]
}

// handle handles one message.
func (c *conn) handle(m message) {
	c.after = nil
	c.mu.Lock()
	c.handling = m.Seq
	c.mu.Unlock()
	switch {
	case m.problem != "":
		c.refuse(m, m.problem)
	case m.request == nil: // a response or an event; nothing was asked
	case c.wasCancelled(m.Seq):
		c.refuse(m, errCancelled.Error())
	default:
		response, err := c.serve(m)
		if err != nil && c.wasCancelled(m.Seq) {
			err = errCancelled
		}
		if err != nil {
			c.refuse(m, err.Error())
			return
		}
		if response == nil {
			return // another process answers
		}
		r := response.GetResponse()
		r.Type, r.RequestSeq, r.Command, r.Success = "response", m.Seq, m.Command, true
		c.send(response, &r.Seq)
		for _, f := range c.after {
			f()
		}
	}
}

// refuse answers a request with an error.
func (c *conn) refuse(m message, why string) {
	why = strings.TrimPrefix(why, "debugger: ")
	r := &dap.ErrorResponse{}
	r.Type, r.RequestSeq, r.Command, r.Message = "response", m.Seq, m.Command, why
	// The format is a template in which {name} stands for a variable.
	r.Body.Error = &dap.ErrorMessage{Id: 1, Format: "{text}", Variables: map[string]string{"text": why}, ShowUser: m.Command == "launch" || m.Command == "attach"}
	c.send(r, &r.Seq)
}

// event sends an event.
func (c *conn) event(e dap.EventMessage, name string) {
	head := e.GetEvent()
	head.Type, head.Event = "event", name
	c.send(e, &head.Seq)
}

// send numbers and writes a message.
func (c *conn) send(m dap.Message, seq *int) {
	c.seq++
	*seq = c.seq
	b, err := json.Marshal(m)
	if err == nil {
		err = writeMessage(c.out, b)
	}
	if err != nil && c.broken == nil {
		c.broken = fmt.Errorf("dap: a client can't be written to: %w", err)
		c.cancel()
	}
}

// then has f called when the response has been sent.
func (c *conn) then(f func()) { c.after = append(c.after, f) }

// watch moves the events of a session to the connection's goroutine.
func (c *conn) watch(d *debuggee) {
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

// release lets go of everything that is debugged, when the client has gone or disconnected.
func (c *conn) release() {
	c.cancel()
	c.letGo()
	if c.run != nil {
		c.run.session.Close()
	}
	for _, b := range c.waiting {
		b.session.Close()
	}
	if c.own != nil {
		_ = c.own.Close()
	}
}
