package play

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/goroutine"
)

var (
	// ErrStopped is returned by calls of a client whose order has ended, or that has crashed, while it
	// unwinds.
	ErrStopped = errors.New("the order of steps has ended before this call")
	// ErrGoroutine is returned by calls from a goroutine that the client has started.
	ErrGoroutine = errors.New("a client of a play makes all calls on its own goroutine")
)

// Client is the connection of one client to the engine of the running order. Each call is a step.
// Calls between MULTI and EXEC are one step together with the EXEC.
type Client struct {
	g       *game
	a       *actor
	session *engine.Session
	multi   bool
}

var _ engine.Client = (*Client)(nil)

// DoStrings runs a command as a step.
func (c *Client) DoStrings(ctx context.Context, args ...string) (engine.Value, error) {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	return c.command(name, strings.Join(args, " "), func() (engine.Value, error) { return c.session.DoStrings(ctx, args...) })
}

// Do is DoStrings with arguments as for [engine.Engine.Do].
func (c *Client) Do(ctx context.Context, args ...any) (engine.Value, error) {
	name := ""
	if len(args) > 0 {
		name = fmt.Sprint(args[0])
	}
	return c.command(name, strings.TrimSuffix(fmt.Sprintln(args...), "\n"), func() (engine.Value, error) { return c.session.Do(ctx, args...) })
}

// Eval runs the text of a script as a step.
func (c *Client) Eval(ctx context.Context, script string, keys []string, args ...any) (engine.Value, error) {
	return c.command("EVAL", "EVAL", func() (engine.Value, error) { return c.session.Eval(ctx, script, keys, args...) })
}

// EvalSHA runs a script by its SHA1 as a step.
func (c *Client) EvalSHA(ctx context.Context, sha string, keys []string, args ...any) (engine.Value, error) {
	return c.command("EVALSHA", "EVALSHA", func() (engine.Value, error) { return c.session.EvalSHA(ctx, sha, keys, args...) })
}

// command runs a command, with a text for people, as a step or in the queue of MULTI.
func (c *Client) command(name, text string, f func() (engine.Value, error)) (engine.Value, error) {
	name = strings.ToUpper(name)
	if c.multi && name != "EXEC" || name == "MULTI" {
		return c.queue(name, f)
	}
	c.multi = false
	return c.call(text, false, f)
}

// queue runs MULTI or a command behind it. It is not a step: nobody sees it before EXEC.
func (c *Client) queue(name string, f func() (engine.Value, error)) (v engine.Value, err error) {
	if err := c.a.mayCall(); err != nil {
		return v, err
	}
	c.a.enter(func() { v, err = f() })
	c.multi = name == "MULTI" && err == nil || c.multi && name != "DISCARD" && name != "RESET"
	return v, err
}

// RunScript runs a script as a step.
func (c *Client) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	if c.multi { // what EXEC runs must not depend on the cache of scripts
		all := append(append([]string{"EVAL", s.Source(), strconv.Itoa(len(keys))}, keys...), args...)
		return c.queue("EVAL", func() (engine.Value, error) { return c.session.DoStrings(ctx, all...) })
	}
	name := "script " + s.SHA()[:7]
	return c.call(name, true, func() (engine.Value, error) { return c.session.RunScript(ctx, s, keys, args) })
}

func (c *Client) call(name string, known bool, f func() (engine.Value, error)) (v engine.Value, err error) {
	stepErr := c.a.step(name, func() {
		c.g.scriptIsKnown(known)
		v, err = f()
		c.g.scriptIsKnown(false)
		c.a.result = v
	})
	if stepErr != nil {
		return engine.Value{}, stepErr
	}
	return v, err
}

// Atomic runs f as one step; within a step of the client, as a part of it. What f sends to the
// engine, over whatever connection, are the commands of the step. A command that waits must be its
// last one.
func (c *Client) Atomic(name string, f func()) error { return c.a.step(name, f) }

// Sleep makes the client wait until the clock has moved by d.
func (c *Client) Sleep(d time.Duration) error {
	if err := c.a.mayCall(); err != nil || d <= 0 {
		return err
	}
	c.a.until = c.Clock().Now().Add(d)
	c.a.back <- asleep
	return c.a.await()
}

// Clock returns the clock of the order. Only the play moves it.
func (c *Client) Clock() engine.Clock { return c.g.host.Clock }

// Engine returns the engine of the order. It may be called only by f of [Client.Atomic].
func (c *Client) Engine() *engine.Engine { return c.g.host.Engine }

// OnSearch runs f on the goroutine that has called [Explore], and waits until it has returned. It
// is for code that must run there. If f panics, the client ends, and Explore panics.
func (c *Client) OnSearch(f func()) error {
	if err := c.a.mayCall(); err != nil {
		return err
	}
	returned := make(chan bool, 1)
	c.a.asks <- func() {
		done := false
		defer func() { returned <- done }()
		f()
		done = true
	}
	if !<-returned {
		c.a.stopped = true
		runtime.Goexit()
	}
	return nil
}

// OnEnd calls f when the client has ended or crashed: f closes connections to the engine.
func (c *Client) OnEnd(f func()) { c.a.onEnd = append(c.a.onEnd, f) }

// Note keeps a value under a name, for Check, for tables of steps, and for Serializable.
func (c *Client) Note(name string, value any) { c.a.notes = append(c.a.notes, note{name, value}) }

// Fail breaks the order.
func (c *Client) Fail(err error) {
	if c.a.failed == nil {
		c.a.failed = err
	}
}

// note is a value that a client has kept.
type note struct {
	name  string
	value any
}

// state says where a client stands.
type state uint8

const (
	notBegun state = iota // its goroutine has not been started, or does not take part
	ready                 // before a step
	waiting               // in a command that waits
	asleep                // in Sleep
	ended                 // its goroutine has ended
)

// actor is a client in one run. Its goroutine owns the fields that have no comment while it has the
// turn, the search while it has not.
type actor struct {
	Actor
	g      *game
	number int
	client *Client
	grant  chan bool     // the search gives the turn: true, or false to end the goroutine
	back   chan state    // the client gives it back
	asks   chan func()   // code of the client for the goroutine of the search; it has the turn
	began  chan struct{} // holds one: a command of the client has begun to wait

	self    uintptr // its goroutine
	state   state
	until   time.Time // when it wakes up or gives up waiting; the zero Time: never
	notes   []note
	failed  error
	crashed bool
	stopped bool // it unwinds
	onEnd   []func()
	result  engine.Value // of the last call of Client
	name    string       // of the step for people, if the probe sees no command
	inStep  bool         // guarded by game.mu
	paused  bool         // guarded by game.mu: a command of the step has waited
}

// main is the goroutine of the client.
func (a *actor) main() {
	returned := false
	defer func() {
		p := recover()
		switch {
		case p != nil:
			a.client.Fail(fmt.Errorf("%s panicked: %v\n%s", a.Name, p, stack()))
		case !returned && !a.stopped:
			a.client.Fail(fmt.Errorf("%s ended its goroutine, as FailNow of a test does", a.Name))
		}
		a.stopped = true
		a.back <- ended
	}()
	a.self = goroutine.Self()
	if err := a.await(); err == nil {
		a.Run(a.client)
	}
	returned = true
}

// stack returns the stack of a panic, from where it began.
func stack() string {
	buf := make([]byte, 16<<10)
	text := string(buf[:runtime.Stack(buf, false)])
	if _, after, ok := strings.Cut(text, "panic("); ok {
		if _, after, ok = strings.Cut(after, "\n"); ok {
			_, text, _ = strings.Cut(after, "\n")
		}
	}
	return text
}

// await waits for the turn. If the order has ended, it ends the goroutine.
func (a *actor) await() error {
	if <-a.grant {
		return nil
	}
	a.stopped = true
	runtime.Goexit()
	return nil
}

// mayCall returns an error if the client must not call now.
func (a *actor) mayCall() error {
	if self := goroutine.Self(); self != a.self {
		a.g.misused(fmt.Errorf("%s: %w", a.Name, ErrGoroutine))
		return ErrGoroutine
	}
	if a.stopped {
		return ErrStopped
	}
	return nil
}

// step waits for the turn and runs f, a step of the client.
func (a *actor) step(name string, f func()) error {
	if err := a.mayCall(); err != nil {
		return err
	}
	if a.inStep { // only this goroutine sets it
		f()
		return nil
	}
	a.back <- ready
	if err := a.await(); err != nil {
		return err
	}
	a.name, a.result = name, engine.Value{}
	a.enter(f)
	a.g.mu.Lock()
	paused := a.paused
	a.paused = false
	a.g.mu.Unlock()
	if paused {
		return a.await()
	}
	return nil
}

// enter runs f, which calls the engine.
func (a *actor) enter(f func()) {
	set := func(in bool) {
		a.g.mu.Lock()
		defer a.g.mu.Unlock()
		a.inStep = in
	}
	set(true)
	defer set(false)
	f()
}
