package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/project"
	"github.com/redmoon-lua/redmoon/internal/core/coverage"
	"github.com/redmoon-lua/redmoon/internal/core/coverage/formats"
)

type coverageCommand struct {
	Files []string `arg:"" name:"file" help:"Coverage files; - is standard input."`

	Format    string   `default:"text" enum:"text,lcov,cobertura,go,html,json" placeholder:"FORM" help:"Form of the report."`
	Output    string   `short:"o" placeholder:"FILE" help:"File of the report. Default: standard output."`
	Sources   []string `default:"." placeholder:"FOLDER" help:"Folders with the files of scripts. Default: this folder."`
	FilesOnly bool     `name:"files-only" help:"Leave out scripts whose files are not known."`
	coverageLimits
}

// coverageLimits are the flags that demand coverage.
type coverageLimits struct {
	FailUnder         float64 `name:"fail-under" placeholder:"PERCENT" help:"Exit code 1 if less of the lines is covered."`
	FailUnderBranches float64 `name:"fail-under-branches" placeholder:"PERCENT" help:"Exit code 1 if less of the branches is covered."`
}

// Help is the long text of "redmoon coverage --help".
func (coverageCommand) Help() string {
	return `The files are those of "redmoon test --coverage=FILE.json", REDMOON_COVER and -redmoon.cover (package
redmoontest), "redmoon run --coverage" and "redmoon serve --coverage". What several of them say of a script is added up.

  REDMOON_COVER=cover.json go test -count=1 ./...
  redmoon coverage cover.json --format html -o coverage.html
  redmoon coverage cover.json --fail-under 90 --fail-under-branches 80

A script that a program has embedded, or put together from several files, has no name. Its files are found by
their content in the folders of --sources and those below them.

Forms: text (default), lcov, cobertura, go, html, and json, which is again a coverage file. The exit code is
0; 1 if too little is covered; 2 if a file cannot be read or written.`
}

func (c *coverageCommand) Run(std *streams) error {
	under, err := c.run(std)
	if err != nil {
		fmt.Fprintf(std.err, "redmoon: %v\n", err)
		return exitError(2)
	}
	if under {
		return exitError(1)
	}
	return nil
}

// run reports whether too little is covered.
func (c *coverageCommand) run(std *streams) (under bool, err error) {
	var set coverage.Set
	for _, path := range c.Files {
		if path == "-" {
			err = set.Read("standard input", std.in)
		} else {
			err = set.ReadFile(path)
		}
		if err != nil {
			return false, err
		}
	}
	sources, err := coverage.ReadSources(c.Sources...)
	if err != nil {
		return false, fmt.Errorf("--sources: %w", err)
	}
	addBuilt(sources)
	scripts := set.Scripts()
	sources.Name(scripts)
	report, err := coverage.NewReport(scripts, sources)
	if err != nil {
		return false, err
	}
	if c.FilesOnly {
		report.KnownOnly()
	}
	err = c.write(std.out, func(w io.Writer) error {
		if c.Format == "json" {
			return coverage.Write(w, scripts)
		}
		return formats.Print(w, c.Format, report, time.Now())
	})
	return c.isUnder(std.err, report.Totals()), err
}

// addBuilt adds the scripts that are built of files and what belongs to them.
func addBuilt(sources *coverage.Sources) {
	sources.Each(func(text, path string) {
		name := filepath.FromSlash(path)
		p, err := project.Find(filepath.Dir(name), project.ReadFile)
		if err != nil {
			return
		}
		for _, drop := range []bool{false, true} { // as builds of BullMQ do, also where nothing is included
			b, err := p.Build(name, bundle.Options{DropEmptyLines: drop})
			if err != nil {
				return // then it has not run either
			}
			if b.Text != text {
				sources.AddBuilt(b.Text, runsOf(b))
			}
		}
	})
}

// runsOf returns the lines of a script as coverage counts them.
func runsOf(b *bundle.Bundle) (runs []coverage.Run) {
	for _, r := range b.Runs() {
		runs = append(runs, coverage.Run{Path: r.File, Source: b.Source(r.File), First: r.First, Line: r.Line, Count: r.Count})
	}
	return runs
}

// write writes to the file of the report, or to out.
func (c *coverageCommand) write(out io.Writer, print func(io.Writer) error) error {
	if c.Output == "" {
		return print(out)
	}
	f, err := os.Create(filepath.Clean(c.Output))
	if err != nil {
		return err
	}
	if err := print(f); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// isUnder reports whether too little is covered, and says what.
func (c coverageLimits) isUnder(w io.Writer, t coverage.Totals) (under bool) {
	for _, limit := range []struct {
		what string
		have coverage.Share
		want float64
	}{{"lines", t.Lines, c.FailUnder}, {"branches", t.Branches, c.FailUnderBranches}} {
		if have := limit.have.Percent(); have < limit.want {
			fmt.Fprintf(w, "redmoon: %.1f%% of the %s are covered, which is less than %g%%\n", have, limit.what, limit.want)
			under = true
		}
	}
	return under
}
