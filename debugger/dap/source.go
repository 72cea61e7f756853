package dap

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/base/project"
)

// maxFile is how many bytes of a file are read for a client.
const maxFile = 4 << 20

// source is a script that the client knows.
type source struct {
	name     string
	path     string         // path of its file; "": it has none, and the client requests the text
	built    *bundle.Bundle // of which files it consists; nil: of one
	ref      int            // number by which the client requests the text
	text     string         // "" if only sha is known
	sha      string
	lines    []int                 // lines that have code
	set      []sourceBreakpoint    // breakpoints, as the client has set them
	ids      []int                 // ids of set
	resolved []debugger.Breakpoint // set, with the actual lines
}

// sourceBreakpoint is a breakpoint in a file of a source.
type sourceBreakpoint struct {
	dap.SourceBreakpoint
	file string // as files has it
}

// files returns the paths of the files of a source: its own first, which may be "".
func (s *source) files() []string {
	if s.built == nil {
		return []string{s.path}
	}
	return s.built.Files
}

// newSource returns the source of a script. It returns an error if the script does not compile.
func newSource(text string) (*source, error) {
	lines, err := engine.ScriptLines(text)
	if err != nil {
		return nil, err
	}
	return &source{text: text, sha: engine.NewScript(text).SHA(), lines: lines}, nil
}

// sources are the scripts that the client knows.
type sources struct {
	client *clientView
	// remote says that the client is on another machine than a server with an engine. Then the
	// server reads no files for it.
	remote bool
	all    []*source
}

// add adds a source. Its name is that of its file, or else its SHA1.
func (ss *sources) add(s *source, path string) {
	s.path, s.name = path, "script "+s.sha[:8]
	if path != "" {
		s.name = filepath.Base(path)
	}
	s.ref = len(ss.all) + 1
	ss.all = append(ss.all, s)
}

// matches reports whether a script has this source. Blanks at the end are ignored, because clients
// trim files.
func (s *source) matches(script *engine.Script) bool {
	return s.sha == script.SHA() || s.text != "" && trim(s.text) == trim(script.Source())
}

func trim(text string) string { return strings.TrimRight(text, " \t\r\n") }

// of returns the source of a script, and adds it if it is unknown. isNew reports whether its
// text was unknown before.
func (ss *sources) of(script *engine.Script) (s *source, isNew bool) {
	for _, s = range ss.all {
		if s.matches(script) {
			if s.text != "" {
				return s, false
			}
			s.text = script.Source()
			s.lines, _ = engine.ScriptLines(s.text)
			return s, true
		}
	}
	s = &source{text: script.Source(), sha: script.SHA()}
	s.lines, _ = engine.ScriptLines(s.text)
	ss.add(s, "")
	return s, true
}

// find returns the source that a client means and the file of it, or nil if there is none.
func (ss *sources) find(d dap.Source) (s *source, file string) {
	path := ""
	if d.Path != "" {
		path = filepath.Clean(ss.client.fromPath(d.Path))
	}
	for _, s := range ss.all {
		if d.SourceReference != 0 && d.SourceReference == s.ref && s.path == "" {
			return s, ""
		}
		for _, file := range s.files() {
			if path != "" && file != "" && filepath.Clean(file) == path {
				return s, file
			}
		}
	}
	return nil, ""
}

// describe describes a file of a source to the client.
func (ss *sources) describe(s *source, file string) *dap.Source {
	switch {
	case file == "":
		return &dap.Source{Name: s.name, SourceReference: s.ref, Origin: "sent by a client"}
	case file == s.path:
		return &dap.Source{Name: s.name, Path: ss.client.toPath(file)}
	}
	return &dap.Source{Name: filepath.Base(file), Path: ss.client.toPath(file)}
}

// place returns the file in which a line of a script stands, and the line there as the client
// counts.
func (ss *sources) place(s *source, line int) (*dap.Source, int) {
	file, line := s.place(line)
	return ss.describe(s, file), ss.client.line(line)
}

// place returns the file in which a line of the script stands, and the line there.
func (s *source) place(line int) (file string, at int) {
	if s.built == nil {
		return s.path, line
	}
	p := s.built.Line(line)
	return p.File, p.Line
}

// line returns the line of the script that comes from a line of a file, or one behind the end if
// there is none.
func (s *source) line(file string, line int) int {
	if s.built == nil || line < 1 {
		return line
	}
	at, ok := s.built.FindLine(file, line)
	if !ok {
		return s.built.Lines() + 1
	}
	return at
}

var errRemoteFile = errors.New("attribute script: a server reads no files for clients on other machines; " +
	"attach through `redmoon dap`, or by text or sha")

// read reads the script that the arguments name. It returns nil if they name none.
func (ss *sources) read(a *arguments) (*source, error) {
	path := ""
	if a.Script != "" {
		path = absolutePath(a.Cwd, ss.client.fromPath(a.Script))
	}
	text := a.Text
	var built *bundle.Bundle
	switch {
	case a.given["text"]:
	case path != "" && a.SHA == "":
		if ss.remote {
			return nil, errRemoteFile
		}
		var err error
		if built, err = build(path); err != nil {
			return nil, err
		}
		text = built.Text
	case a.SHA != "":
		sha := strings.ToLower(a.SHA)
		if len(sha) != 40 || strings.Trim(sha, "0123456789abcdef") != "" {
			return nil, fmt.Errorf("attribute sha: %q is not a SHA1 of 40 hexadecimal digits", a.SHA)
		}
		s := &source{sha: sha}
		ss.add(s, path)
		return s, nil
	default:
		return nil, nil
	}
	s, err := newSource(text)
	if err != nil {
		return nil, err
	}
	s.built = built
	ss.add(s, path)
	return s, nil
}

// build reads a script with what belongs to it.
func build(path string) (*bundle.Bundle, error) {
	read := func(path string) (string, error) {
		text, err := files.ReadRegular(path, maxFile)
		return string(text), err
	}
	p, err := project.Find(filepath.Dir(path), project.ReadFile)
	if err != nil {
		return nil, err
	}
	p.Absolute = true
	return p.Build(path, bundle.Options{Read: read})
}

// absolutePath returns an absolute path. A relative path belongs to folder.
func absolutePath(folder, path string) string {
	if !filepath.IsAbs(path) && folder != "" {
		path = filepath.Join(folder, path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

func (ss *sources) onLoadedSources(*dap.LoadedSourcesRequest) (dap.ResponseMessage, error) {
	r := &dap.LoadedSourcesResponse{}
	r.Body.Sources = []dap.Source{}
	for _, s := range ss.all {
		for i, file := range s.files() {
			if !slices.Contains(s.files()[:i], file) {
				r.Body.Sources = append(r.Body.Sources, *ss.describe(s, file))
			}
		}
	}
	return r, nil
}

func (ss *sources) onSource(r *dap.SourceRequest) (dap.ResponseMessage, error) {
	want := dap.Source{SourceReference: r.Arguments.SourceReference}
	if r.Arguments.Source != nil {
		want = *r.Arguments.Source
		if want.SourceReference == 0 {
			want.SourceReference = r.Arguments.SourceReference
		}
	}
	s, file := ss.find(want)
	switch {
	case s == nil:
		return nil, errors.New("no such source")
	case s.built != nil:
		return &dap.SourceResponse{Body: dap.SourceResponseBody{Content: s.built.Source(file), MimeType: "text/x-lua"}}, nil
	}
	if s.text == "" {
		return nil, errors.New("the script's text is not known before it has been run")
	}
	return &dap.SourceResponse{Body: dap.SourceResponseBody{Content: s.text, MimeType: "text/x-lua"}}, nil
}

// onBreakpointLocations returns the lines with code in a range of lines.
func (ss *sources) onBreakpointLocations(r *dap.BreakpointLocationsRequest) (dap.ResponseMessage, error) {
	response := &dap.BreakpointLocationsResponse{}
	response.Body.Breakpoints = []dap.BreakpointLocation{}
	if r.Arguments == nil {
		return nil, errors.New("malformed request: no arguments")
	}
	s, file := ss.find(r.Arguments.Source)
	if s == nil {
		return response, nil
	}
	first := ss.client.fromLine(r.Arguments.Line)
	last := first
	if r.Arguments.EndLine != 0 {
		last = ss.client.fromLine(r.Arguments.EndLine)
	}
	for _, line := range s.lines {
		if in, line := s.place(line); in == file && line >= first && line <= last {
			response.Body.Breakpoints = append(response.Body.Breakpoints, dap.BreakpointLocation{Line: ss.client.line(line)})
		}
	}
	return response, nil
}
