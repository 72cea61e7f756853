package repl

import (
	"context"
	"errors"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"os"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/engine"
)

// run runs a Redis command and shows its reply. more is false if it was interrupted.
func (d *dialogue) run(args []string) (more bool, err error) {
	if d.stop != nil {
		v, err := d.stop.target.Do(args...)
		if err != nil {
			return false, err
		}
		if v.Kind() != engine.KindVerbatim { // a verbatim string is output of a server's debugger
			v = display.Shape(v, d.proto)
		}
		return true, d.show(args, v)
	}
	var a backend.Answer
	done, err := d.interruptible(func(ctx context.Context) error {
		var err error
		a, err = d.backend.Do(ctx, args)
		return err
	})
	if err != nil {
		return false, ignoreStop(err)
	}
	if a.Proto != 0 {
		d.proto = a.Proto
	}
	v := display.Shape(a.Value, d.proto)
	d.state.note(args, v)
	if err := d.show(args, v); err != nil {
		return false, err
	}
	if a.Closed {
		return false, errQuit
	}
	return done, nil
}

// show prints a reply.
func (d *dialogue) show(args []string, v engine.Value) error {
	d.buf = d.Print(d.buf[:0], args, v)
	if v.IsError() {
		d.failed = true
		if d.palette {
			d.buf = []byte(d.palette.lines(d.palette.bad, string(d.buf)))
		}
	}
	if _, err := d.Out.Write(d.buf); err != nil {
		return err
	}
	if v.IsError() && strings.HasPrefix(v.Text(), "ERR unknown command") && len(args) > 0 {
		if c, err := find(d.commands, args[0]); err == nil && c.name == strings.ToLower(args[0]) {
			d.sayf("(:%s is a command of the prompt, with a colon)", c.name)
		}
	}
	return nil
}

// errStopped is returned for a call that Ctrl-C has stopped. The user has seen it.
var errStopped = errors.New("stopped")

func ignoreStop(err error) error {
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// errBlocked is returned for a call that was not made because a script of another caller has
// stopped.
var errBlocked = errors.New("(not done: the script of a client has stopped first)")

// onEngine calls f, which may have to wait for the engine. It does not wait if a stopped script of
// another caller blocks the engine.
func (d *dialogue) onEngine(f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	for {
		select {
		case err := <-done:
			return err
		case <-d.events.ready:
			if d.stop == nil && d.events.hasStop() {
				d.events.signal()
				return errBlocked
			}
		}
	}
}

// handleEvents handles the events that have arrived in the meantime.
func (d *dialogue) handleEvents() {
	for _, l := range d.events.take() {
		d.handleOtherEvent(l)
	}
}

// interruptible calls f, which Ctrl-C may stop. done is false after a Ctrl-C. The error is
// errStopped if f was stopped, and errBlocked if a script of another caller stopped before the
// engine could run f.
func (d *dialogue) interruptible(f func(ctx context.Context) error) (done bool, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	watched := make(chan outcome)
	go func() { watched <- d.waitForInterrupt(cancel, ended) }()
	start := time.Now()
	err = f(ctx)
	took := time.Since(start)
	close(ended)
	how := <-watched
	if errors.Is(err, context.Canceled) {
		if how == blocked {
			return false, errBlocked
		}
		d.say("(stopped)")
		return false, errStopped
	}
	if d.Timing && took >= slowCommand && err == nil {
		defer d.sayf("(%.2fs)", took.Seconds())
	}
	return how != interrupted, err
}

// outcome says what has happened while a command ran.
type outcome int

const (
	finished    outcome = iota
	interrupted         // Ctrl-C
	blocked             // a script of another caller has stopped
)

// waitForInterrupt cancels the running command at Ctrl-C, or if a stopped script of another caller
// blocks the engine. As in Redis, a script that has written goes on. A third Ctrl-C ends the
// process.
func (d *dialogue) waitForInterrupt(cancel func(), ended <-chan struct{}) (how outcome) {
	for times := 0; ; {
		select {
		case <-ended:
			select {
			case <-d.Interrupts: // too late for this command, and not meant for the next one
			default:
			}
			return how
		case <-d.events.ready:
			if d.events.hasStop() {
				how = blocked
				cancel()
			}
			continue
		case <-d.Interrupts:
		}
		how = interrupted
		switch times++; times {
		case 1:
			cancel()
		case 2:
			d.say("(the script goes on, because it has written data; another Ctrl-C ends redmoon and loses its data)")
		default:
			os.Exit(130)
		}
	}
}
