package lintfiles

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

// Options say how to lint.
type Options struct {
	Servers []string      // override those of the configuration; none: do not
	Redis   string        // overrides the version of the configuration; "": does not
	Config  string        // the configuration file; "": the nearest .redmoonlint above each script
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

// Run lints files, and all files below folders whose names end in .lua but not in _test.lua. The
// results are in the order of the paths. The error says what cannot be read or written, and what is
// wrong with configurations; the results are then those of the other files. Links below a folder
// are not followed.
func Run(paths []string, o Options) ([]Result, error) {
	r := &runner{o: o, configs: map[string]*config{}, folders: map[string]*folder{}, seen: map[string]bool{}}
	for _, path := range paths {
		r.note(r.add(path))
	}
	r.markIncluded()
	for _, f := range r.order {
		r.lint(f)
	}
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
	folders map[string]*folder
	order   []*folder
	files   []*file
	seen    map[string]bool // absolute paths

	problems []error
}

// config is a configuration with its folder and its linter.
type config struct {
	lint.Config
	dir    string // absolute
	linter *lint.Linter
}

// folder is the scripts of one folder.
type folder struct {
	config *config
	files  []*file
}

// file is a script.
type file struct {
	script   lint.Script
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
		return r.addText("-", filepath.Join(".", "-"), text)
	}
	return r.walk(path, r.addFile)
}

// walk calls f for a file, or for all scripts below a folder. It leaves out what a configuration
// excludes, unless it is path itself.
func (r *runner) walk(path string, f func(path string) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return f(path)
	}
	// The dot makes WalkDir enter a folder whose path is a link.
	return filepath.WalkDir(path+string(filepath.Separator)+".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			r.note(err) // and go on with what can be read
		case entry.IsDir() && filepath.Clean(name) != filepath.Clean(path):
			err := r.enter(name)
			if err != nil && !errors.Is(err, fs.SkipDir) {
				r.note(err)
				return fs.SkipDir
			}
			return err
		case strings.HasSuffix(name, "_test.lua"): // a test is not a script
		case entry.Type().IsRegular() && strings.HasSuffix(name, ".lua"):
			c, err := r.configOf(filepath.Dir(name))
			if err != nil {
				r.note(err)
				return nil
			}
			if !c.Excludes(c.relative(name)) {
				r.note(f(name))
			}
		}
		return nil
	})
}

// Files returns the files that Run would read for paths, each once. Path "-" stays as it is.
func Files(paths []string) (list []string, err error) {
	r := &runner{configs: map[string]*config{}}
	for _, path := range paths {
		if path == "-" {
			list = append(list, path)
			continue
		}
		err := r.walk(path, func(name string) error {
			if !slices.Contains(list, name) {
				list = append(list, name)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// enter returns filepath.SkipDir for a folder below a path that is not searched.
func (r *runner) enter(folder string) error {
	c, err := r.configOf(filepath.Dir(folder))
	if err != nil {
		return err
	}
	base := filepath.Base(folder)
	if strings.HasPrefix(base, ".") || base == "node_modules" || c.Excludes(c.relative(folder)) {
		return filepath.SkipDir
	}
	return nil
}

// addFile adds a file.
func (r *runner) addFile(path string) error {
	text, err := readFile(path)
	if err != nil {
		return err
	}
	return r.addText(path, path, text)
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

func (r *runner) addText(name, path, text string) error {
	absolute, err := filepath.Abs(path)
	if err != nil || r.seen[absolute] {
		return err
	}
	r.seen[absolute] = true
	dir := filepath.Dir(path)
	c, err := r.configOf(dir)
	if err != nil {
		return err
	}
	relative := c.relative(path)
	f := &file{lint.Script{Source: text, Part: c.Part(relative)}, text, &Result{Path: name, Source: text}}
	for _, before := range c.Before(relative) {
		b, err := readFile(filepath.Join(c.dir, filepath.FromSlash(before)))
		if err != nil {
			return fmt.Errorf("%s: %w", lint.ConfigName, err)
		}
		f.script.Before += b
	}
	if r.folders[dir] == nil {
		r.folders[dir] = &folder{config: c}
		r.order = append(r.order, r.folders[dir])
	}
	r.folders[dir].files = append(r.folders[dir].files, f)
	r.files = append(r.files, f)
	return nil
}

// markIncluded marks the files that others include: what they declare may be used there.
func (r *runner) markIncluded() {
	names := map[string]bool{}
	for _, f := range r.files {
		for _, name := range lint.Includes(f.original) {
			names[name] = true
		}
	}
	for _, f := range r.files {
		for name := range names {
			if lint.IsIncluded(name, filepath.ToSlash(f.result.Path)) {
				f.script.Part = true
			}
		}
	}
}

// relative returns a path as the patterns of the configuration see it.
func (c *config) relative(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	name, err := filepath.Rel(c.dir, absolute)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(name)
}

// configOf returns the configuration for the scripts of a folder.
func (r *runner) configOf(dir string) (*config, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if r.o.Config != "" {
		if absolute, err = filepath.Abs(filepath.Dir(r.o.Config)); err != nil {
			return nil, err
		}
	}
	if c := r.configs[absolute]; c != nil {
		return c, nil
	}
	c, err := r.findConfig(absolute)
	if err != nil {
		return nil, err
	}
	r.configs[absolute] = c
	return c, nil
}

func (r *runner) findConfig(dir string) (*config, error) {
	name := r.o.Config
	if name == "" {
		name = filepath.Join(dir, lint.ConfigName)
	}
	text, err := os.ReadFile(name)
	switch {
	case r.o.Config == "" && errors.Is(err, fs.ErrNotExist):
		if parent := filepath.Dir(dir); parent != dir {
			return r.configOf(parent)
		}
		return r.newConfig(dir, &lint.Config{})
	case err != nil:
		return nil, err
	}
	parsed, err := lint.ParseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r.newConfig(dir, parsed)
}

func (r *runner) newConfig(dir string, c *lint.Config) (*config, error) {
	if r.o.Redis != "" {
		c.Redis = r.o.Redis
	}
	if len(r.o.Servers) > 0 {
		c.Servers = r.o.Servers
	}
	l, err := lint.New(*c)
	if err != nil {
		return nil, err
	}
	return &config{*c, dir, l}, nil
}

// maxRounds is how often a file is repaired: a repair may make another one possible.
const maxRounds = 10

// lint finds, and repairs if wanted, what is wrong in a folder.
func (r *runner) lint(f *folder) {
	found := r.findings(f)
	before, sources := found, make([]string, len(f.files))
	for i, file := range f.files {
		sources[i] = file.script.Source
	}
	for range maxRounds {
		again := false
		for i, file := range f.files {
			if !r.o.Fix || file.result.Path == "-" {
				continue
			}
			text, n := lint.Apply(file.script.Source, r.repairable(found[i]))
			if n == 0 {
				continue
			}
			again = true
			file.script.Source, file.result.Source = text, text
			file.result.Fixed += n
		}
		if !again {
			break
		}
		found = r.findings(f)
	}
	for i, file := range f.files {
		file.result.Findings = found[i]
		if file.result.Fixed == 0 {
			continue
		}
		if err := files.Rewrite(file.result.Path, file.original, file.result.Source); err != nil {
			r.note(err)
			file.result.Findings, file.result.Source, file.result.Fixed = before[i], sources[i], 0
		}
	}
}

// repairable returns the findings whose repairs are wanted.
func (r *runner) repairable(found []lint.Finding) []lint.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f lint.Finding) bool {
		return f.Fix == nil || f.Fix.OneByOne || !f.Fix.Safe && !r.o.Unsafe
	})
}

// findings returns the findings of a folder that have at least the wanted severity.
func (r *runner) findings(f *folder) [][]lint.Finding {
	scripts := make([]lint.Script, len(f.files))
	for i, file := range f.files {
		scripts[i] = file.script
	}
	found := f.config.linter.LintFolder(scripts)
	for i := range found {
		found[i] = slices.DeleteFunc(found[i], func(f lint.Finding) bool { return f.Severity < r.o.Level })
	}
	return found
}
