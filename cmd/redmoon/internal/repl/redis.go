package repl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/engine"
)

// answer is a reply, and how it is to be understood.
type answer struct {
	value  engine.Value
	proto  int  // the protocol that the session talks now; 0: as before
	closed bool // the session has ended
}

// run runs one command of Redis and prints its reply. It reports false when it was interrupted.
func (d *dialogue) run(args []string) (more bool, err error) {
	if d.stop != nil {
		v, err := d.stop.target.Do(args...)
		if err != nil {
			return false, err
		}
		if v.Kind() != engine.KindVerbatim { // else what the debugger of a server has written
			v = display.Shape(v, d.proto)
		}
		return true, d.show(args, v)
	}
	var a answer
	done, err := d.interruptible(func(ctx context.Context) error {
		var err error
		a, err = d.place.do(ctx, args)
		return err
	})
	if err != nil {
		return false, ignoreStop(err)
	}
	if a.proto != 0 {
		d.proto = a.proto
	}
	v := display.Shape(a.value, d.proto)
	d.state.note(args, v)
	if err := d.show(args, v); err != nil {
		return false, err
	}
	if a.closed {
		return false, errQuit
	}
	return done, nil
}

// show prints a reply.
func (d *dialogue) show(args []string, v engine.Value) error {
	d.buf = d.Print(d.buf[:0], args, v)
	if v.IsError() {
		d.failed = true
		if d.paint {
			d.buf = []byte(d.paint.lines(d.paint.bad, string(d.buf)))
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

// runsScript reports whether a command runs Lua.
func runsScript(args []string) bool {
	name := strings.ToLower(args[0])
	return strings.HasPrefix(name, "eval") || strings.HasPrefix(name, "fcall")
}

// errStopped says that Ctrl-C has stopped a call, which has been told.
var errStopped = errors.New("stopped")

func ignoreStop(err error) error {
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// errHeld says that somebody else's script has stopped first.
var errHeld = errors.New("(not done: a client's script has stopped before)")

// onEngine calls f, which may wait for the engine: not for one that somebody else's script holds.
func (d *dialogue) onEngine(f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	for {
		select {
		case err := <-done:
			return err
		case <-d.mail.ready:
			if d.stop == nil && d.mail.held() {
				d.mail.again()
				return errHeld
			}
		}
	}
}

// settle deals with what has come in meanwhile.
func (d *dialogue) settle() {
	for _, l := range d.mail.take() {
		d.aside(l)
	}
}

// interruptible calls f, which Ctrl-C may stop: the error is errStopped then. It reports whether there was no Ctrl-C. When somebody else's script has stopped
// before f had its turn, f is given up, with errHeld.
func (d *dialogue) interruptible(f func(ctx context.Context) error) (done bool, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	watched := make(chan ending)
	go func() { watched <- d.watch(cancel, ended) }()
	start := time.Now()
	err = f(ctx)
	took := time.Since(start)
	close(ended)
	how := <-watched
	if errors.Is(err, context.Canceled) {
		if how == held {
			return false, errHeld
		}
		d.say("(stopped)")
		return false, errStopped
	}
	if d.Timing && took >= slow && err == nil {
		defer d.sayf("(%.2fs)", took.Seconds())
	}
	return how != interrupted, err
}

// ending is what has come while a command was run.
type ending int

const (
	undisturbed ending = iota
	interrupted        // Ctrl-C
	held               // somebody else's script has stopped
)

// watch cancels the running command at Ctrl-C, or when the engine is held by another script before its turn. A script that has written
// something goes on, as in Redis; a third Ctrl-C then ends the process.
func (d *dialogue) watch(cancel func(), ended <-chan struct{}) (how ending) {
	for times := 0; ; {
		select {
		case <-ended:
			select {
			case <-d.Interrupts: // came too late; the next command is not meant
			default:
			}
			return how
		case <-d.mail.ready:
			if d.mail.held() {
				how = held
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
			fmt.Fprintln(d.Out, "(it goes on: a script that has written is not stopped; Ctrl-C once more ends redmoon, its data is lost)")
		default:
			os.Exit(130)
		}
	}
}
