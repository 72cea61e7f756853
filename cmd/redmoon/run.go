package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/excerpt"
)

type runCommand struct {
	format
	rdbFlags
	watchFlags
	Script  string   `arg:"" name:"script" help:"File of the script; - is standard input."`
	Compat  string   `default:"7.0" placeholder:"VERSION" help:"Version of Redis to follow: 7.0, 7.4 or 8.0. Default ${default}."`
	DryRun  bool     `name:"dry-run" help:"Show also the keys that the script changes. Nothing is kept."`
	Cluster bool     `help:"Run as on a Redis Cluster, where all keys must be in one slot."`
	Args    []string `arg:"" optional:"" passthrough:"" name:"key ... , arg" help:"KEYS, and after a separate comma ARGV."`
}

// Help is the long text of "redmoon run --help".
func (runCommand) Help() string {
	return `The script runs on a keyspace of its own, which is empty or, with --rdb, holds a copy of the keys of
a file. The file is not changed. Keys and arguments are those of redis-cli --eval:

  redmoon run lock.lua mylock , token 30

Flags must come before the keys. redis.log writes to standard error. If the script fails, the error, the
lines around it, and the writes that it leaves behind go to standard error, and the exit code is 1.

With --coverage the run is added to the file, which "redmoon coverage" reads. With --profile FILE, the
costs of lines are shown by "go tool pprof -lines -top FILE", or by a browser if FILE ends in .html.

With --dry-run the keys that change follow on standard error: the old state behind -, the new one
behind +.`
}

func (c *runCommand) Run(std *streams) error {
	name, source, err := c.read(std.in)
	if err != nil {
		return err
	}
	options := engine.Options{Compat: c.Compat, Cluster: c.Cluster, Logger: std.logger()}
	watch, err := c.watch(&options, time.Now)
	if err != nil {
		return err
	}
	watch.name(source, name)
	e, err := engine.New(options)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := c.load(std.interruptible, std, e); err != nil {
		return err
	}
	keys, args := repl.SplitKeys(c.Args)
	sess, err := c.session(std.interruptible, e)
	if err != nil {
		return err
	}
	var before *engine.Snapshot
	if c.DryRun {
		if before, err = e.Snapshot(); err != nil {
			return err
		}
	}
	v, err := sess.RunScript(std.interruptible, engine.NewScript(source), keys, args)
	if problem := errors.Join(watch.appendCoverage(), watch.writeProfile()); problem != nil {
		return problem
	}
	var scriptError *engine.Error
	switch {
	case errors.As(err, &scriptError):
		c.showError(std, name, source, err)
		err = exitError(1)
	case err == nil:
		_, err = std.out.Write(c.printer(std.outTTY)(nil, nil, display.Shape(v, c.proto())))
	}
	if before != nil && (err == nil || scriptError != nil) {
		if problem := showDryRun(std, e, before); problem != nil {
			return problem
		}
	}
	return err
}

// showError shows the error of a script, the lines around it, and what the script leaves behind.
func (c *runCommand) showError(std *streams, name, source string, err error) {
	fmt.Fprintln(std.err, err)
	if line, ok := excerpt.Line(err.Error()); ok {
		fmt.Fprintf(std.err, "\n%s", excerpt.Of(name, source, line))
	}
	var left *engine.ScriptError
	if errors.As(err, &left) {
		fmt.Fprintf(std.err, "\n%s", display.Writes(left))
	}
}

// showDryRun undoes what has changed since before, and shows it on standard error, so that standard
// output has only the reply.
func showDryRun(std *streams, e *engine.Engine, before *engine.Snapshot) error {
	changes, err := e.Changes(before)
	if err != nil {
		return err
	}
	if err := e.Restore(before); err != nil {
		return err
	}
	switch len(changes) {
	case 0:
		fmt.Fprintln(std.err, "Dry run: no key would change.")
		return nil
	case 1:
		fmt.Fprintln(std.err, "Dry run, nothing is kept. 1 key would change:")
	default:
		fmt.Fprintf(std.err, "Dry run, nothing is kept. %d keys would change:\n", len(changes))
	}
	for _, change := range changes {
		fmt.Fprint(std.err, display.Change(change, display.Plain, display.Plain, display.Plain))
	}
	return nil
}

// read returns the script and its name for messages.
func (c *runCommand) read(stdin io.Reader) (name, source string, err error) {
	if c.Script == "-" {
		b, err := io.ReadAll(stdin)
		return "standard input", string(b), err
	}
	b, err := os.ReadFile(c.Script)
	return c.Script, string(b), err
}
