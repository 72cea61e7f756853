package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/kong"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/core/coverage"
	"github.com/redmoon-lua/redmoon/internal/core/coverage/formats"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
)

// coverageFlag is the flag --coverage[=FILE] of "redmoon test".
type coverageFlag struct {
	on   bool
	file string // "": show a table
}

// IsBool says that the flag needs no value.
func (*coverageFlag) IsBool() bool { return true }

// Decode implements kong.MapperValue.
func (f *coverageFlag) Decode(ctx *kong.DecodeContext) error {
	f.on = true
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		f.file = fmt.Sprint(ctx.Scan.Pop().Value)
	}
	return nil
}

// coverageForms are the forms of coverage by the ends of files' names.
var coverageForms = map[string]string{".html": "html", ".info": "lcov", ".xml": "cobertura", ".out": "go", ".json": "json"}

// checkCoverage checks the flags of coverage.
func (c *testCommand) checkCoverage() error {
	switch {
	case !c.Coverage.on && c.coverageLimits != coverageLimits{}:
		return errors.New("--fail-under needs --coverage")
	case c.Coverage.file != "" && coverageForms[filepath.Ext(c.Coverage.file)] == "":
		return fmt.Errorf("--coverage: the name of the file must end in .html, .info (lcov), .xml (Cobertura), .out (Go) or .json, not %q",
			c.Coverage.file)
	}
	return nil
}

// testWatcher counts and measures the scripts of one run of tests.
type testWatcher struct {
	c *testCommand
	*watcher

	mu      sync.Mutex
	sources *coverage.Sources // the files of scripts
}

// watcher makes the engines of a run count and measure.
func (c *testCommand) watcher(opt *luatest.Options) *testWatcher {
	w := &testWatcher{c: c, watcher: &watcher{now: time.Now, files: watchFlags{Profile: c.Profile}}, sources: coverage.NewSources()}
	if c.Coverage.on {
		w.coverage = engine.NewCoverage()
	}
	if c.Profile != "" {
		w.profile = engine.NewProfile()
	}
	opt.Coverage, opt.Profile, opt.OnScript = w.coverage, w.profile, w.script
	return w
}

// script notes the files of a script.
func (w *testWatcher) script(s testredis.Source) {
	if file := s.File(); file != "" {
		w.name(s.Text, filepath.ToSlash(file))
	} else if len(s.Pieces) > 1 || s.Pieces[0].Path != "" {
		w.nameLines(s.Built)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range s.Pieces {
		if p.Path != "" {
			w.sources.Add(p.Path, p.Text)
		} else {
			w.sources.AddText(p.Text)
		}
	}
	var runs []coverage.Run
	for i, p := range s.Pieces {
		end := len(strings.Split(s.Text, "\n")) + 1
		if i+1 < len(s.Pieces) {
			end = s.Pieces[i+1].First
		}
		runs = append(runs, coverage.Run{Path: p.Path, Source: p.Text, First: p.First, Line: p.Line, Count: end - p.First})
	}
	w.sources.AddBuilt(s.Text, runs)
}

// report writes the profile, and shows or writes the coverage of scripts that are in files. It
// reports whether too little is covered.
func (w *testWatcher) report(std *streams) (under bool, err error) {
	if err := w.writeProfile(); err != nil || w.coverage == nil {
		return false, err
	}
	scripts := w.coverage.Scripts()
	r, err := coverage.NewReport(scripts, w.sources)
	if err != nil {
		return false, err
	}
	r.KnownOnly()
	out, form := std.out, "text"
	if w.c.Format != "text" {
		out = std.err // the other output is for programs
	}
	var b bytes.Buffer
	if w.c.Coverage.file == "" {
		fmt.Fprintln(&b)
	} else {
		form = coverageForms[filepath.Ext(w.c.Coverage.file)]
	}
	print := func(to io.Writer) error { return formats.Print(to, form, r, w.now()) }
	if form == "json" {
		print = func(to io.Writer) error { return coverage.Write(to, scripts) }
	}
	if err := print(&b); err != nil {
		return false, err
	}
	if w.c.Coverage.file != "" {
		err = files.Replace(w.c.Coverage.file, b.String())
	} else {
		_, err = out.Write(b.Bytes())
	}
	return w.c.isUnder(std.err, r.Totals()), err
}
