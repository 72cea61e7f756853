package dap

import (
	"errors"
	"fmt"
	"net"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// attachPlan says which scripts of callers are debugged, and how. The engine's goroutine reads it;
// it is immutable.
type attachPlan struct {
	every       bool // debug every script
	stopOnEntry bool
	stops       debugger.Stops
	sources     []source
}

// onAttach begins to debug the scripts that callers of the server's engine run. A server without an
// engine connects the client with the server at the attribute address.
func (c *conn) onAttach(r *dap.AttachRequest) (dap.ResponseMessage, error) {
	a, err := c.readArguments(r.Arguments, true)
	if err != nil {
		return nil, err
	}
	if c.opts.Engine == nil {
		if a.Address == "" {
			return nil, errors.New("attribute address: missing; give the address of `redmoon serve --dap`")
		}
		return nil, c.bridge(r, a)
	}
	if err := c.waitFor(func() error { return c.authorize(a) }); err != nil {
		return nil, err
	}
	known := len(c.sources)
	if c.mainSource, err = c.readScript(a); err != nil {
		c.sources = c.sources[:known]
		return nil, err
	}
	c.args, c.attached, c.phase = a, true, configuring
	c.updatePlan()
	c.afterResponse(func() { c.event(&dap.InitializedEvent{}, "initialized") })
	return &dap.AttachResponse{}, nil
}

// authorize checks that the client may debug. As over RESP, it must give a password if the server
// has one, and the user must be allowed to call SCRIPT DEBUG.
func (c *conn) authorize(a *arguments) error {
	sess, err := c.opts.Engine.OpenSession(c.peer())
	if err != nil {
		return err
	}
	defer sess.Close()
	if a.given["password"] || a.given["user"] {
		login := []string{"AUTH", a.User, a.Password}
		if !a.given["user"] {
			login = []string{"AUTH", a.Password}
		}
		if _, err := sess.DoStrings(c.ctx, login...); err != nil {
			return fmt.Errorf("attributes user and password: %w", err)
		}
	}
	_, err = sess.DoStrings(c.ctx, "SCRIPT", "DEBUG", "NO")
	return err
}

// peer returns the addresses of the connection.
func (c *conn) peer() engine.SessionInfo {
	info := engine.SessionInfo{Addr: "debug-adapter"}
	if nc, ok := c.in.(net.Conn); ok {
		info.Addr, info.LAddr = nc.RemoteAddr().String(), nc.LocalAddr().String()
		if tcp, ok := nc.RemoteAddr().(*net.TCPAddr); ok {
			info.Remote = !tcp.IP.IsLoopback()
		}
	}
	return info
}

// updatePlan makes a new plan after something that it depends on has changed.
func (c *conn) updatePlan() {
	if c.released {
		return
	}
	p := &attachPlan{every: c.mainSource == nil, stopOnEntry: c.args.StopOnEntry, stops: c.stops()}
	for _, s := range c.sources {
		p.sources = append(p.sources, *s)
	}
	c.plan.Store(p)
}

// choose decides whether a caller's script is debugged, and returns its options. The engine's
// goroutine calls it.
func (c *conn) choose(call engine.ScriptCall) (o debugger.Options, ok bool) {
	p := c.plan.Load()
	if p == nil {
		return o, false
	}
	o = debugger.Options{Sync: true, StopOnEntry: p.stopOnEntry, Stops: p.stops}
	ok = p.every
	for i := range p.sources {
		if s := &p.sources[i]; s.matches(call.Script) {
			o.Breakpoints, ok = s.resolved, true
			break
		}
	}
	if ok && c.stopNext.Swap(false) {
		o.StopOnEntry = true
	}
	return o, ok
}

// listen begins to intercept scripts of callers.
func (c *conn) listen() error {
	return c.waitFor(func() error {
		detach, err := debugger.Attach(c.opts.Engine, c.choose, func(s *debugger.Session, call engine.ScriptCall) {
			select {
			case c.begun <- beginning{s, call}:
			case <-c.ctx.Done():
				s.Close()
			}
		})
		if err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.released {
			go detach()
		}
		c.detach = detach
		return nil
	})
}

// waitFor calls f, which may have to wait for the engine while another client's script is stopped.
// It returns when f returns or the client disconnects.
func (c *conn) waitFor(f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}

// stopIntercepting ends the interception of scripts.
func (c *conn) stopIntercepting() {
	c.plan.Store(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.released = true; c.detach != nil {
		go c.detach() // when the engine is free
		c.detach = nil
	}
}

// callBegan announces that a caller's script has begun.
func (c *conn) callBegan(b beginning) {
	if c.run != nil {
		c.waiting = append(c.waiting, b)
		return
	}
	c.threads++
	s, isNew := c.sourceOf(b.call.Script)
	c.run = &debuggee{session: b.session, source: s, thread: c.threads, name: s.name}
	if b.call.Session != 0 { // otherwise the program around the engine runs it
		c.run.name += fmt.Sprintf(" of client %d", b.call.Session)
	}
	c.event(&dap.ThreadEvent{Body: dap.ThreadEventBody{Reason: "started", ThreadId: c.threads}}, "thread")
	if isNew {
		c.announceBreakpoints(s)
	}
	c.applyStops() // what the client has set since the script was chosen
	c.forwardEvents(c.run)
}

// announceBreakpoints sends the actual lines of a source's breakpoints after its text has become
// known.
func (c *conn) announceBreakpoints(s *source) {
	for i, b := range c.resolveBreakpoints(s) {
		b.Id = s.ids[i]
		if b.Verified {
			c.event(&dap.BreakpointEvent{Body: dap.BreakpointEventBody{Reason: "changed", Breakpoint: b}}, "breakpoint")
		}
	}
	c.updatePlan()
}

// callEnded announces the end of a caller's script. Other scripts may follow.
func (c *conn) callEnded(d *debuggee, e debugger.Ended) {
	switch {
	case e.Err != nil:
		c.say("stderr", e.Err.Error()+"\n", nil, 0)
	case e.Reply.IsError():
		c.sayError(d, e.Reply)
	default:
		c.say("console", c.format(e.Reply), nil, 0)
	}
	c.run = nil
	c.event(&dap.ThreadEvent{Body: dap.ThreadEventBody{Reason: "exited", ThreadId: d.thread}}, "thread")
	switch {
	case errors.Is(e.Err, engine.ErrClosed) || c.plan.Load() == nil:
		c.event(&dap.TerminatedEvent{}, "terminated")
	case len(c.waiting) > 0:
		b := c.waiting[0]
		c.waiting = c.waiting[1:]
		c.callBegan(b)
	}
}
