package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/excerpt"
)

type runCommand struct {
	format
	rdbFlags
	Script  string   `arg:"" name:"script" help:"File of the script; - is standard input."`
	Compat  string   `default:"7.0" placeholder:"VERSION" help:"Version of Redis to follow: 7.0, 7.4 or 8.0. Default ${default}."`
	Cluster bool     `help:"Run as on a Redis Cluster, where all keys must be in one slot."`
	Args    []string `arg:"" optional:"" passthrough:"" name:"key ... , arg" help:"KEYS, and after a separate comma ARGV."`
}

// Help is the long text of "redmoon run --help".
func (runCommand) Help() string {
	return `The script runs on a keyspace of its own, which is empty or, with --rdb, holds a copy of the keys of
a file. The file is not changed. Keys and arguments are those of redis-cli --eval:

  redmoon run lock.lua mylock , token 30

Flags must come before the keys. redis.log writes to standard error. If the script fails, the error and
the lines around it go to standard error, and the exit code is 1.`
}

func (c *runCommand) Run(std *streams) error {
	name, source, err := c.read(std.in)
	if err != nil {
		return err
	}
	e, err := engine.New(engine.Options{Compat: c.Compat, Cluster: c.Cluster, Logger: std.logger()})
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
	v, err := sess.RunScript(std.interruptible, engine.NewScript(source), keys, args)
	var scriptError *engine.Error
	if errors.As(err, &scriptError) {
		fmt.Fprintln(std.err, scriptError)
		if line, ok := excerpt.Line(scriptError.Error()); ok {
			fmt.Fprintf(std.err, "\n%s", excerpt.Of(name, source, line))
		}
		return exitError(1)
	}
	if err != nil {
		return err
	}
	_, err = std.out.Write(c.printer(std.outTTY)(nil, nil, display.Shape(v, c.proto())))
	return err
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
