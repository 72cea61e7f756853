package lsp

import (
	"sync"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/internal/tools/assist"
)

// snapshot is an open document at one moment.
type snapshot struct {
	uri     string
	path    string // "": not a file
	version int
	*textIndex

	mu   sync.Mutex // guards seen
	seen *view
}

// view is what is known about a document while no document changes.
type view struct {
	*assist.Document
	others     []*assist.Document // the same file in other scripts
	generation int64
}

// maxText is how long a text may be so that the server looks into it.
const maxText = 4 << 20

// documents holds the open documents.
type documents struct {
	mu   sync.Mutex
	open map[string]*snapshot // by URI

	generation atomic.Int64 // counts the changes of all texts
}

func (d *documents) get(uri string) *snapshot {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[uri]
}

func (d *documents) set(snap *snapshot) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[snap.uri] = snap
	d.generation.Add(1)
}

func (d *documents) remove(uri string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, uri)
	d.generation.Add(1)
}

func (d *documents) all() []*snapshot {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]*snapshot, 0, len(d.open))
	for _, snap := range d.open {
		list = append(list, snap)
	}
	return list
}

// text returns the text of an open document with a path.
func (d *documents) text(path string) (string, bool) {
	for _, snap := range d.all() {
		if snap.path == path && path != "" {
			return snap.text, true
		}
	}
	return "", false
}

func (s *server) newSnapshot(uri string, version int, text string) *snapshot {
	return &snapshot{uri: uri, path: pathOf(uri), version: version, textIndex: newIndex(text, s.utf8)}
}

func (s *server) opened(p openParams) {
	snap := s.newSnapshot(p.TextDocument.URI, p.TextDocument.Version, p.TextDocument.Text)
	s.documents.set(snap)
	s.forget()
	s.checker.folder(snap)
}

func (s *server) changed(p changeParams) {
	snap := s.documents.get(p.TextDocument.URI)
	if snap == nil {
		s.o.Logger.Warn("a change of a document that is not open", "uri", p.TextDocument.URI)
		return
	}
	version := snap.version + 1
	if p.TextDocument.Version != nil {
		version = *p.TextDocument.Version
	}
	snap = s.newSnapshot(snap.uri, version, apply(snap.text, p.Changes, s.utf8))
	s.documents.set(snap)
	s.checker.one(snap)
}

func (s *server) saved(uri string) {
	s.forget()
	if snap := s.documents.get(uri); snap != nil {
		s.checker.folder(snap)
	}
}

func (s *server) closed(uri string) {
	s.documents.remove(uri)
	s.checker.closed(uri)
}

// document returns what is known about a snapshot. It is nil if the text is too long.
func (s *server) document(snap *snapshot) *assist.Document {
	if v := s.view(snap); v != nil {
		return v.Document
	}
	return nil
}

// view returns what is known about a snapshot and the scripts that have it. It is nil if the text
// is too long, or that of a program.
func (s *server) view(snap *snapshot) *view {
	if len(snap.text) > maxText || snap.isProgram() {
		return nil
	}
	snap.mu.Lock()
	defer snap.mu.Unlock()
	generation := s.documents.generation.Load()
	if snap.seen != nil && snap.seen.generation == generation {
		return snap.seen
	}
	p := s.project(snap)
	v := &view{generation: generation}
	for i, script := range s.scripts(p, snap) {
		d := assist.NewPart(p.linter.Linter, script.Files, snap.path)
		d.IsPart = script.Part
		if i == 0 {
			v.Document = d
		} else {
			v.others = append(v.others, d)
		}
	}
	snap.seen = v
	return v
}

// location returns a place in a script that has the document as the protocol has it.
func (s *server) location(snap *snapshot, l assist.Location) location {
	if l.File == "" {
		return location{snap.uri, snap.span(l.From, l.To)}
	}
	text := ""
	if t, err := s.read(l.File); err == nil {
		text = t
	}
	return location{uriOf(l.File), newIndex(text, s.utf8).span(l.From, l.To)}
}
