package lsp

import (
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/internal/tools/assist"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

// projects finds the configuration of scripts.
type projects struct {
	mu      sync.Mutex
	linters map[string]*configured // by the text of the configuration
	warned  map[string]bool        // configurations that were reported as wrong
}

// configured is a configuration with its linter.
type configured struct {
	config lint.Config
	linter *lint.Linter
	mu     sync.Mutex // held while linter lints
}

// project is what a script belongs to.
type project struct {
	*configured
	dir    string // folder of the configuration; "": there is none
	parts  []assist.Part
	isPart bool
}

func (p *projects) init() {
	p.linters, p.warned = map[string]*configured{}, map[string]bool{}
}

// maxLinters is how many configurations are kept.
const maxLinters = 64

// configured returns the linter of a configuration.
func (p *projects) configured(text string) (*configured, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.linters[text]; c != nil {
		return c, nil
	}
	config := &lint.Config{}
	if text != "" {
		var err error
		if config, err = lint.ParseConfig([]byte(text)); err != nil {
			return nil, err
		}
	}
	l, err := lint.New(*config)
	if err != nil {
		return nil, err
	}
	if len(p.linters) >= maxLinters {
		clear(p.linters)
	}
	c := &configured{config: *config, linter: l}
	p.linters[text] = c
	return c, nil
}

// firstWarning reports whether a configuration is reported as wrong for the first time.
func (p *projects) firstWarning(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.warned[key] || len(p.warned) > 1000 {
		return false
	}
	p.warned[key] = true
	return true
}

// project returns what a document belongs to.
func (s *server) project(snap *snapshot) *project { return s.projectOf(snap.path) }

func (s *server) projectOf(path string) *project {
	dir, text := s.findConfig(path)
	c, err := s.projects.configured(text)
	if err != nil {
		if name := filepath.Join(dir, lint.ConfigName); s.projects.firstWarning(name + text) {
			s.show(severityError, name+": "+err.Error())
		}
		c, _ = s.projects.configured("")
	}
	p := &project{configured: c, dir: dir}
	if dir == "" {
		return p
	}
	name := relative(dir, path)
	p.isPart = c.config.Part(name)
	for _, before := range c.config.Before(name) {
		file := filepath.Join(dir, filepath.FromSlash(before))
		text, err := s.read(file)
		if err != nil {
			if s.projects.firstWarning(err.Error()) {
				s.show(severityError, lint.ConfigName+": "+err.Error())
			}
			continue
		}
		p.parts = append(p.parts, assist.Part{Name: file, Text: text})
	}
	return p
}

// relative returns a path as the patterns of a configuration see it.
func relative(dir, path string) string {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(name)
}

// findConfig returns the nearest configuration of a path and its folder.
func (s *server) findConfig(path string) (dir, text string) {
	if path == "" {
		return "", ""
	}
	for dir := filepath.Dir(path); ; {
		text, err := s.read(filepath.Join(dir, lint.ConfigName))
		if err == nil {
			return dir, text
		}
		if !errors.Is(err, fs.ErrNotExist) {
			s.o.Logger.Debug("configuration", "error", err)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ""
		}
		dir = parent
	}
}

// read returns the text of a file, as the client has it if it is open.
func (s *server) read(path string) (string, error) {
	if text, ok := s.documents.text(path); ok {
		return text, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, lint.MaxText+1))
	return string(b), err
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
