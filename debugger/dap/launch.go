package dap

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// launched is the target of a client that runs a script on an engine of its own.
type launched struct {
	*parts
	args   *arguments
	script *source
	over   bool // the script has ended
}

// onLaunch reads the script and creates the engine for it. The script begins at configurationDone.
func (c *conn) onLaunch(r *dap.LaunchRequest) (dap.ResponseMessage, error) {
	if c.opts.Engine != nil {
		return nil, errors.New("this server has an engine to attach to; to launch scripts use `redmoon dap`")
	}
	a, err := c.readArguments(r.Arguments, false)
	if err != nil {
		return nil, err
	}
	script, err := c.sources.read(a)
	if err == nil && script == nil {
		err = errNoText
	}
	if err != nil {
		return nil, err
	}
	if err = checkCall(c.ctx, a, script); err == nil {
		c.run.engine, err = engineFor(c.ctx, c.client, a)
	}
	if err != nil {
		c.sources.all = nil
		return nil, err
	}
	c.target, c.phase = &launched{parts: &c.parts, args: a, script: script}, configuring
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

var errToken = errors.New("attribute token: missing or not the one that the server printed")

var errNoText = errors.New("attributes script and text: one of them is needed")

// engineFor returns a new engine on which the fixture has been run.
func engineFor(ctx context.Context, client *clientView, a *arguments) (*engine.Engine, error) {
	e, err := engine.New(engine.Options{Server: cmp.Or(a.Server, a.Compat), Cluster: a.Cluster, Config: a.Config})
	if err != nil || a.Fixture == "" {
		return e, err
	}
	path := absolutePath(a.Cwd, client.fromPath(a.Fixture))
	text, err := files.ReadRegular(path, maxFile)
	if err == nil {
		err = runFixture(ctx, e, string(text))
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

// begin runs the script.
func (l *launched) begin() error {
	o := debugger.Options{Sync: l.args.Session == "sync"}
	if !l.args.NoDebug {
		o.StopOnEntry, o.Breakpoints, o.Stops = l.args.StopOnEntry, l.script.resolved, l.breakpoints.stops()
	}
	target := debugger.Target{Script: engine.NewScript(l.script.text), Function: l.args.Call, Keys: l.args.Keys, Args: l.args.Args}
	s, err := debugger.Start(l.ctx, l.run.engine, target, o)
	if err != nil {
		return err
	}
	first := l.run.threads == 0
	l.run.threads = 1
	l.run.current = &debuggee{session: s, source: l.script, thread: 1, name: l.script.name}
	l.over = false
	l.afterResponse(func() {
		if first {
			body := dap.ProcessEventBody{Name: l.script.name, IsLocalProcess: true, StartMethod: "launch"}
			l.event(&dap.ProcessEvent{Body: body}, "process")
		}
		l.report.threadStarted(1)
		l.run.forwardEvents()
	})
	return nil
}

func (l *launched) stopsChanged() {
	if !l.args.NoDebug {
		l.run.setStops(l.breakpoints.stops())
	}
}

func (l *launched) pauseNext() error { return errNoScript }

func (l *launched) scriptEnded(d *debuggee, e debugger.Ended) {
	code := 0
	switch {
	case e.Aborted:
		code = 1
		l.report.say("console", "The script was ended.\n", nil, 0)
	case e.Err != nil:
		code = 1
		l.report.say("stderr", e.Err.Error()+"\n", nil, 0)
	case e.Reply.IsError():
		code = 1
		l.report.sayError(d, e.Reply)
	default:
		l.report.say("stdout", l.report.format(e.Reply), nil, 0)
	}
	l.run.current, l.over = nil, true
	l.report.threadExited(d.thread)
	l.event(&dap.ExitedEvent{Body: dap.ExitedEventBody{ExitCode: code}}, "exited")
	l.report.terminated()
}

func (l *launched) terminate() {
	if l.run.current != nil {
		l.run.abort()
	} else if !l.over {
		l.report.terminated()
	}
}

func (l *launched) restart(r *dap.RestartRequest) error {
	if l.run.threads == 0 { // begin has not been called
		return errors.New("configurationDone must come first")
	}
	if err := l.reload(r.Arguments); err != nil {
		return err
	}
	return l.begin()
}

// reload reads the script again and ends the one that is running. New arguments need a new engine.
func (l *launched) reload(raw json.RawMessage) error {
	var given struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return fmt.Errorf("malformed request: %w", err)
		}
	}
	a, old, sources := l.args, l.script, l.sources.all
	var err error
	if given.Arguments != nil {
		if a, err = readArguments(given.Arguments, false); err != nil {
			return err
		}
	}
	l.sources.all = nil
	script, err := l.sources.read(a)
	if err == nil && script == nil {
		err = errNoText
	}
	if err == nil {
		err = checkCall(l.ctx, a, script)
	}
	own := l.run.engine
	if err == nil && given.Arguments != nil {
		own, err = engineFor(l.ctx, l.client, a)
	}
	if err != nil {
		l.sources.all = sources
		return err
	}
	l.endRun()
	if own != l.run.engine {
		_ = l.run.engine.Close()
	}
	l.run.engine, l.args, l.script = own, a, script
	if script.path == old.path {
		l.moveBreakpoints(old, script)
	}
	return nil
}

// moveBreakpoints moves the breakpoints of a script to its new text, and announces their lines.
func (l *launched) moveBreakpoints(old, now *source) {
	now.set, now.ids = old.set, old.ids
	for i, b := range l.breakpoints.resolve(now) {
		b.Id = now.ids[i]
		l.afterResponse(func() { l.report.breakpointChanged(b) })
	}
}

// endRun ends the script that is in progress.
func (l *launched) endRun() {
	if l.run.current != nil {
		l.run.abort()
		l.run.close()
		l.run.current = nil
		l.run.forget()
		l.afterResponse(func() { l.report.threadExited(1) })
	}
}

func (l *launched) release() {
	l.run.close()
	_ = l.run.engine.Close()
}
