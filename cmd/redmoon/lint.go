package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lintfiles"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

type lintCommand struct {
	Paths []string `arg:"" optional:"" name:"path" help:"Scripts, or folders with files *.lua. Default: this folder. - is standard input."`

	Redis  string   `placeholder:"VERSION" help:"Oldest version of Redis that the scripts must run on, 2.6 to 8.0. Default 7.0."`
	Server []string `placeholder:"NAME" help:"Servers to run on: redis-8.6,valkey-9.1, all, cluster, dragonfly, elasticache-serverless."`
	Config string   `placeholder:"FILE" help:"Configuration. Default: the nearest redmoon.toml in the folder of a script or above."`
	Level  string   `default:"info" enum:"info,warning,error" placeholder:"SEVERITY" help:"Least severity to report: info, warning, error."`
	Format string   `default:"text" enum:"text,json,sarif,github" placeholder:"FORM" help:"Form of the output: text, json, sarif or github."`
	Fix    bool     `help:"Repair what can be repaired without a change of what scripts do, and report the rest."`
	Unsafe bool     `name:"unsafe-fixes" help:"With --fix: repair comparisons that always fail or never hold, too."`
	Fail   string   `name:"fail-on" default:"warning" enum:"info,warning,error" placeholder:"SEVERITY" help:"Least severity for exit code 1."`
	Known  string   `name:"baseline" placeholder:"FILE" help:"Do not report the findings that this file lists."`
	Write  string   `name:"write-baseline" placeholder:"FILE" help:"List all findings in this file, for --baseline, and end with 0."`
	Rules  bool     `help:"List the rules and end."`
}

// Help is the long text of "redmoon lint --help".
func (lintCommand) Help() string {
	return `It compiles each script as Redis does and checks it by rules: keys that are not in KEYS, unknown commands
and options, missing tonumber, comparisons with nil, locks that never expire, and others. docs/lint.md shows
every rule with an example.

A comment turns rules off, for its line, for the next one or for the file:

  -- redmoon:disable built-key -- the caller passes the prefix
  -- redmoon:disable-next-line built-key, shadowing
  -- redmoon:disable-file unbounded-read

A code base that has many findings begins with --write-baseline, and goes on with --baseline: what the file
lists is known, by its file, its rule and the text of its line, and only new findings count.

The exit code is 1 with findings of at least --fail-on, 2 if a file cannot be read, and otherwise 0.`
}

func (c *lintCommand) Run(std *streams) error {
	found, err := c.run(std)
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintf(std.err, "redmoon: %s\n", line)
		}
		return exitError(2)
	}
	if found {
		return exitError(1)
	}
	return nil
}

// run reports whether there are findings. An error means that not everything could be checked.
func (c *lintCommand) run(std *streams) (found bool, err error) {
	if c.Rules {
		return false, lintfiles.PrintRules(std.out)
	}
	if len(c.Paths) == 0 {
		c.Paths = []string{"."}
	}
	level, _ := lint.ParseSeverity(c.Level)
	results, err := lintfiles.Run(c.Paths, lintfiles.Options{
		Redis: c.Redis, Servers: c.Server, Config: c.Config, Level: level, Fix: c.Fix, Unsafe: c.Unsafe, Stdin: std.in,
	})
	if err != nil && len(results) == 0 {
		return false, err
	}
	if c.Write != "" {
		if err == nil {
			err = lintfiles.WriteBaseline(c.Write, results)
		}
		return false, err
	}
	if c.Known != "" {
		b, baselineErr := lintfiles.ReadBaseline(c.Known)
		if baselineErr != nil {
			return false, baselineErr
		}
		if _, gone := b.Apply(results); gone > 0 {
			fmt.Fprintf(std.err, "redmoon: %s lists findings that are gone: %d; write it again\n", c.Known, gone)
		}
	}
	least, _ := lint.ParseSeverity(c.Fail)
	for _, r := range results {
		found = found || slices.ContainsFunc(r.Findings, func(f lint.Finding) bool { return f.Severity >= least })
	}
	var printed error
	switch c.Format {
	case "json":
		printed = lintfiles.PrintJSON(std.out, results)
	case "sarif":
		printed = lintfiles.PrintSARIF(std.out, results)
	case "github":
		printed = lintfiles.PrintGitHub(std.out, results)
	default:
		_, plain := os.LookupEnv("NO_COLOR")
		printed = lintfiles.PrintText(std.out, results, std.outTTY && !plain)
	}
	return found, errors.Join(err, printed)
}
