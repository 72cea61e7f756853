package deploy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/bundlefiles"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lintfiles"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
)

// Limits of one deployment.
const (
	maxFiles = 10_000
	maxBytes = 256 << 20 // of all texts
)

// Script is a text for SCRIPT LOAD.
type Script struct{ Path, SHA1, Text string }

// Library is a text for FUNCTION LOAD.
type Library struct {
	Path, Name, Text string
	Version          string   // of a comment; "" if there is none
	Functions        []string // sorted; known after the text was loaded into an engine
}

// digest returns the digest of the text of a library: 64 digits of lower case.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Sources are the texts of a deployment.
type Sources struct {
	Scripts   []Script  // in the order of their paths
	Libraries []Library // in the order of their names
}

// versionLine is a comment that names the version of a library.
var versionLine = regexp.MustCompile(`(?m)^--+[ \t]*[Vv]ersion[: \t]+([0-9A-Za-z][0-9A-Za-z.+_-]{0,63})[ \t]*\r?$`)

// Read builds the scripts and libraries of files and folders, as `redmoon bundle` does. A text is a
// library if its first line names one. problems gets what is wrong with files.
func Read(paths []string, o bundle.Options, problems io.Writer) (*Sources, error) {
	found, failed, err := bundlefiles.Find(paths, bundlefiles.Options{Options: o, Problems: problems})
	switch {
	case err != nil:
		return nil, err
	case failed > 0:
		return nil, fmt.Errorf("%s cannot be built", count(failed, "script", "scripts"))
	case len(found) == 0:
		return nil, errors.New("no scripts were found")
	}
	s := &Sources{}
	seen := map[string]bool{}
	bytes := 0
	for _, f := range found {
		abs, err := filepath.Abs(f.Path)
		if err != nil {
			return nil, err
		}
		if seen[abs] {
			continue
		}
		seen[abs] = true
		if bytes += len(f.Text); bytes > maxBytes || len(seen) > maxFiles {
			return nil, fmt.Errorf("a deployment has at most %d files and %d bytes", maxFiles, maxBytes)
		}
		if err := s.add(f); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(s.Scripts, func(a, b Script) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(s.Libraries, func(a, b Library) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(s.Libraries); i++ {
		if a, b := s.Libraries[i-1], s.Libraries[i]; a.Name == b.Name {
			return nil, fmt.Errorf("%s and %s are both the library %s", a.Path, b.Path, a.Name)
		}
	}
	return s, nil
}

func (s *Sources) add(f bundlefiles.Script) error {
	if !luatext.IsLibrary(f.Text) {
		s.Scripts = append(s.Scripts, Script{f.Path, f.SHA1(), f.Text})
		return nil
	}
	name, _, err := luatext.ReadLibrary(f.Text)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	l := Library{Path: f.Path, Name: name, Text: f.Text}
	if m := versionLine.FindStringSubmatch(f.Text); m != nil {
		l.Version = m[1]
	}
	s.Libraries = append(s.Libraries, l)
	return nil
}

// library returns the library with a name, or nil.
func (s *Sources) library(name string) *Library {
	i := slices.IndexFunc(s.Libraries, func(l Library) bool { return l.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Libraries[i]
}

// check loads all texts into an engine that follows a server, and learns which functions the
// libraries register. The error names every text that the engine refuses.
func (s *Sources) check(ctx context.Context, server servers.Server) error {
	e, err := engine.New(engine.Options{Server: server.String()})
	if err != nil {
		return err
	}
	defer e.Close()
	var problems []error
	load := func(path string, args ...string) error {
		v, err := e.DoStrings(ctx, args...)
		if !v.IsError() {
			return err
		}
		problems = append(problems, fmt.Errorf("%s: %s", path, strings.TrimPrefix(v.Text(), "ERR ")))
		return nil
	}
	for _, script := range s.Scripts {
		if err := load(script.Path, "SCRIPT", "LOAD", script.Text); err != nil {
			return err
		}
	}
	for _, l := range s.Libraries {
		if err := load(l.Path, "FUNCTION", "LOAD", l.Text); err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	v, err := e.DoStrings(ctx, "FUNCTION", "LIST", "WITHCODE")
	if err != nil {
		return err
	}
	loaded, err := readLibraries(v)
	if err != nil {
		return err
	}
	for i := range s.Libraries {
		s.Libraries[i].Functions = loaded[s.Libraries[i].Name].functions
	}
	return nil
}

// warn prints what the linter calls an error on some servers.
func (s *Sources) warn(names []string, to io.Writer) error {
	var paths []string
	for _, script := range s.Scripts {
		paths = append(paths, script.Path)
	}
	for _, l := range s.Libraries {
		paths = append(paths, l.Path)
	}
	results, err := lintfiles.Run(paths, lintfiles.Options{Servers: names, Level: lint.Error})
	if err != nil {
		return err
	}
	for _, r := range results {
		for _, f := range r.Findings {
			fmt.Fprintf(to, "redmoon: warning: %s:%d:%d: %s [%s]\n", harmless(r.Path), f.Line, f.Column, harmless(f.Message), f.Rule)
		}
	}
	return nil
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
