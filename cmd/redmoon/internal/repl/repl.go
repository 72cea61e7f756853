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
	// RepliesOnly prints only the reply of a Redis command, for programs that read it.
	RepliesOnly bool
	// Timing prints the time of commands that take at least half a second.
	Timing bool
	// Width returns the columns of the terminal, for help texts. Default: 80.
	Width func() int
	// Colour prints messages in colours.
	Colour bool
	// Interrupts receives Ctrl-C while a command runs. Optional.
	Interrupts <-chan os.Signal
	// Fixture holds Redis commands that run first. Their replies are not shown.
	Fixture [][]string
	// First holds lines that run before those of Lines.
	First []string
	// Debugging is true while the dialogue itself shows what the current script logs. Optional.
	Debugging *atomic.Bool
	// Guest is a program whose scripts are debugged: the dialogue reads lines only while one of them
	// is stopped, and ends with the program. Its Backend must be a [backend.Local], whose Engine is
	// set to that of the stopped script. Optional.
	Guest *Guest
	// Attach makes breakpoints stop the scripts of other callers of the engine.
	Attach bool
}

// dialogue is one call of Run. It reads lines and has its parts run them.
type dialogue struct {
	*common
	helper      *helper
	breakpoints *breakpoints
	data        *data
	inspector   *inspector
	runner      *runner
	player      *player
}

// common is what the parts of a dialogue share.
type common struct {
	Options
	*printer
	*caller
	backend  backend.Backend
	commands []command
	proto    int // protocol of the session
	state    state
	syntax   syntax
	scripts  *scripts
}

// showLogs sets whether the dialogue itself shows what scripts log.
func (c *common) showLogs(yes bool) {
	if c.Debugging != nil && c.backend.Embedded() {
		c.Debugging.Store(yes)
	}
}

func newDialogue(o Options) *dialogue {
	c := &common{Options: o, backend: o.Backend, commands: table(), proto: o.Proto, scripts: &scripts{}}
	c.printer = &printer{out: o.Out, palette: palette(o.Colour), format: o.Print, commands: c.commands}
	c.caller = &caller{
		printer: c.printer, scripts: c.scripts, events: newEventBox(o.Lines.Wake), interrupts: o.Interrupts, timing: o.Timing,
	}
	d := &dialogue{common: c, helper: &helper{own: c.commands, redis: o.Commands, palette: c.palette, width: o.Width}}
	d.breakpoints = &breakpoints{common: c, lines: map[string][]debugger.Breakpoint{}}
	d.data = &data{common: c}
	d.inspector = &inspector{common: c, breakpoints: d.breakpoints}
	d.runner = &runner{common: c, breakpoints: d.breakpoints, data: d.data, inspector: d.inspector}
	d.player = &player{common: c, breakpoints: d.breakpoints, data: d.data, inspector: d.inspector, runner: d.runner}
	return d
}

// slowCommand is the time from which on Timing prints the time of a command.
const slowCommand = 500 * time.Millisecond

// Run runs a dialogue until the lines end or the user quits. It returns the error of the Reader or
// of a closed engine, or [ErrFailed] if a line has failed.
func Run(o Options) error {
	d := newDialogue(o)
	defer d.syntax.close()
	detach, err := d.player.attach()
	if err != nil {
		return err
	}
	defer d.player.closeScripts()
	defer detach()
	if err := d.runFirst(); err != nil {
		return err
	}
	if o.Guest != nil {
		err = d.runGuest()
	} else {
		err = d.runLines()
	}
	if err == nil && d.failed {
		err = ErrFailed
	}
	return err
}

// runFirst runs the fixture and Options.First.
func (d *dialogue) runFirst() error {
	for _, args := range d.Fixture {
		a, err := d.backend.Do(context.Background(), args)
		if err == nil && a.Value.IsError() {
			err = errors.New(a.Value.Text())
		}
		if err != nil {
			d.showError(fmt.Sprintf("fixture: %.80q: %v", args, err))
			return ErrFirst
		}
		d.state.note(args, a.Value)
	}
	for _, line := range d.First {
		if err := d.handleLine(line); err != nil {
			return err
		}
		if d.failed && d.scripts.current == nil {
			return ErrFirst
		}
	}
	return nil
}

// runLines runs all lines of the Reader.
func (d *dialogue) runLines() error {
	if err := d.runLinesWhile(func() bool { return true }); err != io.EOF {
		return err
	}
	return nil
}

// runLinesWhile runs the lines of the Reader as long as goesOn returns true. The error is io.EOF if
// there are no more lines, or the user quits.
func (d *dialogue) runLinesWhile(goesOn func() bool) error {
	for goesOn() {
		line, err := d.Lines.ReadLine((*assistant)(d))
		switch {
		case errors.Is(err, io.EOF):
			return io.EOF
		case errors.Is(err, lineedit.ErrInterrupt):
			continue
		case err != nil:
			return err
		}
		if err := d.handleLine(line); errors.Is(err, errQuit) {
			return io.EOF
		} else if err != nil {
			return err
		}
	}
	return nil
}

// handleLine runs one line and prints its error. It returns an error that ends the dialogue.
func (d *dialogue) handleLine(line string) error {
	err := d.runLine(strings.TrimSpace(line))
	if d.scripts.current == nil {
		defer d.player.handleEvents()
	}
	if err == nil || errors.Is(err, errQuit) || errors.Is(err, engine.ErrClosed) {
		return err
	}
	d.showError(err.Error())
	return nil
}

func (d *dialogue) runLine(line string) error {
	if line == "" {
		if d.scripts.current == nil || d.scripts.repeat == "" {
			return nil
		}
		line = d.scripts.repeat
	}
	if d.Guest != nil && d.scripts.current == nil {
		return errors.New("no script is stopped")
	}
	switch line[0] {
	case ':':
		return d.runOwn(line[1:])
	case '=':
		return d.runner.lua(line[1:])
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
	if d.scripts.current == nil && backend.RunsScript(args) {
		d.data.snapshotBefore()
	}
	for range times {
		if more, err := d.runner.run(args); err != nil || !more {
			return err
		}
	}
	return nil
}
