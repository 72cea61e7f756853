package dap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// attached is the target of a client that debugs the scripts of other callers.
type attached struct {
	*parts
	args        *arguments
	script      *source // the script to debug; nil: every script
	interceptor interceptor
	turns       chan<- func()
	login       *engine.Session
	waiting     []beginning // scripts that began before the end of the current one was handled
}

// beginning is a script of a caller that has begun.
type beginning struct {
	session *debugger.Session
	call    engine.ScriptCall
}

// onAttach begins to debug the scripts that callers of the server's engine run. A server without an
// engine connects the client with the server at the attribute address.
func (c *conn) onAttach(r *dap.AttachRequest) (dap.ResponseMessage, error) {
	args, err := c.readArguments(r.Arguments, true)
	if err != nil {
		return nil, err
	}
	if c.opts.Engine == nil {
		if args.Address == "" {
			return nil, errors.New("attribute address: missing; give the address of `redmoon serve --dap`")
		}
		return nil, c.bridge(r, args)
	}
	login, err := c.authorize(args)
	if err != nil {
		return nil, err
	}
	script, err := c.sources.read(args)
	if err != nil {
		go login.Close()
		return nil, err
	}
	a := &attached{parts: &c.parts, args: args, script: script, turns: c.turns, login: login}
	a.interceptor.login = login
	a.updatePlan()
	c.target, c.phase = a, configuring
	c.afterResponse(func() { c.event(&dap.InitializedEvent{}, "initialized") })
	return &dap.AttachResponse{}, nil
}

// authorize checks that the client may debug, and returns the session of its user. As over RESP, it
// must give a password if the server has one, and the user must be allowed to call SCRIPT DEBUG.
func (c *conn) authorize(a *arguments) (*engine.Session, error) {
	type result struct {
		login *engine.Session
		err   error
	}
	done := make(chan result, 1)
	go func() { // the engine may have to be waited for
		sess, err := enginedoor.Of(c.opts.Engine).OpenSession(peerOf(c.in))
		if err == nil {
			if err = logIn(c.ctx, sess, a); err != nil {
				sess.Close()
			}
		}
		done <- result{sess, err}
	}()
	select {
	case r := <-done:
		return r.login, r.err
	case <-c.ctx.Done():
		go func() {
			if r := <-done; r.err == nil {
				r.login.Close()
			}
		}()
		return nil, c.ctx.Err()
	}
}

// logIn makes sess a session of the user of the attributes, who must be allowed to debug.
func logIn(ctx context.Context, sess *engine.Session, a *arguments) error {
	if a.given["password"] || a.given["user"] {
		login := []string{"AUTH", a.User, a.Password}
		if !a.given["user"] {
			login = []string{"AUTH", a.Password}
		}
		if _, err := sess.DoStrings(ctx, login...); err != nil {
			return fmt.Errorf("attributes user and password: %w", err)
		}
	}
	_, err := sess.DoStrings(ctx, "SCRIPT", "DEBUG", "NO")
	return err
}

// peerOf returns the addresses of the connection from which a client is read.
func peerOf(in io.Reader) enginedoor.SessionInfo {
	info := enginedoor.SessionInfo{Addr: "debug-adapter"}
	if nc, ok := in.(net.Conn); ok {
		info.Addr, info.LAddr = nc.RemoteAddr().String(), nc.LocalAddr().String()
		if tcp, ok := nc.RemoteAddr().(*net.TCPAddr); ok {
			info.Remote = !tcp.IP.IsLoopback()
		}
	}
	return info
}

// updatePlan makes a new plan after something that it depends on has changed.
func (a *attached) updatePlan() {
	p := &attachPlan{every: a.script == nil, stopOnEntry: a.args.StopOnEntry, stops: a.breakpoints.stops()}
	for _, s := range a.sources.all {
		p.sources = append(p.sources, *s)
	}
	a.interceptor.setPlan(p)
}

func (a *attached) begin() error {
	return waitFor(a.ctx, func() error {
		return a.interceptor.begin(a.run.engine, func(s *debugger.Session, call engine.ScriptCall) {
			select {
			case a.turns <- func() { a.scriptBegan(beginning{s, call}) }:
			case <-a.ctx.Done():
				s.Close()
			}
		})
	})
}

func (a *attached) stopsChanged() {
	a.updatePlan()
	a.run.setStops(a.breakpoints.stops())
}

func (a *attached) pauseNext() error {
	a.interceptor.stopNext.Store(true)
	return nil
}

// scriptBegan announces that a caller's script has begun.
func (a *attached) scriptBegan(b beginning) {
	if a.run.current != nil {
		a.waiting = append(a.waiting, b)
		return
	}
	a.run.threads++
	s, isNew := a.sources.of(b.call.Script)
	a.run.current = &debuggee{session: b.session, source: s, thread: a.run.threads, name: s.name}
	if b.call.Session != 0 { // otherwise the program around the engine runs it
		a.run.current.name += fmt.Sprintf(" of client %d", b.call.Session)
	}
	a.report.threadStarted(a.run.threads)
	if isNew {
		a.announceBreakpoints(s)
	}
	a.stopsChanged() // what the client has set since the script was chosen
	a.run.forwardEvents()
}

// announceBreakpoints sends the actual lines of a source's breakpoints after its text has become
// known.
func (a *attached) announceBreakpoints(s *source) {
	for i, b := range a.breakpoints.resolve(s) {
		b.Id = s.ids[i]
		if b.Verified {
			a.report.breakpointChanged(b)
		}
	}
	a.updatePlan()
}

// scriptEnded announces the end of a caller's script. Other scripts may follow.
func (a *attached) scriptEnded(d *debuggee, e debugger.Ended) {
	switch {
	case e.Err != nil:
		a.report.say("stderr", e.Err.Error()+"\n", nil, 0)
	case e.Reply.IsError():
		a.report.sayError(d, e.Reply)
	default:
		a.report.say("console", a.report.format(e.Reply), nil, 0)
	}
	a.run.current = nil
	a.report.threadExited(d.thread)
	switch {
	case errors.Is(e.Err, engine.ErrClosed) || !a.interceptor.isOn():
		a.report.terminated()
	case len(a.waiting) > 0:
		b := a.waiting[0]
		a.waiting = a.waiting[1:]
		a.scriptBegan(b)
	}
}

func (a *attached) restart(*dap.RestartRequest) error {
	if a.run.current == nil {
		return errNoScript
	}
	if err := a.run.current.session.Restart(); err != nil {
		return err
	}
	a.run.forget()
	return nil
}

func (a *attached) terminate() {
	if a.run.current != nil {
		a.run.abort()
	} else {
		a.report.terminated()
	}
	a.interceptor.end()
}

func (a *attached) release() {
	a.interceptor.end()
	a.run.close()
	go a.login.Close() // the engine may have to be waited for
	for _, b := range a.waiting {
		b.session.Close()
	}
}
