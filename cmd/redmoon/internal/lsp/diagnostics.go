package lsp

import (
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lintfiles"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

// checker lints documents on a goroutine of its own.
type checker struct {
	s    *server
	wake chan struct{}

	mu      sync.Mutex
	timer   *time.Timer
	pending map[string]bool     // URIs; true: the rules that compare the scripts of the folder, too
	found   map[string]*checked // by URI: the last findings
	gone    map[string]struct{} // URIs that were closed and whose diagnostics must be removed
}

// checked is the findings of a version of a document.
type checked struct {
	snap     *snapshot
	findings []lint.Finding
}

func (c *checker) init(s *server) {
	c.s, c.wake = s, make(chan struct{}, 1)
	c.pending, c.found, c.gone = map[string]bool{}, map[string]*checked{}, map[string]struct{}{}
}

// one checks a document soon.
func (c *checker) one(snap *snapshot) { c.schedule(snap.uri, false) }

// folder checks a document together with the scripts of its folder.
func (c *checker) folder(snap *snapshot) { c.schedule(snap.uri, true) }

// all checks all open documents.
func (c *checker) all() {
	for _, snap := range c.s.documents.all() {
		c.schedule(snap.uri, true)
	}
}

// closed removes the diagnostics of a document.
func (c *checker) closed(uri string) {
	c.mu.Lock()
	delete(c.pending, uri)
	delete(c.found, uri)
	c.gone[uri] = struct{}{}
	c.mu.Unlock()
	c.ring()
}

func (c *checker) schedule(uri string, folder bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.gone, uri)
	c.pending[uri] = c.pending[uri] || folder
	switch {
	case c.s.o.Debounce == 0:
		c.ring()
	case c.timer == nil:
		c.timer = time.AfterFunc(c.s.o.Debounce, c.ring)
	default:
		c.timer.Reset(c.s.o.Debounce)
	}
}

func (c *checker) ring() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run checks what is pending until the server ends.
func (c *checker) run(ctx context.Context) {
	defer c.s.working.Done()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
		}
		for ctx.Err() == nil && c.next() {
		}
	}
}

// next handles one document, and reports whether there was one.
func (c *checker) next() (more bool) {
	defer func() {
		if r := recover(); r != nil {
			c.s.o.Logger.Error("panic", "value", r, "stack", string(debug.Stack()))
			more = true
		}
	}()
	c.mu.Lock()
	for uri := range c.gone {
		delete(c.gone, uri)
		c.mu.Unlock()
		c.s.notify("textDocument/publishDiagnostics", publishParams{URI: uri, Diagnostics: []diagnostic{}})
		return true
	}
	for uri, folder := range c.pending {
		delete(c.pending, uri)
		c.mu.Unlock()
		if snap := c.s.documents.get(uri); snap != nil {
			c.check(snap, folder)
		}
		return true
	}
	c.mu.Unlock()
	return false
}

// check lints a document and publishes the findings.
func (c *checker) check(snap *snapshot, folder bool) {
	if folder && !snap.isProgram() {
		if list := c.s.siblings(snap); len(list) > 1 {
			c.checkFolder(snap, list)
			return
		}
	}
	c.publish(snap, c.s.lint(snap))
}

// lint returns the findings of a document in the scripts that have it.
func (s *server) lint(snap *snapshot) []lint.Finding {
	p := s.project(snap)
	if snap.isProgram() {
		p.linter.mu.Lock()
		defer p.linter.mu.Unlock()
		found, err := lintfiles.InStrings(p.linter.Linter, snap.path, snap.path, snap.text)
		if err != nil {
			s.warn(err)
		}
		return found
	}
	scripts := s.scripts(p, snap)
	found := make([][]lint.Finding, len(scripts))
	p.linter.mu.Lock()
	defer p.linter.mu.Unlock()
	for i, script := range scripts {
		found[i] = p.linter.Lint(script)
	}
	return lint.Merge(scripts, found)[snap.path]
}

// Limits of the scripts of one folder that are compared.
const (
	maxSiblings     = 200
	maxSiblingBytes = 2 << 20
)

// siblings returns the paths of the scripts in the folder of a document, the document first. It is
// empty if there are too many.
func (s *server) siblings(snap *snapshot) []string {
	if snap.path == "" {
		return nil
	}
	dir := filepath.Dir(snap.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	list := []string{snap.path}
	size := int64(0)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !strings.HasSuffix(e.Name(), ".lua") || !e.Type().IsRegular() || path == snap.path {
			continue
		}
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
		if list = append(list, path); len(list) > maxSiblings || size > maxSiblingBytes {
			return nil
		}
	}
	return list
}

// checkFolder lints the scripts of a folder together, and publishes the findings of the document
// and of the others that are open.
func (c *checker) checkFolder(snap *snapshot, paths []string) {
	s, own := c.s, c.s.project(snap)
	scripts := s.scripts(own, snap)
	open := []*snapshot{snap}
	byPath := map[string]*snapshot{}
	for _, other := range s.documents.all() {
		byPath[other.path] = other
	}
	for _, path := range paths[1:] {
		if p := s.projectOf(path); p.File != own.File || own.Excludes(own.Relative(path)) || len(s.users(p, path)) > 0 {
			continue
		}
		other := byPath[path]
		if other != nil {
			open = append(open, other)
		} else if text, err := s.read(path); err == nil {
			other = s.newSnapshot(uriOf(path), 0, text)
		} else {
			continue
		}
		scripts = append(scripts, s.own(own, other))
	}
	own.linter.mu.Lock()
	found := own.linter.LintFolder(scripts)
	own.linter.mu.Unlock()
	merged := lint.Merge(scripts, found)
	for _, other := range open {
		c.publish(other, merged[other.path])
	}
}

// publish sends findings, unless the document has changed meanwhile.
func (c *checker) publish(snap *snapshot, findings []lint.Finding) {
	if c.s.documents.get(snap.uri) != snap {
		return
	}
	c.mu.Lock()
	c.found[snap.uri] = &checked{snap, findings}
	c.mu.Unlock()
	list := make([]diagnostic, len(findings))
	for i, f := range findings {
		list[i] = snap.diagnostic(f)
	}
	c.s.notify("textDocument/publishDiagnostics", publishParams{snap.uri, snap.version, list})
}

// findings returns the findings of a snapshot, from the last check if it looked at this text.
func (c *checker) findings(snap *snapshot) []lint.Finding {
	c.mu.Lock()
	last := c.found[snap.uri]
	c.mu.Unlock()
	if last != nil && last.snap == snap {
		return last.findings
	}
	return c.s.lint(snap)
}

// diagnostic returns a finding as the protocol has it.
func (snap *snapshot) diagnostic(f lint.Finding) diagnostic {
	d := diagnostic{
		Range: snap.span(f.Range.From, f.Range.To), Code: f.Rule, Source: "redmoon", Message: f.Message,
		Severity: map[lint.Severity]int{lint.Error: severityError, lint.Warning: severityWarning}[f.Severity],
	}
	if d.Severity == 0 {
		d.Severity = severityInformation
	}
	if f.Rule == "unused-local" || f.Rule == "unreachable-code" {
		d.Tags = []int{tagUnnecessary}
	}
	return d
}

// notify sends a notification.
func (s *server) notify(method string, params any) {
	if err := s.conn.Notify(context.Background(), method, params); err != nil {
		s.o.Logger.Debug("notification", "method", method, "error", err)
	}
}
