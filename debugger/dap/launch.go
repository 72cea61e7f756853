package dap

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/quoting"
)

// onLaunch reads the script and creates the engine for it. The script begins at configurationDone.
func (c *conn) onLaunch(r *dap.LaunchRequest) (dap.ResponseMessage, error) {
	if c.opts.Engine != nil {
		return nil, errors.New("this server has an engine to attach to; to launch scripts use `redmoon dap`")
	}
	a, err := c.readArguments(r.Arguments, false)
	if err != nil {
		return nil, err
	}
	script, err := c.readScript(a)
	if err == nil && script == nil {
		err = errNoText
	}
	if err != nil {
		return nil, err
	}
	if c.ownEngine, err = c.newEngine(a); err != nil {
		c.sources = nil
		return nil, err
	}
	c.args, c.mainSource, c.phase = a, script, configuring
	c.afterResponse(func() { c.event(&dap.InitializedEvent{}, "initialized") })
	return &dap.LaunchResponse{}, nil
}

// readArguments parses the arguments of a request. It returns errToken if the request does not have
// the server's token.
func (c *conn) readArguments(raw json.RawMessage, attach bool) (*arguments, error) {
	a, err := readArguments(raw, attach)
	if err != nil {
		return nil, err
	}
	if want := c.opts.Token; want != "" && subtle.ConstantTimeCompare([]byte(a.Token), []byte(want)) == 0 {
		return nil, errToken
	}
	return a, nil
}

var errToken = errors.New("attribute token: missing or not the one that `redmoon dap --listen` printed")

var errNoText = errors.New("attributes script and text: one of them is needed")

// newEngine returns a new engine on which the fixture has been run.
func (c *conn) newEngine(a *arguments) (*engine.Engine, error) {
	e, err := engine.New(engine.Options{Compat: a.Compat, Cluster: a.Cluster, Config: a.Config})
	if err != nil || a.Fixture == "" {
		return e, err
	}
	path := absolutePath(a.Cwd, c.client.fromPath(a.Fixture))
	text, err := os.ReadFile(path)
	if err == nil {
		err = runFixture(c.ctx, e, string(text))
	}
	if err != nil {
		_ = e.Close()
		return nil, fmt.Errorf("attribute fixture: %w", err)
	}
	return e, nil
}

// runFixture runs the commands of a fixture, one on each line.
func runFixture(ctx context.Context, e *engine.Engine, text string) error {
	sess, err := e.NewSession() // so that SELECT and MULTI work
	if err != nil {
		return err
	}
	defer sess.Close()
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words, ok := quoting.Words(line)
		if !ok {
			return fmt.Errorf("line %d: unbalanced quotes", i+1)
		}
		if _, err := sess.DoStrings(ctx, words...); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}

func (c *conn) onConfigurationDone(*dap.ConfigurationDoneRequest) (dap.ResponseMessage, error) {
	if c.phase != configuring {
		return nil, errors.New("configurationDone was already sent")
	}
	begin := c.start
	if c.attached {
		begin = c.listen
	}
	if err := begin(); err != nil {
		return nil, err
	}
	c.phase = active
	return &dap.ConfigurationDoneResponse{}, nil
}

// start runs the launched script.
func (c *conn) start() error {
	o := debugger.Options{Sync: c.args.Session == "sync"}
	if !c.args.NoDebug {
		o.StopOnEntry, o.Breakpoints, o.Stops = c.args.StopOnEntry, c.mainSource.resolved, c.stops()
	}
	target := debugger.Target{Script: engine.NewScript(c.mainSource.text), Keys: c.args.Keys, Args: c.args.Args}
	s, err := debugger.Start(c.ctx, c.ownEngine, target, o)
	if err != nil {
		return err
	}
	first := c.threads == 0
	c.threads = 1
	c.run = &debuggee{session: s, source: c.mainSource, thread: 1, name: c.mainSource.name}
	c.phase = active // it was ended if this is a restart
	c.afterResponse(func() {
		if first {
			body := dap.ProcessEventBody{Name: c.mainSource.name, IsLocalProcess: true, StartMethod: "launch"}
			c.event(&dap.ProcessEvent{Body: body}, "process")
		}
		c.event(&dap.ThreadEvent{Body: dap.ThreadEventBody{Reason: "started", ThreadId: 1}}, "thread")
		c.forwardEvents(c.run)
	})
	return nil
}

// launchEnded announces the end of a launched script.
func (c *conn) launchEnded(d *debuggee, e debugger.Ended) {
	code := 0
	switch {
	case e.Aborted:
		code = 1
		c.say("console", "The script was ended.\n", nil, 0)
	case e.Err != nil:
		code = 1
		c.say("stderr", e.Err.Error()+"\n", nil, 0)
	case e.Reply.IsError():
		code = 1
		c.sayError(d, e.Reply)
	default:
		c.say("stdout", c.format(e.Reply), nil, 0)
	}
	c.run, c.phase = nil, ended
	c.event(&dap.ThreadEvent{Body: dap.ThreadEventBody{Reason: "exited", ThreadId: d.thread}}, "thread")
	c.event(&dap.ExitedEvent{Body: dap.ExitedEventBody{ExitCode: code}}, "exited")
	c.event(&dap.TerminatedEvent{}, "terminated")
}

// onTerminate ends the script. Events announce what follows.
func (c *conn) onTerminate(*dap.TerminateRequest) (dap.ResponseMessage, error) {
	run := c.run
	c.afterResponse(func() {
		if run != nil {
			run.session.Abort()
		} else if c.phase != ended {
			c.event(&dap.TerminatedEvent{}, "terminated")
		}
		if c.attached {
			c.stopIntercepting()
		}
	})
	return &dap.TerminateResponse{}, nil
}

// onRestart runs the script again: a launched one from its file, which may have changed, with new
// arguments if the client sends some; a caller's script from its beginning.
func (c *conn) onRestart(r *dap.RestartRequest) (dap.ResponseMessage, error) {
	if c.attached {
		if c.run == nil {
			return nil, errNoScript
		}
		if err := c.run.session.Restart(); err != nil {
			return nil, err
		}
		c.forget()
		return &dap.RestartResponse{}, nil
	}
	if c.phase == configuring {
		return nil, errors.New("configurationDone must come first")
	}
	if err := c.reload(r.Arguments); err != nil {
		return nil, err
	}
	if err := c.start(); err != nil {
		return nil, err
	}
	return &dap.RestartResponse{}, nil
}

// reload reads the script again and ends the one that is running. New arguments need a new engine.
func (c *conn) reload(raw json.RawMessage) error {
	var given struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return fmt.Errorf("malformed request: %w", err)
		}
	}
	a, old, sources := c.args, c.mainSource, c.sources
	var err error
	if given.Arguments != nil {
		if a, err = readArguments(given.Arguments, false); err != nil {
			return err
		}
	}
	c.sources = nil
	script, err := c.readScript(a)
	if err == nil && script == nil {
		err = errNoText
	}
	own := c.ownEngine
	if err == nil && given.Arguments != nil {
		own, err = c.newEngine(a)
	}
	if err != nil {
		c.sources = sources
		return err
	}
	c.endRun()
	if own != c.ownEngine {
		_ = c.ownEngine.Close()
	}
	c.ownEngine, c.args, c.mainSource = own, a, script
	if script.path == old.path {
		c.moveBreakpoints(old, script)
	}
	return nil
}

// moveBreakpoints moves the breakpoints of a script to its new text, and announces their lines.
func (c *conn) moveBreakpoints(old, now *source) {
	now.set, now.ids = old.set, old.ids
	for i, b := range c.resolveBreakpoints(now) {
		b.Id = now.ids[i]
		c.afterResponse(func() {
			c.event(&dap.BreakpointEvent{Body: dap.BreakpointEventBody{Reason: "changed", Breakpoint: b}}, "breakpoint")
		})
	}
}

// endRun ends the script that is in progress.
func (c *conn) endRun() {
	if c.run != nil {
		c.run.session.Abort()
		c.run.session.Close()
		c.run = nil
		c.forget()
		c.afterResponse(func() {
			c.event(&dap.ThreadEvent{Body: dap.ThreadEventBody{Reason: "exited", ThreadId: 1}}, "thread")
		})
	}
}
