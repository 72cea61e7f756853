package main

import (
	"bytes"
	"os"
	"path/filepath"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/core/coverage"
	"github.com/redmoon-lua/redmoon/internal/core/profile"
	"github.com/redmoon-lua/redmoon/internal/core/profile/flame"
)

// watchFlags are the flags of the commands that can count and measure scripts.
type watchFlags struct {
	Coverage string `placeholder:"FILE" help:"Write which lines and branches of scripts have run, for redmoon coverage."`
	Profile  string `placeholder:"FILE" help:"Write what the lines of scripts cost: a page if FILE ends in .html, else for pprof."`
}

// watcher counts and measures the scripts of an engine.
type watcher struct {
	coverage *engine.Coverage
	profile  *engine.Profile
	files    watchFlags // absolute paths; "" if there is none
	now      func() time.Time
}

// watch makes an engine with these options count and measure.
func (f watchFlags) watch(o *engine.Options, now func() time.Time) (*watcher, error) {
	w := &watcher{now: now}
	for _, p := range []struct{ to, path *string }{{&w.files.Coverage, &f.Coverage}, {&w.files.Profile, &f.Profile}} {
		if *p.path == "" {
			continue
		}
		path, err := filepath.Abs(*p.path)
		if err != nil {
			return nil, err
		}
		*p.to = path
	}
	if f.Coverage != "" {
		w.coverage = engine.NewCoverage()
		o.Coverage = w.coverage
	}
	if f.Profile != "" {
		w.profile = engine.NewProfile()
		o.Profile = w.profile
	}
	return w, nil
}

// name sets the name of the file of a script.
func (w *watcher) name(script, file string) {
	if w.coverage != nil {
		w.coverage.Name(script, file)
	}
	if w.profile != nil {
		w.profile.Name(script, file)
	}
}

// nameBuilt sets the names of the files of a script.
func (w *watcher) nameBuilt(b *bundle.Bundle) {
	if file := b.Files[0]; b.Source(file) == b.Text {
		w.name(b.Text, file)
	} else {
		w.nameLines(b)
	}
}

// nameLines sets the names of the files of a script that is made of several.
func (w *watcher) nameLines(b *bundle.Bundle) {
	if w.profile != nil {
		w.profile.NameLines(b.Text, func(line int) (string, int) {
			p := b.Line(line)
			return filepath.ToSlash(p.File), p.Line
		})
	}
}

// nameSources names the scripts that are in files of folders.
func (w *watcher) nameSources(folders []string) error {
	if w.coverage == nil && w.profile == nil {
		return nil
	}
	sources, err := coverage.ReadSources(folders...)
	if err != nil {
		return err
	}
	sources.Each(w.name)
	return nil
}

// writeProfile replaces the file of the profile.
func (w *watcher) writeProfile() error {
	if w.profile == nil {
		return nil
	}
	var b bytes.Buffer
	print := profile.Write
	if filepath.Ext(w.files.Profile) == ".html" {
		print = flame.Write
	}
	if err := print(&b, w.profile, w.now()); err != nil {
		return err
	}
	return files.Replace(w.files.Profile, b.String())
}

// writeCoverage replaces the file of the coverage.
func (w *watcher) writeCoverage() error {
	if w.coverage == nil {
		return nil
	}
	var b bytes.Buffer
	if err := coverage.Write(&b, w.coverage.Scripts()); err != nil {
		return err
	}
	return files.Replace(w.files.Coverage, b.String())
}

// appendCoverage adds to the file of the coverage.
func (w *watcher) appendCoverage() error {
	if w.coverage == nil {
		return nil
	}
	return coverage.Append(w.files.Coverage, w.coverage.Take())
}

// check checks that the files can be written.
func (w *watcher) check() error {
	for _, path := range []string{w.files.Coverage, w.files.Profile} {
		if path == "" {
			continue
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}
