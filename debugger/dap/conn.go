package dap

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/google/go-dap"
)

// conn is the connection of one client. It reads requests and has its parts serve them. The package
// comment says which goroutine may use what.
type conn struct {
	parts
	in       io.Reader
	messages chan message
	turns    chan func() // other goroutines' work for the connection's goroutine
	requests map[string]request
	tracker  *requestTracker

	disconnected bool   // the client has sent disconnect
	initialize   []byte // the initialize request, as it was received
	phase        phase
	target       target // nil before launch or attach
}

// parts are the parts of a connection that serve requests. Each of them owns its state.
type parts struct {
	*sender
	opts        Options
	ctx         context.Context // ends when the client disconnects
	client      *clientView
	sources     *sources
	run         *execution
	inspector   *inspector
	breakpoints *breakpoints
	report      *reporter
}

// phase is the progress of a connection.
type phase int

const (
	fresh       phase = iota // before initialize
	idle                     // before launch or attach
	configuring              // before configurationDone
	active
)

func newConn(ctx context.Context, o Options, in io.Reader, out io.Writer) *conn {
	ctx, cancel := context.WithCancel(ctx)
	c := &conn{in: in, messages: make(chan message, 1024), turns: make(chan func())}
	c.tracker = &requestTracker{cancelled: map[int]bool{}}
	p := &c.parts
	p.sender, p.opts, p.ctx, p.client = &sender{out: out, cancel: cancel}, o, ctx, &clientView{}
	vs := &variables{client: p.client, refs: map[int]container{}, frames: map[int]frameRef{}}
	p.sources = &sources{client: p.client, remote: o.Engine != nil && peerOf(in).Remote}
	p.run = &execution{ctx: ctx, engine: o.Engine, variables: vs, events: make(chan sessionEvent)}
	p.inspector = &inspector{
		ctx: ctx, client: p.client, run: p.run, sources: p.sources, variables: vs, tracker: c.tracker, format: o.Format,
	}
	p.breakpoints = &breakpoints{client: p.client, run: p.run, sources: p.sources, inspector: p.inspector, changed: c.stopsChanged}
	p.report = &reporter{sender: p.sender, client: p.client, sources: p.sources, formatReply: o.Format}
	c.requests = c.table()
	return c
}

// stopsChanged passes changed breakpoints and stops to the target.
func (c *conn) stopsChanged() {
	if c.target != nil {
		c.target.stopsChanged()
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
		case e := <-c.run.events:
			c.handleSessionEvent(e)
		case f := <-c.turns:
			f()
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
		raw, err := format.Read(r)
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
		c.respond(m, response)
	}
}

// release ends the debugging of all scripts when the client has disconnected.
func (c *conn) release() {
	c.cancel()
	if c.target != nil {
		c.target.release()
	}
}
