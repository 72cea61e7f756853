package dap

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// source is the text of a script that the client knows.
type source struct {
	name   string
	path   string // of its file; "": it has none, and the client asks for the text
	ref    int    // by which it asks
	text   string // "" while only sha is known
	sha    string
	lines  []int // that have code
	set    []dap.SourceBreakpoint
	ids    []int                 // of set
	placed []debugger.Breakpoint // set, on the lines where they are
}

// newSource makes a source of a script, which must compile.
func newSource(text string) (*source, error) {
	lines, err := engine.ScriptLines(text)
	if err != nil {
		return nil, err
	}
	return &source{text: text, sha: engine.NewScript(text).SHA(), lines: lines}, nil
}

// nameSource gives a source the next free number, and a path or a name.
func (c *conn) nameSource(s *source, path string) {
	s.path, s.name = path, "script "+s.sha[:8]
	if path != "" {
		s.name = filepath.Base(path)
	}
	s.ref = len(c.sources) + 1
	c.sources = append(c.sources, s)
}

// is reports whether a script is the source. Spaces at the end make no difference: clients trim what they read from files.
func (s *source) is(script *engine.Script) bool {
	return s.sha == script.SHA() || s.text != "" && trim(s.text) == trim(script.Source())
}

func trim(text string) string { return strings.TrimRight(text, " \t\r\n") }

// sourceOf is the source of a script, a new one where it is not known yet. learned: its text was not known before.
func (c *conn) sourceOf(script *engine.Script) (s *source, learned bool) {
	for _, s = range c.sources {
		if s.is(script) {
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
	c.nameSource(s, "")
	return s, true
}

// find is the source that a client means; nil: none that it could know.
func (c *conn) find(d dap.Source) *source {
	path := ""
	if d.Path != "" {
		path = filepath.Clean(c.fromPath(d.Path))
	}
	for _, s := range c.sources {
		if d.SourceReference != 0 && d.SourceReference == s.ref && s.path == "" || path != "" && s.path != "" && filepath.Clean(s.path) == path {
			return s
		}
	}
	return nil
}

// tellSource describes a source to the client.
func (c *conn) tellSource(s *source) *dap.Source {
	d := &dap.Source{Name: s.name}
	if s.path != "" {
		d.Path = c.toPath(s.path)
	} else {
		d.SourceReference = s.ref
		d.Origin = "sent by a client"
	}
	return d
}

// fromPath is a path as this machine names it.
func (c *conn) fromPath(path string) string {
	if c.client.PathFormat == "uri" {
		if u, err := url.Parse(path); err == nil && u.Scheme == "file" {
			return filepath.FromSlash(u.Path)
		}
	}
	return path
}

// toPath is a path as the client names it.
func (c *conn) toPath(path string) string {
	if c.client.PathFormat == "uri" {
		return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
	}
	return path
}

// readScript reads the script that the arguments name; nil: they name none.
func (c *conn) readScript(a *arguments) (*source, error) {
	path := ""
	if a.Script != "" {
		path = inFolder(a.Cwd, c.fromPath(a.Script))
	}
	text := a.Text
	switch {
	case a.given["text"]:
	case path != "" && a.SHA == "":
		if c.opts.Engine != nil && c.peer().Remote {
			return nil, errors.New("attribute script: a server reads no files for clients on other machines; attach through `redmoon dap`, or by text or sha")
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		text = string(b)
	case a.SHA != "":
		sha := strings.ToLower(a.SHA)
		if len(sha) != 40 || strings.Trim(sha, "0123456789abcdef") != "" {
			return nil, fmt.Errorf("attribute sha: %q are no 40 hexadecimal digits", a.SHA)
		}
		s := &source{sha: sha}
		c.nameSource(s, path)
		return s, nil
	default:
		return nil, nil
	}
	s, err := newSource(text)
	if err != nil {
		return nil, err
	}
	c.nameSource(s, path)
	return s, nil
}

// inFolder is a path, that of a file in folder where it is relative.
func inFolder(folder, path string) string {
	if !filepath.IsAbs(path) && folder != "" {
		path = filepath.Join(folder, path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

func (c *conn) onLoadedSources(*dap.LoadedSourcesRequest) (dap.ResponseMessage, error) {
	r := &dap.LoadedSourcesResponse{}
	r.Body.Sources = []dap.Source{}
	for _, s := range c.sources {
		r.Body.Sources = append(r.Body.Sources, *c.tellSource(s))
	}
	return r, nil
}

func (c *conn) onSource(r *dap.SourceRequest) (dap.ResponseMessage, error) {
	want := dap.Source{SourceReference: r.Arguments.SourceReference}
	if r.Arguments.Source != nil {
		want = *r.Arguments.Source
		if want.SourceReference == 0 {
			want.SourceReference = r.Arguments.SourceReference
		}
	}
	s := c.find(want)
	if s == nil {
		return nil, errors.New("no such source")
	}
	if s.text == "" {
		return nil, errors.New("the script's text is not known before it has been run")
	}
	return &dap.SourceResponse{Body: dap.SourceResponseBody{Content: s.text, MimeType: "text/x-lua"}}, nil
}

// onBreakpointLocations tells which of the lines asked for have code.
func (c *conn) onBreakpointLocations(r *dap.BreakpointLocationsRequest) (dap.ResponseMessage, error) {
	response := &dap.BreakpointLocationsResponse{}
	response.Body.Breakpoints = []dap.BreakpointLocation{}
	if r.Arguments == nil {
		return nil, errors.New("malformed request: no arguments")
	}
	s := c.find(r.Arguments.Source)
	if s == nil {
		return response, nil
	}
	first := c.fromLine(r.Arguments.Line)
	last := first
	if r.Arguments.EndLine != 0 {
		last = c.fromLine(r.Arguments.EndLine)
	}
	for _, line := range s.lines {
		if line >= first && line <= last {
			response.Body.Breakpoints = append(response.Body.Breakpoints, dap.BreakpointLocation{Line: c.line(line)})
		}
	}
	return response, nil
}
