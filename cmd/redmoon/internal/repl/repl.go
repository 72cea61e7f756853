package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/engine"
)

// ErrInterrupt is returned by a Reader for a line that was given up with Ctrl-C.
var ErrInterrupt = errors.New("interrupted")

// Reader gives the dialogue its lines.
type Reader interface {
	// ReadLine returns the next line, without its end: [ErrInterrupt] for one that was given up, io.EOF after the last.
	ReadLine(prompt string) (string, error)
}

// Options of a dialogue.
type Options struct {
	Lines Reader
	// Commands are those that help tells of.
	Commands engine.Commands
	// Proto is the protocol that the session talks: 2 or 3.
	Proto int
	Out   io.Writer
	// Print appends a reply to b; args are the command replied to.
	Print func(b []byte, args []string, v engine.Value) []byte
	// Timing prints how long a command took that took half a second or longer.
	Timing bool
	// Interrupts delivers Ctrl-C while a command runs. It may be nil.
	Interrupts <-chan os.Signal
}

// dialogue is the state of one run.
type dialogue struct {
	Options
	sess  *engine.Session
	batch engine.Batch
	proto int // the protocol that the session talks
	state state
	buf   []byte
}

// errQuit ends the dialogue.
var errQuit = errors.New("quit")

// slow is from when on Timing prints a command's time.
const slow = 500 * time.Millisecond

// Run holds a dialogue with sess until the lines end or quit is typed. It returns the error of a Reader or a
// closed engine; error replies are part of the dialogue.
func Run(sess *engine.Session, o Options) error {
	d := &dialogue{Options: o, sess: sess, proto: o.Proto}
	for {
		line, err := d.Lines.ReadLine(d.state.prompt())
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, ErrInterrupt):
			continue
		case err != nil:
			return err
		}
		if err := d.line(line); errors.Is(err, errQuit) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// line obeys one line.
func (d *dialogue) line(line string) error {
	args, err := display.Split(line)
	if err != nil {
		fmt.Fprintln(d.Out, err)
		return nil
	}
	if len(args) == 0 {
		return nil
	}
	times := 1
	if n, err := strconv.Atoi(args[0]); err == nil && len(args) > 1 {
		if n <= 0 {
			fmt.Fprintln(d.Out, "Invalid repeat count: it must be above 0.")
			return nil
		}
		times, args = n, args[1:]
	}
	switch strings.ToLower(args[0]) {
	case "quit", "exit":
		return errQuit
	case "help", "?":
		_, err := io.WriteString(d.Out, help(d.Commands, args[1:]))
		return err
	case "clear":
		_, err := io.WriteString(d.Out, "\x1b[H\x1b[2J")
		return err
	}
	for range times {
		if more, err := d.run(args); err != nil || !more {
			return err
		}
	}
	return nil
}

// run runs one command and prints its reply. It reports false when it was interrupted.
func (d *dialogue) run(args []string) (more bool, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	watched := make(chan bool)
	go func() { watched <- d.watch(cancel, ended) }()
	start := time.Now()
	v, err := d.call(ctx, args)
	took := time.Since(start)
	close(ended)
	interrupted := <-watched
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(d.Out, "(stopped)")
		return false, nil
	}
	if err != nil {
		return false, err
	}
	v = display.Shape(v, d.proto)
	d.state.note(args, v)
	d.buf = d.Print(d.buf[:0], args, v)
	if _, err := d.Out.Write(d.buf); err != nil {
		return false, err
	}
	if d.Timing && took >= slow {
		fmt.Fprintf(d.Out, "(%.2fs)\n", took.Seconds())
	}
	if d.batch.Closed {
		return false, errQuit
	}
	return !interrupted, nil
}

// call runs one command. A script goes alone, for then it can be stopped; other commands go as a batch, which
// tells the protocol of the reply.
func (d *dialogue) call(ctx context.Context, args []string) (engine.Value, error) {
	if strings.HasPrefix(strings.ToLower(args[0]), "eval") {
		v, err := d.sess.DoStrings(ctx, args...)
		if v.IsError() {
			err = nil // the reply is part of the dialogue
		}
		return v, err
	}
	d.batch.Commands = append(d.batch.Commands[:0], args)
	if err := d.sess.RunBatch(ctx, &d.batch); err != nil {
		return engine.Value{}, err
	}
	d.proto = int(d.batch.Protos[0])
	return d.batch.Replies[0], nil
}

// watch cancels the running command at Ctrl-C, and reports whether it had to. A script that has written
// something goes on, as in Redis; a third Ctrl-C then ends the process.
func (d *dialogue) watch(cancel func(), ended <-chan struct{}) (interrupted bool) {
	for times := 1; ; times++ {
		select {
		case <-ended:
			select {
			case <-d.Interrupts: // came too late; the next command is not meant
			default:
			}
			return interrupted
		case <-d.Interrupts:
		}
		interrupted = true
		switch times {
		case 1:
			cancel()
		case 2:
			fmt.Fprintln(d.Out, "(it goes on: a script that has written is not stopped; Ctrl-C once more ends redmoon, its data is lost)")
		default:
			os.Exit(130)
		}
	}
}
