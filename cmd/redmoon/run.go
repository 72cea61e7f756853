package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/excerpt"
	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
)

type runCommand struct {
	format
	rdbFlags
	migrateFlag
	fixtureFlag
	watchFlags
	callFlag
	Script  string `arg:"" name:"script" help:"File of the script; - is standard input."`
	Connect string `placeholder:"ADDR" help:"Run on a Redis server: host:port, redis://user:password@host:port/db, unix://path."`
	serverFlag
	Diff    bool       `help:"Show also the keys that the script has changed."`
	DryRun  bool       `name:"dry-run" help:"Show also the keys that the script changes. Nothing is kept."`
	Repeat  int        `default:"1" placeholder:"N" help:"Run it so many times, one after the other. Default ${default}."`
	Time    bool       `help:"Show how long the runs took, on standard error."`
	Strict  strictKeys `name:"strict-keys" help:"Refuse keys that are not in KEYS; --strict-keys=warn only logs them."`
	Cluster bool       `help:"Run as on a Redis Cluster, where all keys must be in one slot."`
	Args    []string   `arg:"" optional:"" passthrough:"" name:"key ... , arg" help:"KEYS, and after a separate comma ARGV."`
}

// Help is the long text of "redmoon run --help".
func (runCommand) Help() string {
	return `The script runs on a keyspace of its own, which is empty or holds what --rdb and --fixture load. No file
is changed. With --connect it runs on a server instead, whose keys it changes. Keys and arguments are
those of redis-cli --eval:

  redmoon run lock.lua mylock , token 30
  redmoon lock.lua mylock , token 30
  redmoon run --fixture users.json --diff claim.lua stock:1 , ann

A file whose first line names a library (#!lua name=...) is loaded, and --call calls a function of it:

  redmoon run stock.lua --call claim stock:1 , ann

Flags must come before the keys. redis.log writes to standard error. If the script fails, the error, the
lines around it, and the writes that it leaves behind go to standard error, and the exit code is 1.

With --coverage the run is added to the file, which "redmoon coverage" reads. With --profile FILE, the
costs of lines are shown by "go tool pprof -lines -top FILE", or by a browser if FILE ends in .html.

With --diff the keys that have changed follow on standard error: the old state behind -, the new one
behind +. --dry-run shows the same, and undoes it. --repeat prints each reply.`
}

func (c *runCommand) Run(std *streams) error {
	if c.Repeat < 1 {
		return errors.New("--repeat: the number must be 1 or more")
	}
	script, err := c.read(std.in)
	if err != nil {
		return err
	}
	library, err := c.library(script.Files[0], script.Text)
	if err != nil {
		return err
	}
	if library {
		if err := c.check(std, script, c.Server); err != nil {
			return err
		}
	}
	c.warnOfWords(std)
	options := engine.Options{Server: c.Server, Cluster: c.Cluster, StrictKeys: engine.KeyPolicy(c.Strict), Logger: std.logger(),
		ScriptMigrate: c.Migrate}
	watch, err := c.watch(&options, time.Now)
	if err != nil {
		return err
	}
	watch.nameBuilt(script)
	place, e, err := c.open(std, options)
	if err != nil {
		return err
	}
	if e != nil {
		defer e.Close()
	}
	if err := c.loadFixture(std.interruptible, place); err != nil {
		return err
	}
	var before *engine.Snapshot
	if c.DryRun || c.Diff {
		if before, err = e.Snapshot(); err != nil {
			return err
		}
	}
	err = c.runAll(std, place, script)
	if problem := errors.Join(watch.appendCoverage(), watch.writeProfile()); problem != nil {
		return problem
	}
	var exit exitError
	if before != nil && (err == nil || errors.As(err, &exit)) {
		if problem := c.showChanges(std, e, before); problem != nil {
			return problem
		}
	}
	return err
}

// warnOfWords warns about keys and arguments that are flags of redmoon run, or have a comma that
// was meant to separate them.
func (c *runCommand) warnOfWords(std *streams) {
	separated := slices.Contains(c.Args, ",")
	for _, word := range c.Args {
		if !separated && (strings.HasPrefix(word, ",") || strings.HasSuffix(word, ",")) {
			fmt.Fprintf(std.err, "redmoon: note: %s is a key; the comma before the arguments stands alone: key , arg\n", word)
		}
		flag, isFlag := strings.CutPrefix(word, "--")
		flag, _, _ = strings.Cut(flag, "=")
		if isFlag && ownsFlag(std, "run", flag) {
			fmt.Fprintf(std.err, "redmoon: note: %s is passed to the script; flags of redmoon come before the keys\n", word)
		}
	}
}

// open returns where the script runs: a new engine, which the caller must close, or a server.
func (c *runCommand) open(std *streams, options engine.Options) (backend.Backend, *engine.Engine, error) {
	if c.Connect != "" {
		for flag, set := range map[string]bool{
			"--rdb": c.RDB != "" || len(c.RDBMatch) > 0, "--diff": c.Diff, "--dry-run": c.DryRun, "--cluster": c.Cluster,
			"--strict-keys": c.Strict != 0, "--coverage": c.Coverage != "", "--profile": c.Profile != "",
			"--script-migrate": c.Migrate,
		} {
			if set {
				return nil, nil, fmt.Errorf("%s cannot be used with --connect", flag)
			}
		}
		server, err := backend.Connect(std.interruptible, c.Connect, c.proto())
		return server, nil, err
	}
	e, err := engine.New(options)
	if err != nil {
		return nil, nil, err
	}
	if err := c.load(std.interruptible, std, e); err != nil {
		e.Close()
		return nil, nil, err
	}
	sess, err := c.session(std.interruptible, e)
	if err != nil {
		e.Close()
		return nil, nil, err
	}
	return &backend.Local{Engine: e, Session: sess}, e, nil
}

// runAll runs the script as often as the user wants, and stops at the first error.
func (c *runCommand) runAll(std *streams, place backend.Backend, script *bundle.Bundle) error {
	keys, args := repl.SplitKeys(c.Args)
	print := c.printer(std.outTTY)
	run := func() (backend.Answer, error) {
		return place.RunScript(std.interruptible, engine.NewScript(script.Text), keys, args)
	}
	if c.Call != "" {
		lib, a, err := backend.LoadLibrary(std.interruptible, place, script.Text)
		if err != nil {
			return err
		}
		if lib == nil {
			c.showError(std, script, a)
			return exitError(1)
		}
		call := backend.FunctionCall(c.Call, keys, args)
		run = func() (backend.Answer, error) { return place.Do(std.interruptible, call) }
	}
	var took []time.Duration
	for range c.Repeat {
		began := time.Now()
		a, err := run()
		if err != nil {
			return err
		}
		took = append(took, time.Since(began))
		if a.Value.IsError() {
			c.showError(std, script, a)
			return exitError(1)
		}
		if _, err := std.out.Write(print(nil, nil, display.Shape(a.Value, c.proto()))); err != nil {
			return err
		}
	}
	if c.Time {
		showTimes(std.err, took)
	}
	return nil
}

// showTimes shows how long runs took. The first one compiles the script.
func showTimes(w io.Writer, took []time.Duration) {
	if len(took) == 1 {
		fmt.Fprintf(w, "1 run: %v, with compiling\n", took[0])
		return
	}
	first := took[0]
	slices.Sort(took)
	at := func(part float64) time.Duration { return took[int(part*float64(len(took)-1))] }
	fmt.Fprintf(w, "%d runs: first %v, median %v, p99 %v, longest %v\n", len(took), first, at(0.5), at(0.99), at(1))
}

// showError shows the error of a script, the lines around it, and what the script leaves behind.
func (c *runCommand) showError(std *streams, script *bundle.Bundle, a backend.Answer) {
	text := a.Value.Text()
	fmt.Fprintln(std.err, text)
	if strings.Contains(text, "command arguments must be strings or integers") { // KEYS or ARGV has fewer, perhaps
		keys, args := repl.SplitKeys(c.Args)
		fmt.Fprintf(std.err, "redmoon: note: the script has %d in KEYS and %d in ARGV\n", len(keys), len(args))
	}
	if line, ok := excerpt.Line(text); ok && line <= script.Lines() {
		at := script.Line(line)
		fmt.Fprintf(std.err, "\n%s", excerpt.Of(at.File, script.Source(at.File), at.Line))
	}
	if a.Left != nil {
		fmt.Fprintf(std.err, "\n%s", display.Writes(a.Left))
	}
}

// showChanges shows on standard error what has changed since before, so that standard output has
// only the reply. A dry run undoes it.
func (c *runCommand) showChanges(std *streams, e *engine.Engine, before *engine.Snapshot) error {
	changes, err := e.Changes(before)
	if err != nil {
		return err
	}
	if c.DryRun {
		if err := e.Restore(before); err != nil {
			return err
		}
	}
	switch n := len(changes); {
	case n == 0 && c.DryRun:
		fmt.Fprintln(std.err, "Dry run: no key would change.")
	case n == 0:
		fmt.Fprintln(std.err, "No key has changed.")
	case n == 1 && c.DryRun:
		fmt.Fprintln(std.err, "Dry run, nothing is kept. 1 key would change:")
	case c.DryRun:
		fmt.Fprintf(std.err, "Dry run, nothing is kept. %d keys would change:\n", n)
	case n == 1:
		fmt.Fprintln(std.err, "1 key has changed:")
	default:
		fmt.Fprintf(std.err, "%d keys have changed:\n", n)
	}
	for _, change := range changes {
		fmt.Fprint(std.err, display.Change(change, display.Plain, display.Plain, display.Plain))
	}
	return nil
}

// read returns the script, with what it includes.
func (c *runCommand) read(stdin io.Reader) (*bundle.Bundle, error) {
	if c.Script == "-" {
		b, err := io.ReadAll(stdin)
		return bundle.Whole("standard input", string(b)), err
	}
	return embedded.Build(c.Script, bundle.Options{})
}
