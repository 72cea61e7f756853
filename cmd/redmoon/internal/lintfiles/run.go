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

	"github.com/redmoon-lua/redmoon/internal/files"
	"github.com/redmoon-lua/redmoon/internal/lint"
)

// Options say how to lint.
type Options struct {
	Redis  string        // overrides the version of the configuration; "": does not
	Config string        // the configuration file; "": the nearest .redmoonlint above each script
	Level  lint.Severity // findings below it are dropped
	Fix    bool          // repair files
	Stdin  io.Reader     // the script of the path "-"
}

// Result is what was found in one file.
type Result struct {
	Path     string
	Source   string // after repairs
	Findings []lint.Finding
	Fixed    int // number of repairs
}

// Run lints files, and all files below folders whose names end in .lua but not in _test.lua. The
// error says what cannot be read or written, or what is wrong with a configuration. The results are
// in the order of the paths.
func Run(paths []string, o Options) ([]Result, error) {
	r := &runner{o: o, configs: map[string]*config{}, folders: map[string]*folder{}}
	for _, path := range paths {
		if err := r.add(path); err != nil {
			return nil, err
		}
	}
	for _, f := range r.order {
		if err := r.lint(f); err != nil {
			return nil, err
		}
	}
	results := make([]Result, 0, len(r.files))
	for _, f := range r.files {
		results = append(results, *f.result)
	}
	return results, nil
}

type runner struct {
	o       Options
	configs map[string]*config // by folder
	folders map[string]*folder
	order   []*folder
	files   []*file
	seen    []string
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
	script lint.Script
	result *Result
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
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return r.addFile(path, true)
	}
	return filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != path:
			return r.enter(name)
		case strings.HasSuffix(name, "_test.lua"): // a test is not a script
		case entry.Type().IsRegular() && strings.HasSuffix(name, ".lua"):
			return r.addFile(name, false)
		}
		return nil
	})
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

// addFile adds a file. named reports whether the command line names it, so that no configuration
// excludes it.
func (r *runner) addFile(path string, named bool) error {
	c, err := r.configOf(filepath.Dir(path))
	if err != nil {
		return err
	}
	if !named && c.Excludes(c.relative(path)) {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := readText(f)
	if err != nil {
		return err
	}
	return r.addText(path, path, text)
}

// readText reads a script. It stops when the text is longer than a linter accepts.
func readText(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, lint.MaxText+1))
	return string(b), err
}

func (r *runner) addText(name, path, text string) error {
	if slices.Contains(r.seen, path) {
		return nil
	}
	r.seen = append(r.seen, path)
	dir := filepath.Dir(path)
	c, err := r.configOf(dir)
	if err != nil {
		return err
	}
	relative := c.relative(path)
	f := &file{lint.Script{Source: text, Part: c.Part(relative)}, &Result{Path: name, Source: text}}
	for _, before := range c.Before(relative) {
		b, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(before)))
		if err != nil {
			return fmt.Errorf("%s: %w", lint.ConfigName, err)
		}
		f.script.Before += string(b)
	}
	if r.folders[dir] == nil {
		r.folders[dir] = &folder{config: c}
		r.order = append(r.order, r.folders[dir])
	}
	r.folders[dir].files = append(r.folders[dir].files, f)
	r.files = append(r.files, f)
	return nil
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
	l, err := lint.New(*c)
	if err != nil {
		return nil, err
	}
	return &config{*c, dir, l}, nil
}

// maxRounds is how often a file is repaired: a repair may make another one possible.
const maxRounds = 10

// lint finds, and repairs if wanted, what is wrong in a folder.
func (r *runner) lint(f *folder) error {
	found := r.findings(f)
	for range maxRounds {
		again := false
		for i, file := range f.files {
			text, n := lint.Apply(file.script.Source, found[i])
			if !r.o.Fix || n == 0 || file.result.Path == "-" {
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
		if file.result.Fixed > 0 {
			if err := write(file.result.Path, file.result.Source); err != nil {
				return err
			}
		}
	}
	return nil
}

// write replaces a file and keeps its permissions.
func write(path, text string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	if err := files.Replace(path, text); err != nil {
		return err
	}
	return os.Chmod(path, info.Mode().Perm())
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
