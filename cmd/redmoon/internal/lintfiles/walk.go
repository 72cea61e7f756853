package lintfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/project"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
)

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
		case luatest.IsTest(name): // which is not a script
		case entry.Type().IsRegular() && strings.HasSuffix(name, ".lua"):
			c, err := r.configOf(filepath.Dir(name))
			if err != nil {
				r.note(err)
				return nil
			}
			if !c.Excludes(c.Relative(name)) {
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
	if strings.HasPrefix(base, ".") || base == "node_modules" || c.Excludes(c.Relative(folder)) {
		return filepath.SkipDir
	}
	return nil
}

// config is a configuration with its linter.
type config struct {
	*project.Project
	linter *lint.Linter
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
	if r.o.Config != "" {
		text, err := os.ReadFile(r.o.Config)
		if err != nil {
			return nil, err
		}
		p, err := project.Load(r.o.Config, string(text))
		if err != nil {
			return nil, err
		}
		return r.newConfig(p)
	}
	p, err := project.At(dir, project.ReadFile)
	switch {
	case err != nil:
		return nil, err
	case p != nil:
		return r.newConfig(p)
	}
	if parent := filepath.Dir(dir); parent != dir {
		return r.configOf(parent)
	}
	return r.newConfig(&project.Project{})
}

func (r *runner) newConfig(p *project.Project) (*config, error) {
	if _, err := lint.New(LintConfig(p, "", nil)); err != nil {
		return nil, fmt.Errorf("%s: %w", p.File, err)
	}
	l, err := lint.New(LintConfig(p, r.o.Redis, r.o.Servers))
	return &config{p, l}, err
}

// LintConfig returns what a configuration says to the linter. What redis and servers say, if they
// are not empty, counts more.
func LintConfig(p *project.Project, redis string, servers []string) lint.Config {
	c := lint.Config{Redis: p.Redis, Servers: p.Servers, Severities: p.Lint.Severities, Globals: p.Lint.Globals}
	if redis != "" {
		c.Redis = redis
	}
	if len(servers) > 0 {
		c.Servers = servers
	}
	return c
}
