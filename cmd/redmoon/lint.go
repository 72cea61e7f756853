package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lintfiles"
	"github.com/redmoon-lua/redmoon/internal/lint"
)

type lintCommand struct {
	Paths []string `arg:"" optional:"" name:"path" help:"Scripts, or folders with files *.lua. Default: this folder. - is standard input."`

	Redis  string `placeholder:"VERSION" help:"Oldest version of Redis that the scripts must run on, 2.6 to 8.0. Default 7.0."`
	Config string `placeholder:"FILE" help:"Configuration. Default: the nearest .redmoonlint in the folder of a script or above."`
	Level  string `default:"info" enum:"info,warning,error" placeholder:"SEVERITY" help:"Least severity to report: info, warning, error."`
	Format string `default:"text" enum:"text,json,sarif,github" placeholder:"FORM" help:"Form of the output: text, json, sarif or github."`
	Fix    bool   `help:"Repair what can be repaired without a change of what scripts do, and report the rest."`
	Unsafe bool   `name:"unsafe-fixes" help:"With --fix: repair comparisons that always fail or never hold, too."`
	Rules  bool   `help:"List the rules and end."`
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

The exit code is 0 without findings, 1 with findings, or 2 if a file cannot be read.`
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
		Redis: c.Redis, Config: c.Config, Level: level, Fix: c.Fix, Unsafe: c.Unsafe, Stdin: std.in,
	})
	if err != nil && len(results) == 0 {
		return false, err
	}
	for _, r := range results {
		found = found || len(r.Findings) > 0
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
