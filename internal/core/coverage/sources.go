package coverage

import (
	"crypto/sha1"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Sources finds the files that scripts come from. A program often reads a script in a way that
// leaves no name, such as go:embed, or puts it together from several files.
type Sources struct {
	files map[string]string // paths by content
	paths []string          // sorted
	texts map[string]string // contents by path
	built map[string][]Run  // by the text of the script
}

// Run is a number of lines of a script that follow one another in a file, too. Lines count from 1.
type Run struct {
	Path   string // of the file; "": they are in none
	Source string // the text of the whole file
	First  int    // the first of the lines in the script
	Line   int    // the first of them in the file
	Count  int
}

// part is a file that a script consists of, or a part of it.
type part struct {
	path   string
	known  bool
	source string
	runs   []Run
}

// line returns the line of the file that is a line of the script, or false if it comes from
// elsewhere.
func (p *part) line(of int) (int, bool) {
	for _, r := range p.runs {
		if r.First <= of && of < r.First+r.Count {
			return of - r.First + r.Line, true
		}
	}
	return 0, false
}

// end returns the line of the file in which what begins at line from ends: at a line of the script.
// What ends in another file has one line.
func (p *part) end(of, from int) int {
	if line, ok := p.line(of); ok && line >= from {
		return line
	}
	return from
}

// maxParts is the number of files of which a script may consist.
const maxParts = 8

// ReadSources reads the files *.lua in folders and those below them, except in folders whose names
// begin with a dot and in node_modules and vendor. What may not be read is left out, but it is an
// error if a folder itself cannot be read. Paths are as the folders are given.
func ReadSources(folders ...string) (*Sources, error) {
	s := NewSources()
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && path == folder:
				return err
			case err != nil: // it may not be read
				return nil
			}
			if d.IsDir() {
				if path != folder && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "vendor") {
					return filepath.SkipDir
				}
				return nil
			}
			if !d.Type().IsRegular() || filepath.Ext(path) != ".lua" {
				return nil
			}
			if text, err := os.ReadFile(path); err == nil {
				s.Add(path, string(text))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// NewSources returns Sources without files.
func NewSources() *Sources {
	return &Sources{files: map[string]string{}, texts: map[string]string{}, built: map[string][]Run{}}
}

// Add adds a file.
func (s *Sources) Add(path, text string) { s.add(filepath.ToSlash(filepath.Clean(path)), text) }

// AddText adds a text that is in no file, but may be a part of scripts.
func (s *Sources) AddText(text string) { s.add(unknown+shaOf(text), text) }

// AddBuilt adds a script that was built of files: the runs of its lines, in their order.
func (s *Sources) AddBuilt(text string, runs []Run) { s.built[text] = runs }

func (s *Sources) add(path, text string) {
	if text == "" || s.texts[path] != "" {
		return
	}
	at, _ := slices.BinarySearch(s.paths, path)
	s.paths = slices.Insert(s.paths, at, path)
	s.texts[path] = text
	if have, ok := s.files[text]; !ok || isFile(path) && (path < have || !isFile(have)) {
		s.files[text] = path
	}
}

// parts returns the files that a script consists of.
func (s *Sources) parts(c *luabridge.ScriptCoverage) []part {
	all := []Run{{First: 1, Line: 1, Count: luatree.NewTree(c.Source).Lines()}}
	if c.Name != "" {
		return []part{{filepath.ToSlash(c.Name), true, c.Source, all}}
	}
	if s != nil {
		if parts := s.ofBuilt(c.Source); parts != nil {
			return parts
		}
		if parts := s.split(c.Source, 1, maxParts); parts != nil {
			return parts
		}
	}
	return []part{{unknown + c.SHA, false, c.Source, all}}
}

// ofBuilt returns the files of a script that AddBuilt has added, or nil.
func (s *Sources) ofBuilt(text string) (parts []part) {
	for _, r := range s.built[text] {
		path := unknown + shaOf(r.Source)
		if r.Path != "" {
			path = filepath.ToSlash(filepath.Clean(r.Path))
		}
		at := slices.IndexFunc(parts, func(p part) bool { return p.path == path && p.source == r.Source && !p.overlaps(r) })
		if at < 0 {
			at = len(parts)
			parts = append(parts, part{path: path, known: r.Path != "", source: r.Source})
		}
		parts[at].runs = append(parts[at].runs, r)
	}
	return parts
}

// overlaps reports whether a line of the file is in a run and in the part: the script has it twice.
func (p *part) overlaps(r Run) bool {
	return slices.ContainsFunc(p.runs, func(have Run) bool {
		return have.Line < r.Line+r.Count && r.Line < have.Line+have.Count
	})
}

// isFile reports whether a path is not that of AddText.
func isFile(path string) bool { return !strings.HasPrefix(path, unknown) }

// split returns the files of which a text consists, at most n, or nil. The text begins at line
// begin of a script. All files except the last must end with a line break.
func (s *Sources) split(text string, begin, n int) []part {
	if path, ok := s.files[text]; ok {
		return []part{{path, isFile(path), text, []Run{{First: begin, Line: 1, Count: luatree.NewTree(text).Lines()}}}}
	}
	if n == 1 {
		return nil
	}
	for _, path := range s.paths {
		first := s.texts[path]
		rest, ok := strings.CutPrefix(text, first)
		if !ok || !strings.HasSuffix(first, "\n") {
			continue
		}
		lines := luatree.NewTree(first).Lines() - 1
		if more := s.split(rest, begin+lines, n-1); more != nil {
			return append([]part{{path, isFile(path), first, []Run{{First: begin, Line: 1, Count: lines}}}}, more...)
		}
	}
	return nil
}

func shaOf(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Name names the scripts that have no name and are one file each. A text that AddBuilt has added
// counts for the files that it was built of, even if a file has it.
func (s *Sources) Name(scripts []luabridge.ScriptCoverage) {
	for i := range scripts {
		if s.built[scripts[i].Source] != nil {
			continue
		}
		if path, ok := s.files[scripts[i].Source]; ok && isFile(path) && scripts[i].Name == "" {
			scripts[i].Name = path
		}
	}
}

// Each calls f with the content and the path of each file, for example to name what is in a
// Profile.
func (s *Sources) Each(f func(source, path string)) {
	for _, path := range s.paths {
		if isFile(path) {
			f(s.texts[path], path)
		}
	}
}
