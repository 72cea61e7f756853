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

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// ErrInterrupt is returned by a Reader for a line that was given up with Ctrl-C.
var ErrInterrupt = errors.New("interrupted")

// ErrFailed is returned by [Run] when a line has failed, be it by an error reply.
var ErrFailed = errors.New("a line has failed")

// ErrFirst is returned by [Run] when the fixture or one of the first lines has failed; what is wrong has been told.
var ErrFirst = errors.New("one of the first lines has failed")

// Reader gives the dialogue its lines.
type Reader interface {
	// ReadLine returns the next line, without its end: [ErrInterrupt] for one that was given up, io.EOF after the last. It may have
	// line breaks where a says so.
	ReadLine(a Assistant) (string, error)
	// Wake makes a ReadLine that waits ask a for news soon. Any goroutine may call it.
	Wake()
}

// Assistant is what a Reader asks while a line is typed, on the goroutine of ReadLine.
type Assistant interface {
	// Prompt is what stands before the line.
	Prompt() string
	// News is text to be shown above the prompt, or "". The prompt may be another afterwards.
	News() string
	// Finished reports whether a line needs no further one behind it.
	Finished(line string) bool
	// Complete gives what the end of a line may become; prefix is what has been typed of it.
	Complete(line string) (candidates []Candidate, prefix string)
	// Hint tells what may follow a line.
	Hint(line string) string
	// Colour returns the line with colours.
	Colour(line string) string
}

// Candidate is what a word may become.
type Candidate = candidate

type candidate struct {
	Value string
	Help  string // a few words, or ""
}

// Options of a dialogue.
type Options struct {
	Lines Reader
	// Place is where commands run.
	Place Place
	// Commands are those that help tells of.
	Commands engine.Commands
	// Proto is the protocol that the session talks: 2 or 3.
	Proto int
	Out   io.Writer
	// Print appends a reply to b; args are the command replied to.
	Print func(b []byte, args []string, v engine.Value) []byte
	// Timing prints how long a command took that took half a second or longer.
	Timing bool
	// Colour shows what is told in colours.
	Colour bool
	// Interrupts delivers Ctrl-C while a command runs. It may be nil.
	Interrupts <-chan os.Signal
	// Fixture is commands of Redis that are run first and whose replies are not shown. Lines that begin with # are no commands.
	Fixture []string
	// First are lines that are obeyed before those of Lines.
	First []string
	// Debugging is true while the dialogue shows what the script in hand logs. It may be nil.
	Debugging *atomic.Bool
	// Attach lets breakpoints stop the scripts of other callers of the engine.
	Attach bool
}

// dialogue is the state of one run.
type dialogue struct {
	Options
	place    Place
	commands []command
	paint    palette
	proto    int // the protocol that the session talks
	state    state
	buf      []byte
	failed   bool
	syntax   syntax

	script    *script // of :load; nil: none
	before    *engine.Snapshot
	snapshots map[string]*engine.Snapshot

	points  map[string][]debugger.Breakpoint // by the SHA1 of the script
	stops   debugger.Stops
	watches []string

	stop   *stopped   // the script that is stopped, or nil
	others []*stopped // further ones, which wait until that has ended
	repeat string     // what an empty line at a stop does
	mail   *mailbox
	wanted wanted
}

// slow is from when on Timing prints a command's time.
const slow = 500 * time.Millisecond

// Run holds a dialogue until the lines end or quit is typed. It returns the error of a Reader or a closed engine, and [ErrFailed]
// where a line has failed.
func Run(o Options) error {
	d := &dialogue{Options: o, place: o.Place, commands: table(), points: map[string][]debugger.Breakpoint{}, paint: palette(o.Colour), proto: o.Proto}
	d.mail = newMailbox(o.Lines.Wake)
	defer d.syntax.close()
	detach, err := d.attach()
	if err != nil {
		return err
	}
	defer d.end()
	defer detach()
	if err := d.first(); err != nil {
		return err
	}
	err = d.lines()
	if err == nil && d.failed {
		err = ErrFailed
	}
	return err
}

// first obeys the lines that come before what is typed.
func (d *dialogue) first() error {
	for i, line := range d.Fixture {
		args, err := display.Split(line)
		if err == nil && (len(args) == 0 || strings.HasPrefix(args[0], "#")) {
			continue
		}
		var a answer
		if err == nil {
			a, err = d.place.do(context.Background(), args)
		}
		if err == nil && a.value.IsError() {
			err = errors.New(a.value.Text())
		}
		if err != nil {
			d.fail(fmt.Sprintf("line %d of the fixture: %v", i+1, err))
			return ErrFirst
		}
		d.state.note(args, a.value)
	}
	for _, line := range d.First {
		if err := d.line(line); err != nil {
			return err
		}
		if d.failed && d.stop == nil {
			return ErrFirst
		}
	}
	return nil
}

// lines obeys all lines.
func (d *dialogue) lines() error {
	for {
		line, err := d.Lines.ReadLine((*assistant)(d))
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

// line obeys one line, and tells what is wrong with it. The error is one that ends the dialogue.
func (d *dialogue) line(line string) error {
	err := d.try(strings.TrimSpace(line))
	if d.stop == nil {
		defer d.settle()
	}
	if err == nil || errors.Is(err, errQuit) || errors.Is(err, engine.ErrClosed) {
		return err
	}
	d.fail(err.Error())
	return nil
}

// fail tells of an error.
func (d *dialogue) fail(text string) {
	d.failed = true
	d.say(d.paint.lines(d.paint.bad, text))
}

// say prints a line.
func (d *dialogue) say(text string) { fmt.Fprintln(d.Out, text) }

// sayf prints a line.
func (d *dialogue) sayf(format string, args ...any) { fmt.Fprintf(d.Out, format+"\n", args...) }

func (d *dialogue) try(line string) error {
	if line == "" {
		if d.stop == nil || d.repeat == "" {
			return nil
		}
		line = d.repeat
	}
	switch line[0] {
	case ':':
		return d.own(line[1:])
	case '=':
		return d.lua(line[1:])
	}
	word, rest := cutWord(line)
	if c := d.bare(word); c != nil {
		return d.obey(c, rest)
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
	if d.stop == nil && runsScript(args) {
		d.remember()
	}
	for range times {
		if more, err := d.run(args); err != nil || !more {
			return err
		}
	}
	return nil
}
