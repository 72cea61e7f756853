package dap

import (
	"errors"
	"fmt"
	"net"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// plan is what the engine's goroutine needs to know to choose which scripts of callers are debugged, and how. It is never changed.
type plan struct {
	every       bool // every script
	stopOnEntry bool
	stops       debugger.Stops
	sources     []source
}

// onAttach begins to debug the scripts that callers of the server's engine run, or hands the client over to the server at an address.
func (c *conn) onAttach(r *dap.AttachRequest) (dap.ResponseMessage, error) {
	a, err := c.readArguments(r.Arguments, true)
	if err != nil {
		return nil, err
	}
	if c.opts.Engine == nil {
		if a.Address == "" {
			return nil, errors.New("attribute address: it is needed, that of `redmoon serve --dap`")
		}
		return nil, c.bridge(r, a)
	}
	if err := c.patiently(func() error { return c.admit(a) }); err != nil {
		return nil, err
	}
	known := len(c.sources)
	if c.main, err = c.readScript(a); err != nil {
		c.sources = c.sources[:known]
		return nil, err
	}
	c.args, c.attached, c.phase = a, true, configuring
	c.replan()
	c.then(func() { c.event(&dap.InitializedEvent{}, "initialized") })
	return &dap.AttachResponse{}, nil
}

// admit refuses who may not debug scripts of others: as over RESP, a password is needed where the server has one, and the user must be allowed SCRIPT DEBUG.
func (c *conn) admit(a *arguments) error {
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

// peer tells where the client is.
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

// replan makes the plan anew, after what it is made of has changed.
func (c *conn) replan() {
	if c.gone {
		return
	}
	p := &plan{every: c.main == nil, stopOnEntry: c.args.StopOnEntry, stops: c.stops()}
	for _, s := range c.sources {
		p.sources = append(p.sources, *s)
	}
	c.plan.Store(p)
}

// choose says whether a caller's script is debugged, and how. It is called on the engine's goroutine.
func (c *conn) choose(call engine.ScriptCall) (o debugger.Options, ok bool) {
	p := c.plan.Load()
	if p == nil {
		return o, false
	}
	o = debugger.Options{Sync: true, StopOnEntry: p.stopOnEntry, Stops: p.stops}
	ok = p.every
	for i := range p.sources {
		if s := &p.sources[i]; s.is(call.Script) {
			o.Breakpoints, ok = s.placed, true
			break
		}
	}
	if ok && c.next.Swap(false) {
		o.StopOnEntry = true
	}
	return o, ok
}

// listen begins to wait for scripts of callers.
func (c *conn) listen() error {
	return c.patiently(func() error {
		detach, err := debugger.Attach(c.opts.Engine, c.choose, func(s *debugger.Session, call engine.ScriptCall) {
			select {
			case c.begun <- begun{s, call}:
			case <-c.ctx.Done():
				s.Close()
			}
		})
		if err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.gone {
			go detach()
		}
		c.detach = detach
		return nil
	})
}

// patiently calls what may have to wait for the engine, which another client's stopped script holds, until it is done or the client has gone.
func (c *conn) patiently(f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}

// letGo waits for no more scripts.
func (c *conn) letGo() {
	c.plan.Store(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone = true; c.detach != nil {
		go c.detach() // when the engine is free
		c.detach = nil
	}
}

// begin tells that a caller's script has begun.
func (c *conn) begin(b begun) {
	if c.run != nil { // the end of the one before is on its way
		c.waiting = append(c.waiting, b)
		return
	}
	c.threads++
	s, learned := c.sourceOf(b.call.Script)
	c.run = &debuggee{session: b.session, source: s, thread: c.threads, name: s.name}
	if b.call.Session != 0 { // else the program around the engine runs it
		c.run.name += fmt.Sprintf(" of client %d", b.call.Session)
	}
	c.event(&dap.ThreadEvent{Body: dap.ThreadEventBody{Reason: "started", ThreadId: c.threads}}, "thread")
	if learned {
		c.settle(s)
	}
	c.give() // what the client has set since the script was chosen
	c.watch(c.run)
}

// settle tells where the breakpoints of a source are whose text has become known.
func (c *conn) settle(s *source) {
	for i, b := range c.place(s) {
		b.Id = s.ids[i]
		if b.Verified {
			c.event(&dap.BreakpointEvent{Body: dap.BreakpointEventBody{Reason: "changed", Breakpoint: b}}, "breakpoint")
		}
	}
	c.replan()
}

// leave tells the end of a caller's script; others may come.
func (c *conn) leave(d *debuggee, e debugger.Ended) {
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
		c.begin(b)
	}
}
