package lintfiles

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/project"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

// findings returns the findings of all files, by file.name, that have at least the wanted severity.
func (r *runner) findings() map[string][]lint.Finding {
	folders, order := r.scripts()
	var scripts []lint.Script
	var found [][]lint.Finding
	for _, dir := range order {
		f := folders[dir]
		scripts = append(scripts, f.scripts...)
		found = append(found, f.config.linter.LintFolder(f.scripts)...)
	}
	merged := lint.Merge(scripts, found)
	for _, f := range r.files {
		if f.program {
			list, err := InStrings(f.config.linter, f.result.Path, f.name, f.text)
			r.note(err)
			merged[f.name] = list
		}
	}
	for name, list := range merged {
		merged[name] = slices.DeleteFunc(list, func(f lint.Finding) bool { return f.Severity < r.o.Level })
	}
	return merged
}

// folder is the scripts of one folder.
type folder struct {
	config  *config
	scripts []lint.Script
}

// scripts builds the scripts of all files. Each file is in one of them.
func (r *runner) scripts() (folders map[string]*folder, order []string) {
	folders = map[string]*folder{}
	add := func(f *file, s lint.Script) {
		dir := filepath.Dir(f.name)
		if folders[dir] == nil {
			folders[dir] = &folder{config: f.config}
			order = append(order, dir)
		}
		folders[dir].scripts = append(folders[dir].scripts, s)
	}
	built := map[*file]*bundle.Bundle{}
	included := map[string]bool{} // by another file
	for _, f := range r.files {
		if f.program {
			continue
		}
		b, err := r.build(f)
		var wrong *bundle.Error
		switch {
		case errors.As(err, &wrong):
			add(f, alone(f, wrong))
			continue
		case err != nil:
			r.note(fmt.Errorf("%s: %w", f.config.File, err))
			continue
		}
		built[f] = b
		for _, name := range b.Files[1:] {
			included[name] = true
		}
	}
	inScript := map[string]bool{}
	for _, f := range r.files {
		if built[f] == nil || included[f.name] || f.config.Part(f.config.Relative(f.name)) {
			continue
		}
		users := []*bundle.Bundle{built[f]}
		if f.explicit {
			users = f.config.Scripts(f.name, r.read, built[f])
		}
		for _, b := range users {
			add(f, lint.Built(b))
			for _, name := range b.Files {
				inScript[name] = true
			}
		}
	}
	for _, f := range r.files {
		if b := built[f]; b != nil && !inScript[f.name] {
			s := lint.Built(b)
			s.Part = true
			add(f, s)
		}
	}
	return folders, order
}

// build builds the script of a file.
func (r *runner) build(f *file) (*bundle.Bundle, error) {
	o := bundle.Options{Read: r.read}
	o.Before, o.Between = f.config.Before(f.name)
	return f.config.Build(f.name, o)
}

// read returns the text of a file with the repairs so far.
func (r *runner) read(path string) (string, error) {
	if f := r.byName[path]; f != nil {
		return f.text, nil
	}
	return project.ReadText(path)
}

// alone returns a file whose includes cannot be found.
func alone(f *file, wrong *bundle.Error) lint.Script {
	s := lint.Built(bundle.Whole(f.name, f.text))
	s.Problem = lint.ProblemOf(wrong, f.name)
	return s
}
