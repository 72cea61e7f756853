package lsp

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/redmoon-lua/redmoon/internal/base/project"
	"github.com/redmoon-lua/redmoon/internal/tools/assist"
)

// renameInFiles returns the edits of a variable that is declared in a file of several, or used in
// others. All scripts that have one of these files must have the same declaration.
func (s *server) renameInFiles(snap *snapshot, declared assist.Location, name string) (*workspaceEdit, error) {
	if declared.File == "" {
		declared.File = snap.path
	}
	places, err := s.placesOf(declared, name)
	if err != nil {
		return nil, err
	}
	e := &workspaceEdit{Changes: map[string][]textEdit{}}
	for _, path := range slices.Sorted(maps.Keys(places)) {
		file, err := s.fileAt(path)
		if err != nil {
			return nil, err
		}
		if path == snap.path && file != snap {
			return nil, &jsonrpc2.Error{Code: codeContentModified, Message: "the document has changed"}
		}
		for _, script := range s.scripts(s.project(file), file) {
			if !script.Files.Has(declared.File) {
				return nil, fmt.Errorf("%s also has %s, and not the variable of %s", filepath.Base(script.Files.Files[0]),
					filepath.Base(path), filepath.Base(declared.File))
			}
		}
		var edits []textEdit
		for _, r := range slices.SortedFunc(maps.Keys(places[path]), func(a, b assist.Range) int { return cmp.Compare(a.From, b.From) }) {
			edits = append(edits, textEdit{file.span(r.From, r.To), name})
		}
		e.Changes[file.uri] = edits
		e.DocumentChanges = append(e.DocumentChanges, documentEdit{versionedID{file.uri, file.versionOf()}, edits})
	}
	if s.client.Workspace.WorkspaceEdit.DocumentChanges {
		e.Changes = nil
	} else {
		e.DocumentChanges = nil
	}
	return e, nil
}

// placesOf returns the places of the variable that is declared at a place, in all scripts that have
// the file, by file.
func (s *server) placesOf(declared assist.Location, name string) (map[string]map[assist.Range]bool, error) {
	file, err := s.fileAt(declared.File)
	if err != nil {
		return nil, err
	}
	v := s.view(file)
	if v == nil {
		return nil, assist.ErrBroken
	}
	if len(v.others)+1 >= project.MaxUsers {
		return nil, fmt.Errorf("%d scripts or more have %s", project.MaxUsers, filepath.Base(declared.File))
	}
	places := map[string]map[assist.Range]bool{}
	for _, d := range append([]*assist.Document{v.Document}, v.others...) {
		list, err := d.Rename(declared.From, name)
		if err != nil {
			return nil, err
		}
		for _, l := range list {
			if l.File == "" {
				l.File = declared.File
			}
			if places[l.File] == nil {
				places[l.File] = map[assist.Range]bool{}
			}
			places[l.File][l.Range] = true
		}
	}
	return places, nil
}

// fileAt returns an open document, or a file as it is on disk.
func (s *server) fileAt(path string) (*snapshot, error) {
	for _, snap := range s.documents.all() {
		if snap.path == path {
			return snap, nil
		}
	}
	text, err := s.read(path)
	if err != nil {
		return nil, err
	}
	return s.newSnapshot(uriOf(path), noVersion, text), nil
}

// noVersion is the version of a file that is not open.
const noVersion = -1

// versionOf returns the version of a document, or nil if it is not open.
func (snap *snapshot) versionOf() *int {
	if snap.version == noVersion {
		return nil
	}
	return &snap.version
}
