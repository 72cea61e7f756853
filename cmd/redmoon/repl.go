package main

import (
	"fmt"
	"os"
	"os/signal"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/redmoon-lua/redmoon/engine"
)

type replCommand struct {
	format
	Compat  string `default:"7.0" placeholder:"VERSION" help:"Version of Redis to follow: 7.0, 7.4 or 8.0. Default ${default}."`
	Cluster bool   `help:"A prompt of a Redis Cluster, where all keys of one command must share a slot."`
}

// Help is the long text of "redmoon repl --help".
func (replCommand) Help() string {
	return `Commands run on an engine that lives as long as the prompt. Type "help" there for what it understands. At a terminal there are history, completion (Tab) and hints; from a pipe the lines are run one after the other and replies are printed raw.

The history is kept in ~/.redmoon_history, or in $XDG_STATE_HOME/redmoon/history where that variable is set, or in the file that REDMOON_HISTORY names.`
}

func (c *replCommand) Run(std *streams) error {
	e, err := engine.New(engine.Options{Compat: c.Compat, Cluster: c.Cluster, Logger: std.logger()})
	if err != nil {
		return err
	}
	defer e.Close()
	sess, err := c.session(std.interruptible, e)
	if err != nil {
		return err
	}
	o := repl.Options{Commands: e.Commands(), Out: std.out, Proto: c.proto(), Print: c.printer(std.outTTY), Timing: std.outTTY}
	if !std.inTTY || !std.outTTY {
		o.Lines = repl.NewPlain(std.in)
		return repl.Run(sess, o)
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
	o.Lines = repl.NewEditor(history, e.Commands())
	err = repl.Run(sess, o)
	if saveErr := history.Save(); err == nil && saveErr != nil {
		err = fmt.Errorf("history: %w", saveErr)
	}
	return err
}
