package repl

import (
	"context"
	"errors"
	"os"
	"time"
)

// caller makes calls that may have to wait, and ends them at Ctrl-C or when a script of another
// caller stops.
type caller struct {
	*printer
	scripts    *scripts
	events     *eventBox
	interrupts <-chan os.Signal
	timing     bool // Options.Timing
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
func (c *caller) onEngine(f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	for {
		select {
		case err := <-done:
			return err
		case <-c.events.ready:
			if c.scripts.current == nil && c.events.hasStop() {
				c.events.signal()
				return errBlocked
			}
		}
	}
}

// interruptible calls f, which Ctrl-C may stop. done is false after a Ctrl-C. The error is
// errStopped if f was stopped, and errBlocked if a script of another caller stopped before the
// engine could run f.
func (c *caller) interruptible(f func(ctx context.Context) error) (done bool, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	watched := make(chan outcome)
	go func() { watched <- c.waitForInterrupt(cancel, ended) }()
	start := time.Now()
	err = f(ctx)
	took := time.Since(start)
	close(ended)
	how := <-watched
	if errors.Is(err, context.Canceled) {
		if how == blocked {
			return false, errBlocked
		}
		c.say("(stopped)")
		return false, errStopped
	}
	if c.timing && took >= slowCommand && err == nil {
		defer c.sayf("(%.2fs)", took.Seconds())
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
func (c *caller) waitForInterrupt(cancel func(), ended <-chan struct{}) (how outcome) {
	for times := 0; ; {
		select {
		case <-ended:
			select {
			case <-c.interrupts: // too late for this command, and not meant for the next one
			default:
			}
			return how
		case <-c.events.ready:
			if c.events.hasStop() {
				how = blocked
				cancel()
			}
			continue
		case <-c.interrupts:
		}
		how = interrupted
		switch times++; times {
		case 1:
			cancel()
		case 2:
			c.say("(the script goes on, because it has written data; another Ctrl-C ends redmoon and loses its data)")
		default:
			os.Exit(130)
		}
	}
}

// onInterrupt calls f. While f runs, it calls stop at each Ctrl-C.
func (c *caller) onInterrupt(stop, f func()) {
	ended, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-c.interrupts:
				stop()
			case <-ended:
				return
			}
		}
	}()
	f()
	close(ended)
	<-gone
}
