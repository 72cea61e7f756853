package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/deploy"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
)

type deployCommand struct {
	Address string   `arg:"" placeholder:"ADDRESS" help:"Server: redis://[user:password@]host[:port], rediss:// or unix://path."`
	Paths   []string `arg:"" optional:"" name:"path" help:"Scripts, or folders with files *.lua. Default: this folder."`

	Yes    bool     `short:"y" help:"Deploy. Without it, only the plan is printed."`
	Check  bool     `help:"Only show how the server differs; the exit code is 1 if it does."`
	Prune  []string `sep:"none" placeholder:"LIBRARY" help:"Delete this library of the server, which no file has. May be repeated."`
	Except []string `sep:"none" placeholder:"LIBRARY" help:"Say nothing about this library of the server. May be repeated."`
	Lock   lockFlag `placeholder:"FILE" help:"Write after success what was deployed, with --check compare with it. Default redmoon.lock."`

	Folders map[string]string `name:"folder" placeholder:"NAME=FOLDER" help:"The folder that <NAME> stands for in an include."`
	Drop    bool              `name:"drop-empty-lines" help:"Drop empty lines also where nothing is included."`
}

// lockFlag is the file of --lock[=FILE]; "": not given.
type lockFlag string

// IsBool says that the flag needs no value.
func (*lockFlag) IsBool() bool { return true }

// Decode implements kong.MapperValue.
func (f *lockFlag) Decode(ctx *kong.DecodeContext) error {
	*f = deploy.LockName
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		*f = lockFlag(fmt.Sprint(ctx.Scan.Pop().Value))
	}
	if *f == "" {
		return errors.New("the name of the lock file is empty")
	}
	return nil
}

// Help is the long text of "redmoon deploy --help".
func (deployCommand) Help() string {
	return `It loads scripts (SCRIPT LOAD) and function libraries (FUNCTION LOAD REPLACE) into a server, or into all masters
if the server belongs to a cluster, and looks afterwards whether they are there. A file is a library if its first
line is #!lua name=...; scripts are put together as redmoon bundle does. docs/deploy.md has the rules.

  redmoon deploy redis://localhost:6379 scripts               prints the plan, changes nothing
  redmoon deploy --yes --lock redis://localhost:6379 scripts  deploys, and writes redmoon.lock
  redmoon deploy --check redis://localhost:6379 scripts       shows what differs

The exit code is 0, or 1 if --check has found a difference, or 2 if something cannot be deployed or read. Nothing
is sent unless every text compiles and every node can be read.`
}

func (c *deployCommand) Run(std *streams) error {
	differ, err := c.run(std)
	switch {
	case errors.Is(err, context.Canceled) && std.interruptible.Err() != nil:
		return err
	case err != nil:
		fmt.Fprintf(std.err, "redmoon: %v\n", err)
		return exitError(2)
	case differ > 0:
		return exitError(1)
	}
	return nil
}

func (c *deployCommand) run(std *streams) (differ int, err error) {
	if _, err := os.Stat(c.Address); err == nil {
		return 0, fmt.Errorf("%s is a file or folder; the address of the server comes first: redmoon deploy redis://host:port %s",
			c.Address, c.Address)
	}
	if c.Check && (c.Yes || len(c.Prune) > 0) {
		return 0, errors.New("--check changes nothing: it goes with neither --yes nor --prune")
	}
	if len(c.Paths) == 0 {
		c.Paths = []string{"."}
	}
	return deploy.Run(std.interruptible, deploy.Options{
		Options: bundle.Options{Folders: c.Folders, DropEmptyLines: c.Drop},
		Address: c.Address, Paths: c.Paths, Yes: c.Yes, Check: c.Check, Prune: c.Prune, Except: c.Except, Lock: string(c.Lock),
		Stdout: std.out, Problems: std.err,
	})
}
