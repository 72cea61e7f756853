package lsp

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lintfiles"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/project"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

// projects finds the configuration of scripts.
type projects struct {
	mu      sync.Mutex
	linters map[string]*lockedLinter       // by what the configuration says to them
	warned  map[string]bool                // configurations that were reported as wrong
	uses    map[string]map[string][]string // see project.Uses; by the folder that was searched
}

// lockedLinter is a linter that several goroutines use.
type lockedLinter struct {
	*lint.Linter
	mu sync.Mutex // held while it lints
}

// scriptProject is what a script belongs to.
type scriptProject struct {
	*project.Project
	linter *lockedLinter
}

func (p *projects) init() {
	p.linters, p.warned, p.uses = map[string]*lockedLinter{}, map[string]bool{}, map[string]map[string][]string{}
}

// forget forgets which scripts have which files, and what was read of files that are not open.
func (s *server) forget() {
	s.projects.mu.Lock()
	clear(s.projects.uses)
	s.projects.mu.Unlock()
	s.documents.generation.Add(1)
}

// Limits of what is kept.
const (
	maxLinters = 64
	maxUses    = 64
)

// linter returns the linter of a configuration.
func (p *projects) linter(c lint.Config) (*lockedLinter, error) {
	key := fmt.Sprintf("%q", c)
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.linters[key]; l != nil {
		return l, nil
	}
	l, err := lint.New(c)
	if err != nil {
		return nil, err
	}
	if len(p.linters) >= maxLinters {
		clear(p.linters)
	}
	p.linters[key] = &lockedLinter{Linter: l}
	return p.linters[key], nil
}

// firstWarning reports whether something is reported as wrong for the first time.
func (p *projects) firstWarning(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.warned[key] || len(p.warned) > 1000 {
		return false
	}
	p.warned[key] = true
	return true
}

// warn shows an error once.
func (s *server) warn(err error) {
	if s.projects.firstWarning(err.Error()) {
		s.show(severityError, err.Error())
	}
}

// project returns what a document belongs to.
func (s *server) project(snap *snapshot) *scriptProject { return s.projectOf(snap.path) }

func (s *server) projectOf(path string) *scriptProject {
	found := &project.Project{}
	if path != "" {
		p, err := project.Find(filepath.Dir(path), s.read)
		if err == nil {
			found = p
		} else {
			s.warn(err)
		}
	}
	found.Absolute = true
	l, err := s.projects.linter(lintfiles.LintConfig(found, "", nil))
	if err != nil {
		s.warn(fmt.Errorf("%s: %w", found.File, err))
		l, _ = s.projects.linter(lint.Config{})
	}
	return &scriptProject{found, l}
}

// scripts returns the scripts that a document is a part of: those that have it, or else itself.
func (s *server) scripts(p *scriptProject, snap *snapshot) []lint.Script {
	own := s.own(p, snap)
	if snap.path == "" || own.Problem.Text != "" {
		return []lint.Script{own}
	}
	var list []lint.Script
	for _, b := range p.BuildUsers(snap.path, s.users(p, snap.path), s.readFor(snap), own.Files) {
		if b == own.Files {
			return []lint.Script{own}
		}
		list = append(list, lint.Built(b))
	}
	return list
}

// own returns the script that begins in a document.
func (s *server) own(p *scriptProject, snap *snapshot) lint.Script {
	whole := lint.Built(bundle.Whole(snap.path, snap.text))
	if snap.path == "" {
		return whole
	}
	o := bundle.Options{Read: s.readFor(snap)}
	o.Before, o.Between = p.Before(snap.path)
	b, err := p.Build(snap.path, o)
	var wrong *bundle.Error
	switch {
	case errors.As(err, &wrong):
		whole.Problem = lint.ProblemOf(wrong, snap.path)
		return whole
	case err != nil:
		s.warn(fmt.Errorf("%s: %w", p.File, err))
		return whole
	}
	script := lint.Built(b)
	script.Part = p.Part(p.Relative(snap.path))
	return script
}

// users returns the scripts that have a file, as they were when they were searched last.
func (s *server) users(p *scriptProject, path string) []string {
	folder := p.SearchFolder(path)
	s.projects.mu.Lock()
	uses := s.projects.uses[folder]
	s.projects.mu.Unlock()
	if uses == nil {
		uses = p.Uses(path, s.read)
		s.projects.mu.Lock()
		if len(s.projects.uses) >= maxUses {
			clear(s.projects.uses)
		}
		s.projects.uses[folder] = uses
		s.projects.mu.Unlock()
	}
	return uses[path]
}

// readFor is read, with the text of a document as it was.
func (s *server) readFor(snap *snapshot) project.Read {
	return func(path string) (string, error) {
		if path == snap.path {
			return snap.text, nil
		}
		return s.read(path)
	}
}

// read returns the text of a file, as the client has it if it is open.
func (s *server) read(path string) (string, error) {
	if text, ok := s.documents.text(path); ok {
		return text, nil
	}
	return project.ReadText(path)
}

// show shows a message to the user of the client.
func (s *server) show(kind int, message string) {
	s.notify("window/showMessage", object{"type": kind, "message": message})
}

// pathOf returns the path of a file URI, or "" for others.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" && len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:] // /c:/folder
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// uriOf returns the URI of a path.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
