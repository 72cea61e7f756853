package lintfiles

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/base/project"
	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

// Options say how to lint.
type Options struct {
	Servers []string      // override those of the configuration; none: do not
	Redis   string        // overrides the version of the configuration; "": does not
	Config  string        // the configuration file; "": the nearest one above each script
	Level   lint.Severity // findings below it are dropped
	Fix     bool          // repair files, where the scripts do the same afterwards
	Unsafe  bool          // with Fix: also where they do what was meant
	Stdin   io.Reader     // the script of the path "-"
}

// Result is what was found in one file.
type Result struct {
	Path     string
	Source   string // after repairs
	Findings []lint.Finding
	Fixed    int // number of repairs
}

// Run lints files, and all files below folders whose names end in .lua, without tests. A file
// that others include is looked at as a part of each of them. The results are in the order of the
// paths. The error says what cannot be read or written, and what is
// wrong with configurations; the results are then those of the other files. Links below a folder
// are not followed.
func Run(paths []string, o Options) ([]Result, error) {
	r := &runner{o: o, configs: map[string]*config{}, byName: map[string]*file{}}
	for _, path := range paths {
		r.note(r.add(path))
	}
	r.lint()
	results := make([]Result, 0, len(r.files))
	for _, f := range r.files {
		results = append(results, *f.result)
	}
	return results, errors.Join(r.problems...)
}

// note remembers an error, unless it is a repetition.
func (r *runner) note(err error) {
	if err != nil && !slices.ContainsFunc(r.problems, func(p error) bool { return p.Error() == err.Error() }) {
		r.problems = append(r.problems, err)
	}
}

type runner struct {
	o       Options
	configs map[string]*config // by folder
	files   []*file
	byName  map[string]*file

	problems []error
}

// file is a file of a script.
type file struct {
	name     string // see shorten
	explicit bool   // the command line names it
	config   *config
	program  bool   // the scripts stand in strings of it
	text     string // after repairs
	original string // the text on disk
	result   *Result
}

// add adds a path from the command line.
func (r *runner) add(path string) error {
	if path == "-" {
		text, err := readText(r.o.Stdin)
		if err != nil {
			return err
		}
		return r.addText("-", text, false)
	}
	return r.walk(path, func(name string) error {
		text, err := readFile(name)
		if err != nil {
			return err
		}
		return r.addText(name, text, name == path)
	})
}

// readFile is readText for a file.
func readFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readText(f)
}

// readText reads a script. It stops when the text is longer than a linter accepts.
func readText(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, lint.MaxText+1))
	return string(b), err
}

func (r *runner) addText(path, text string, explicit bool) error {
	name, err := shorten(path)
	if err != nil || r.byName[name] != nil {
		return err
	}
	c, err := r.configOf(filepath.Dir(name))
	if err != nil {
		return err
	}
	f := &file{
		name: name, explicit: explicit, config: c, program: embedded.Knows(path), text: text, original: text,
		result: &Result{Path: path, Source: text},
	}
	r.byName[name] = f
	r.files = append(r.files, f)
	return nil
}

// shorten returns the one path by which all scripts know a file: relative to the working folder if
// the file is below it.
func shorten(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return project.Shorten(absolute), nil
}

// maxRounds is how often files are repaired: a repair may make another one possible.
const maxRounds = 10

// lint finds, and repairs if wanted, what is wrong.
func (r *runner) lint() {
	found := r.findings()
	first := found
	for range maxRounds {
		again := false
		for _, f := range r.files {
			if !r.o.Fix || f.result.Path == "-" {
				continue
			}
			text, n := lint.Apply(f.text, r.repairable(found[f.name]))
			if n > 0 {
				again = true
				f.text = text
				f.result.Fixed += n
			}
		}
		if !again {
			break
		}
		found = r.findings()
	}
	for _, f := range r.files {
		f.result.Findings, f.result.Source = found[f.name], f.text
		if f.result.Fixed == 0 {
			continue
		}
		if err := files.Rewrite(f.result.Path, f.original, f.text); err != nil {
			r.note(err)
			f.result.Findings, f.result.Source, f.result.Fixed = first[f.name], f.original, 0
		}
	}
}

// repairable returns the findings whose repairs are wanted.
func (r *runner) repairable(found []lint.Finding) []lint.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f lint.Finding) bool {
		return f.Fix == nil || f.Fix.OneByOne || !f.Fix.Safe && !r.o.Unsafe
	})
}
