package lsp

import (
	"slices"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/indentation"
	"github.com/redmoon-lua/redmoon/internal/base/textdiff"
	"github.com/redmoon-lua/redmoon/internal/tools/assist"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
	"github.com/redmoon-lua/redmoon/internal/tools/luafmt"
)

func (s *server) prepareRename(j job) (any, error) {
	d, err := s.at(j)
	if err != nil || d == nil || d.string != nil {
		return nil, err
	}
	r, err := d.Renameable(d.at)
	if err != nil {
		return nil, err
	}
	return j.snap.span(r.From, r.To), nil
}

func (s *server) rename(j job) (any, error) {
	var p renameParams
	if err := j.read(&p); err != nil {
		return nil, err
	}
	v := s.view(j.snap)
	if v == nil {
		return nil, nil
	}
	places, err := v.Rename(j.snap.offset(p.Position), p.NewName)
	if err != nil {
		return nil, err
	}
	var edits []textEdit
	elsewhere := len(v.others) > 0
	for _, l := range places {
		edits = append(edits, textEdit{j.snap.span(l.From, l.To), p.NewName})
		elsewhere = elsewhere || l.File != ""
	}
	if elsewhere {
		return s.renameInFiles(j.snap, places[0], p.NewName)
	}
	return s.edit(j.snap, edits)
}

// edit returns edits of a snapshot. It is an error if the document has changed meanwhile and the
// client could not notice.
func (s *server) edit(snap *snapshot, edits []textEdit) (*workspaceEdit, error) {
	if s.client.Workspace.WorkspaceEdit.DocumentChanges {
		return &workspaceEdit{DocumentChanges: []documentEdit{{versionedID{snap.uri, &snap.version}, edits}}}, nil
	}
	if s.documents.get(snap.uri) != snap {
		return nil, &jsonrpc2.Error{Code: codeContentModified, Message: "the document has changed"}
	}
	return &workspaceEdit{Changes: map[string][]textEdit{snap.uri: edits}}, nil
}

// formatting returns the edits that format the document: none if it does not compile, or if an
// .editorconfig file is wrong.
func (s *server) formatting(j job) (any, error) {
	edits := []textEdit{}
	if len(j.snap.text) > maxText || j.snap.isProgram() {
		return edits, nil
	}
	var p formattingParams
	if err := j.read(&p); err != nil {
		return nil, err
	}
	indent, err := s.indent(j.snap.path, p)
	if err != nil {
		if s.projects.firstWarning(err.Error()) {
			s.show(severityError, err.Error())
		}
		return edits, nil
	}
	text, err := luafmt.Format(j.snap.text, luafmt.Options{Indent: indent})
	if err != nil {
		s.o.Logger.Info("not formatted", "uri", j.snap.uri, "error", err)
		return edits, nil
	}
	before, after := textdiff.Lines(j.snap.text), textdiff.Lines(text)
	starts := make([]int, len(before)+1)
	for i, l := range before {
		starts[i+1] = starts[i] + len(l)
	}
	for _, h := range textdiff.Hunks(before, after) {
		edits = append(edits, textEdit{j.snap.span(starts[h.From], starts[h.To]), strings.Join(after[h.NewFrom:h.NewTo], "")})
	}
	return edits, nil
}

// indent returns the indentation of a script: that of the flag, of .editorconfig, of the client, or
// the default, in this order.
func (s *server) indent(path string, p formattingParams) (luafmt.Indent, error) {
	var own luafmt.Indent
	if n, spaces := p.Options.TabSize, p.Options.InsertSpaces; spaces != nil && n >= 1 && n <= luafmt.MaxIndent {
		own = luafmt.Indent{Tab: !*spaces, Width: n}
	}
	if path == "" {
		if s.o.Indent.Given {
			return s.o.Indent.Indent, nil
		}
		return own, nil
	}
	f := indentation.Files{Read: func(path string) ([]byte, error) {
		if text, ok := s.documents.text(path); ok {
			return []byte(text), nil
		}
		return indentation.ReadFile(path)
	}}
	return f.Of(path, s.o.Indent, own)
}

// codeActions offers repairs and comments for the findings in a range. None of the repairs is for
// all findings together, such as when a file is saved: the script does something else afterwards,
// or code is gone.
func (s *server) codeActions(j job) (any, error) {
	var p actionParams
	if err := j.read(&p); err != nil {
		return nil, err
	}
	list := []codeAction{}
	d := s.document(j.snap)
	if d == nil {
		return list, nil
	}
	if len(p.Context.Only) > 0 && !slices.Contains(p.Context.Only, "quickfix") {
		return list, nil
	}
	findings := s.checker.findings(j.snap)
	from, to := j.snap.offset(p.Range.Start), j.snap.offset(p.Range.End)
	for _, f := range findings {
		if f.Range.From > to || f.Range.To < from {
			continue
		}
		actions, err := s.quickFixes(j.snap, d, f)
		if err != nil {
			return nil, err
		}
		list = append(list, actions...)
	}
	return list, nil
}

// quickFixes returns the actions for one finding.
func (s *server) quickFixes(snap *snapshot, d *assist.Document, f lint.Finding) ([]codeAction, error) {
	var list []codeAction
	about := []diagnostic{snap.diagnostic(f)}
	add := func(title string, preferred bool, edits ...textEdit) error {
		edit, err := s.edit(snap, edits)
		list = append(list, codeAction{title, "quickfix", about, preferred, edit})
		return err
	}
	if f.Fix != nil {
		var edits []textEdit
		for _, e := range f.Fix.Edits {
			edits = append(edits, textEdit{snap.span(e.Range.From, e.Range.To), e.Text})
		}
		if err := add(f.Fix.Title, true, edits...); err != nil {
			return nil, err
		}
	}
	if f.Rule == "syntax-error" || f.Rule == "too-large" {
		return list, nil // comments do not help
	}
	if e, ok := d.DisableLine(f.Range.From, f.Rule); ok {
		if err := add("Disable "+f.Rule+" for this line", false, textEdit{snap.span(e.Range.From, e.Range.To), e.Text}); err != nil {
			return nil, err
		}
	}
	e := d.DisableFile(f.Rule)
	err := add("Disable "+f.Rule+" in this file", false, textEdit{snap.span(e.Range.From, e.Range.To), e.Text})
	return list, err
}
