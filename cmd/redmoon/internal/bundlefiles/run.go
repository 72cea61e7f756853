package bundlefiles

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lintfiles"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/project"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
)

// Options say what to build, and what to do with it.
type Options struct {
	bundle.Options

	Out   string // the folder for the texts; "": Stdout
	Check bool   // write nothing; compare with the files in Out
	Map   bool   // also write, or compare, a source map beside each file in Out
	List  bool   // print the SHA1 and the path of each script instead of its text

	Stdout, Problems io.Writer // Problems gets what is wrong with scripts and files
}

// Outcome says what Run has found.
type Outcome struct {
	Differ int // with Check: files that are missing or differ
	Failed int // scripts that cannot be built, and files that cannot be read or written
}

// Script is a script of the command line, or of a folder there.
type Script struct {
	Path string
	name string // in Out
	*bundle.Bundle
}

// Find builds scripts as [Run] does. failed is the number of those that cannot be built; o.Problems
// has said why. The error says which path cannot be searched.
func Find(paths []string, o Options) (scripts []Script, failed int, err error) {
	var outcome Outcome
	scripts, err = o.build(paths, &outcome)
	return scripts, outcome.Failed, err
}

// Run builds scripts, and those below folders: all files there whose names end in .lua, without
// tests, which are not in Out, and which no other one includes. It writes nothing unless all
// can be built, and never over a file that no earlier run has written. The error says which path
// cannot be searched, which file cannot be written, or that o.Stdout fails.
func Run(paths []string, o Options) (Outcome, error) {
	var outcome Outcome
	scripts, err := o.build(paths, &outcome)
	switch {
	case err != nil || outcome.Failed > 0:
		return outcome, err
	case len(scripts) == 0:
		return outcome, errors.New("no scripts were found")
	case o.List:
		for _, s := range scripts {
			if _, err := fmt.Fprintf(o.Stdout, "%s  %s\n", s.SHA1(), s.Path); err != nil {
				return outcome, err
			}
		}
		return outcome, nil
	case o.Out == "" && len(scripts) > 1:
		return outcome, fmt.Errorf("%d scripts need a folder: --out FOLDER", len(scripts))
	case o.Out == "":
		_, err := io.WriteString(o.Stdout, scripts[0].Text)
		return outcome, err
	}
	if err := o.checkNames(scripts); err != nil {
		return outcome, err
	}
	outputs, err := o.outputs(scripts)
	switch {
	case err != nil:
		return outcome, err
	case o.Check:
		return outcome, o.compare(outputs, &outcome)
	}
	return outcome, o.write(outputs)
}

// build builds the scripts of the command line.
func (o *Options) build(paths []string, outcome *Outcome) ([]Script, error) {
	var scripts []Script
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			scripts = o.add(scripts, path, filepath.Base(path), outcome)
			continue
		}
		found, err := o.buildFolder(path, outcome)
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, found...)
	}
	return scripts, nil
}

// buildFolder builds the scripts below a folder.
func (o *Options) buildFolder(folder string, outcome *Outcome) ([]Script, error) {
	list, err := lintfiles.Files([]string{folder})
	if err != nil {
		return nil, err
	}
	var found []Script
	for _, file := range list {
		if luatest.IsTest(file) || o.isBuilt(file) {
			continue
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			return nil, err
		}
		found = o.add(found, file, name, outcome)
	}
	included := map[string]bool{}
	for _, s := range found {
		for _, file := range s.Files[1:] {
			included[full(file)] = true
		}
	}
	return slices.DeleteFunc(found, func(s Script) bool { return included[full(s.Path)] }), nil
}

// full returns the absolute path of a file.
func full(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return filepath.Clean(path)
}

// isBuilt reports whether a file is below the folder of the texts.
func (o *Options) isBuilt(path string) bool {
	if o.Out == "" {
		return false
	}
	rel, err := filepath.Rel(o.Out, path)
	if err != nil {
		return false
	}
	return rel == "." || filepath.IsLocal(rel)
}

func (o *Options) add(scripts []Script, path, name string, outcome *Outcome) []Script {
	b, err := project.Build(path, o.Options)
	if err != nil {
		outcome.Failed++
		fmt.Fprintf(o.Problems, "redmoon: %v\n", err)
		return scripts
	}
	return append(scripts, Script{Path: path, name: name, Bundle: b})
}

// checkNames returns an error if two scripts would be written to one file, or one over a file that
// scripts are made of.
func (o *Options) checkNames(scripts []Script) error {
	from := map[string]string{}
	for _, s := range scripts {
		if other, ok := from[s.name]; ok {
			return fmt.Errorf("%s and %s would both be %s", other, s.Path, filepath.Join(o.Out, s.name))
		}
		from[s.name] = s.Path
	}
	for _, s := range scripts {
		for _, name := range []string{s.name, s.name + mapEnd} {
			info, err := os.Stat(filepath.Join(o.Out, name))
			if err != nil {
				continue // it does not exist yet, or writing it will say why it cannot be used
			}
			for _, other := range scripts {
				for _, file := range other.Files {
					if source, err := os.Stat(file); err == nil && os.SameFile(info, source) {
						return fmt.Errorf("%s is a source: choose another folder with --out", filepath.Join(o.Out, name))
					}
				}
			}
		}
	}
	return nil
}
