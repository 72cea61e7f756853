package lsp

import (
	"sync"

	"github.com/redmoon-lua/redmoon/internal/tools/assist"
)

// snapshot is an open document at one moment.
type snapshot struct {
	uri     string
	path    string // "": not a file
	version int
	*textIndex

	once sync.Once
	doc  *assist.Document
	part map[string]*textIndex // the parts in front, by path
}

// maxText is how long a text may be so that the server looks into it.
const maxText = 4 << 20

// documents holds the open documents.
type documents struct {
	mu   sync.Mutex
	open map[string]*snapshot // by URI
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
}

func (d *documents) remove(uri string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, uri)
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
	if len(snap.text) > maxText {
		return nil
	}
	snap.once.Do(func() {
		p := s.project(snap)
		snap.doc = assist.NewDocument(p.linter, snap.text, p.parts)
		snap.doc.IsPart = p.isPart
		snap.part = map[string]*textIndex{}
		for _, part := range p.parts {
			snap.part[part.Name] = newIndex(part.Text, s.utf8)
		}
	})
	return snap.doc
}

// location returns a place as the protocol has it.
func (snap *snapshot) location(l assist.Location) location {
	if x := snap.part[l.Part]; x != nil {
		return location{uriOf(l.Part), x.span(l.From, l.To)}
	}
	return location{snap.uri, snap.span(l.From, l.To)}
}
