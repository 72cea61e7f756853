package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/redmoon-lua/redmoon/engine"
)

// promptFlags are those of every command that has a prompt.
type promptFlags struct {
	format
	Color   string `default:"auto" enum:"auto,always,never" help:"Colours: auto (on a terminal, unless NO_COLOR is set), always or never."`
	Compat  string `default:"7.0" placeholder:"VERSION" help:"Version of Redis to follow: 7.0, 7.4 or 8.0. Default ${default}."`
	Cluster bool   `help:"Be a Redis Cluster, where all keys of one command must share a slot."`
	Connect string `placeholder:"ADDR" help:"Be a client of a Redis server: host:port, redis://user:password@host:port/db, rediss:// or unix://path."`
}

type replCommand struct {
	promptFlags
	Listen string `placeholder:"ADDR" help:"Let Redis clients use the same data, at host:port or a unix socket. Their scripts stop at breakpoints too."`
}

// Help is the long text of "redmoon repl --help".
func (replCommand) Help() string {
	return `Commands run on an engine that lives as long as the prompt. Type "help" there for what it understands; it also runs and debugs scripts (":load", ":debug"). At a terminal there are history, completion (Tab) and hints; from a pipe the lines are run one after the other, replies are printed raw, and the exit code is 1 when one of them failed.

The history is kept in ~/.redmoon_history, or in $XDG_STATE_HOME/redmoon/history where that variable is set, or in the file that REDMOON_HISTORY names.`
}

func (c *replCommand) Run(std *streams) error { return c.open(std, c.Listen, repl.Options{}) }

// open opens the place where commands are to run, and holds a dialogue there.
func (f promptFlags) open(std *streams, listen string, o repl.Options) error {
	if f.Connect != "" {
		if listen != "" || f.Cluster {
			return errors.New("--listen and --cluster are for an engine of its own, not for --connect")
		}
		place, err := repl.Connect(std.interruptible, f.Connect, f.proto())
		if err != nil {
			return err
		}
		defer place.Close()
		known := true
		if o.Commands, known = engine.CommandsOf(f.Compat); !known {
			return fmt.Errorf("there is no version %q to follow", f.Compat)
		}
		o.Place = place
		return f.converse(std, o)
	}
	clock := repl.NewClock()
	o.Debugging = new(atomic.Bool)
	logger := slog.New(muted{std.logger().Handler(), o.Debugging})
	e, err := engine.New(engine.Options{Compat: f.Compat, Cluster: f.Cluster, Logger: logger, Clock: clock})
	if err != nil {
		return err
	}
	defer e.Close()
	sess, err := f.session(std.interruptible, e)
	if err != nil {
		return err
	}
	if listen != "" {
		stop, err := std.listen(e, listen)
		if err != nil {
			return err
		}
		defer stop()
	}
	o.Place, o.Commands, o.Attach = &repl.Local{Engine: e, Session: sess, Clock: clock}, e.Commands(), listen != ""
	return f.converse(std, o)
}

// converse holds a dialogue, at a terminal or in a pipe.
func (f promptFlags) converse(std *streams, o repl.Options) error {
	o.Out, o.Proto, o.Print, o.Timing = std.out, f.proto(), f.printer(std.outTTY), std.outTTY
	_, noColour := os.LookupEnv("NO_COLOR")
	o.Colour = f.Color == "always" || f.Color == "auto" && std.outTTY && !noColour
	if !std.inTTY || !std.outTTY {
		lines := repl.NewPlain(std.in)
		lines.News = std.out
		o.Lines = lines
		return exitCode(repl.Run(o))
	}
	std.stopInterrupts()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	o.Interrupts = interrupts
	history, err := repl.LoadHistory(repl.HistoryFile(os.LookupEnv))
	if err != nil {
		fmt.Fprintf(std.err, "redmoon: history: %v\n", err)
	}
	o.Lines = repl.NewEditor(history, o.Colour)
	err = repl.Run(o)
	if errors.Is(err, repl.ErrFailed) { // it has been seen
		err = nil
	}
	err = exitCode(err)
	if saveErr := history.Save(); err == nil && saveErr != nil {
		err = fmt.Errorf("history: %w", saveErr)
	}
	return err
}

func exitCode(err error) error {
	if errors.Is(err, repl.ErrFailed) || errors.Is(err, repl.ErrFirst) {
		return exitError(1)
	}
	return err
}
