package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lineedit"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// ErrFailed is returned by [Run] if a line has failed, for example with an error reply.
var ErrFailed = errors.New("a line has failed")

// ErrFirst is returned by [Run] if the fixture or one of Options.First has failed. The error has
// been printed.
var ErrFirst = errors.New("one of the first lines has failed")

// candidate is a possible completion of a word.
type candidate = lineedit.Candidate

// Options of a dialogue.
type Options struct {
	Lines lineedit.Reader
	// Backend is where the commands run.
	Backend backend.Backend
	// Commands are the commands that help describes.
	Commands engine.Commands
	// Proto is the protocol of the session, 2 or 3.
	Proto int
	Out   io.Writer
	// Print appends a reply to b. args are the command of the reply.
	Print func(b []byte, args []string, v engine.Value) []byte
	// Timing prints the time of commands that take at least half a second.
	Timing bool
	// Colour prints messages in colours.
	Colour bool
	// Interrupts receives Ctrl-C while a command runs. Optional.
	Interrupts <-chan os.Signal
	// Fixture holds Redis commands that run first. Their replies are not shown. Lines that begin
	// with # are ignored.
	Fixture []string
	// First holds lines that run before those of Lines.
	First []string
	// Debugging is true while the dialogue itself shows what the current script logs. Optional.
	Debugging *atomic.Bool
	// Attach makes breakpoints stop the scripts of other callers of the engine.
	Attach bool
}

// dialogue is the state of one call of Run.
type dialogue struct {
	Options
	backend  backend.Backend
	commands []command
	palette  palette
	proto    int // protocol of the session
	state    state
	buf      []byte
	failed   bool
	syntax   syntax

	script    *script // loaded with :load; nil: none
	before    *engine.Snapshot
	snapshots map[string]*engine.Snapshot

	breakpoints map[string][]debugger.Breakpoint // by the SHA1 of the script
	stops       debugger.Stops
	watches     []string

	stop   *stopped   // the current script, which is stopped; nil: none
	others []*stopped // further stopped scripts, which wait for the current one
	repeat string     // what an empty line at a stop does
	events *eventBox
	wanted wantedScripts
}

// slowCommand is the time from which on Timing prints the time of a command.
const slowCommand = 500 * time.Millisecond

// Run runs a dialogue until the lines end or the user quits. It returns the error of the Reader or
// of a closed engine, or [ErrFailed] if a line has failed.
func Run(o Options) error {
	d := &dialogue{
		Options: o, backend: o.Backend, commands: table(), breakpoints: map[string][]debugger.Breakpoint{},
		palette: palette(o.Colour), proto: o.Proto,
	}
	d.events = newEventBox(o.Lines.Wake)
	defer d.syntax.close()
	detach, err := d.attach()
	if err != nil {
		return err
	}
	defer d.closeScripts()
	defer detach()
	if err := d.runFirst(); err != nil {
		return err
	}
	err = d.runLines()
	if err == nil && d.failed {
		err = ErrFailed
	}
	return err
}

// runFirst runs the fixture and Options.First.
func (d *dialogue) runFirst() error {
	for i, line := range d.Fixture {
		args, err := display.Split(line)
		if err == nil && (len(args) == 0 || strings.HasPrefix(args[0], "#")) {
			continue
		}
		var a backend.Answer
		if err == nil {
			a, err = d.backend.Do(context.Background(), args)
		}
		if err == nil && a.Value.IsError() {
			err = errors.New(a.Value.Text())
		}
		if err != nil {
			d.showError(fmt.Sprintf("line %d of the fixture: %v", i+1, err))
			return ErrFirst
		}
		d.state.note(args, a.Value)
	}
	for _, line := range d.First {
		if err := d.handleLine(line); err != nil {
			return err
		}
		if d.failed && d.stop == nil {
			return ErrFirst
		}
	}
	return nil
}

// runLines runs all lines of the Reader.
func (d *dialogue) runLines() error {
	for {
		line, err := d.Lines.ReadLine((*assistant)(d))
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, lineedit.ErrInterrupt):
			continue
		case err != nil:
			return err
		}
		if err := d.handleLine(line); errors.Is(err, errQuit) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// handleLine runs one line and prints its error. It returns an error that ends the dialogue.
func (d *dialogue) handleLine(line string) error {
	err := d.runLine(strings.TrimSpace(line))
	if d.stop == nil {
		defer d.handleEvents()
	}
	if err == nil || errors.Is(err, errQuit) || errors.Is(err, engine.ErrClosed) {
		return err
	}
	d.showError(err.Error())
	return nil
}

// showError prints an error.
func (d *dialogue) showError(text string) {
	d.failed = true
	d.say(d.palette.lines(d.palette.bad, text))
}

// say prints a line.
func (d *dialogue) say(text string) { fmt.Fprintln(d.Out, text) }

// sayf prints a formatted line.
func (d *dialogue) sayf(format string, args ...any) { fmt.Fprintf(d.Out, format+"\n", args...) }

func (d *dialogue) runLine(line string) error {
	if line == "" {
		if d.stop == nil || d.repeat == "" {
			return nil
		}
		line = d.repeat
	}
	switch line[0] {
	case ':':
		return d.runOwn(line[1:])
	case '=':
		return d.lua(line[1:])
	}
	word, rest := cutWord(line)
	if c := d.bareCommand(word); c != nil {
		return d.runCommand(c, rest)
	}
	args, err := display.Split(line)
	if err != nil || len(args) == 0 {
		return err
	}
	times := 1
	if n, err := strconv.Atoi(args[0]); err == nil && len(args) > 1 {
		if n <= 0 {
			return errors.New("Invalid repeat count: it must be above 0.") //lint:ignore ST1005 a sentence that is shown as it is
		}
		times, args = n, args[1:]
	}
	if d.stop == nil && backend.RunsScript(args) {
		d.snapshotBefore()
	}
	for range times {
		if more, err := d.run(args); err != nil || !more {
			return err
		}
	}
	return nil
}
