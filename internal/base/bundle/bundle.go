package bundle

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/files"
)

// Limits of what one script may be made of.
const (
	MaxText  = 16 << 20 // bytes of a file, and of the whole text
	maxDepth = 200      // files that include one another
	maxFiles = 10_000   // a partial counts as often as it is included
)

// Options say how to build.
type Options struct {
	// Folders are the folders that <name> stands for at the beginning of an include: the name
	// without the brackets, and the path of the folder.
	Folders map[string]string
	// DropEmptyLines drops the lines that are empty or blank, also where nothing is included. Where
	// something is included, Build always drops them.
	DropEmptyLines bool
	// Before are files that stand in front of the script, in this order, with what they include.
	Before []string
	// Between is a text between the files of Before and the script. They are joined as they are, so
	// that a file without a line break at its end needs one.
	Between string
	// Given are files that something else has put in front of the text. They are not added again.
	Given []string
	// Read returns the text of a file. Nil: it is read from disk. Only the script itself may be
	// longer than MaxText, or something else than a regular file.
	Read func(path string) (string, error)
}

// Bundle is a script that was made of files. It never changes.
type Bundle struct {
	// Text is the whole script.
	Text string
	// Files are the paths of the files in it, in the order in which they were first read: first
	// that of the script itself.
	Files []string

	texts  []string // of Files
	joined bool
	pieces []piece // in the order of Text, without gaps
	lines  []int   // where the lines of Text begin
}

// piece is a part of the text that stands in one file as it does in the text.
type piece struct {
	at   int // where it begins in the text
	file int // index of Files
	from int // where it begins in the file
	size int
}

// Build makes one text of a script and all that it includes.
//
// An include is a line that begins with two or three dashes, @include and a name in quotes. The
// name is a path with slashes, relative to the folder of the file in which it stands, or to the
// folder that <name> stands for. The end .lua may be missing. A name with *, ? or [ is a pattern of
// path/filepath.Match and includes all files that match, in the order of their paths, if there is
// one. Each file is included once, where it is named first; a file that includes itself, however
// indirectly, is an error.
//
// A partial of ERB, <%= include_partial "shared/time.lua" %>, is put where it stands, as often as
// it is named. Its path is relative to the folder of the script.
//
// An include that is wrong gives an *Error.
func Build(path string, o Options) (*Bundle, error) {
	readScript := o.Read
	if o.Read == nil {
		o.Read, readScript = readIncluded, readAny
	}
	text, err := readScript(path)
	if err != nil {
		return nil, err
	}
	b := &builder{o: o, seen: map[string]bool{}, files: []string{path}, texts: []string{text}}
	for _, given := range o.Given {
		abs, err := filepath.Abs(given)
		if err != nil {
			return nil, err
		}
		b.seen[abs] = true
	}
	if b.script, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if err := b.addBefore(); err != nil {
		return nil, err
	}
	if err := b.addText(0, b.script); err != nil {
		return nil, err
	}
	if o.DropEmptyLines || b.includes {
		b.dropEmptyLines()
	}
	return b.finish(), nil
}

// Error is an include that is wrong, or one whose file has a wrong one.
type Error struct {
	File string // as in Bundle.Files
	Line int    // from 1
	Err  error
}

// Error returns file:line: and what is wrong.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// Whole returns the bundle of a script that is a file of its own.
func Whole(path, text string) *Bundle {
	b := &builder{files: []string{path}, texts: []string{text}}
	b.put(0, 0, text)
	return b.finish()
}

// Join returns the bundle of scripts, at least one, that follow one another in one text. Of two
// files with one name but other texts, the second one is called NAME (2).
func Join(list ...*Bundle) *Bundle {
	all := &builder{}
	for _, b := range list {
		all.fileOf(b.Files[0], b.texts[0])
		for _, p := range b.pieces {
			all.put(all.fileOf(b.Files[p.file], b.texts[p.file]), p.from, b.Text[p.at:p.at+p.size])
		}
	}
	return all.finish()
}

// fileOf returns the index of a file, which it adds if it is not there.
func (b *builder) fileOf(path, text string) int {
	name := path
	for n := 2; ; n++ {
		i := slices.Index(b.files, name)
		if i >= 0 && b.texts[i] == text {
			return i
		}
		if i < 0 {
			b.files, b.texts = append(b.files, name), append(b.texts, text)
			return len(b.files) - 1
		}
		name = fmt.Sprintf("%s (%d)", path, n)
	}
}

// Includes reports whether a text has an include or a partial.
func Includes(text string) bool { return len(includesOf(text)) > 0 }

// Has reports whether a file is a part of the script. path is absolute.
func (b *Bundle) Has(path string) bool {
	return slices.ContainsFunc(b.Files, func(name string) bool {
		absolute, err := filepath.Abs(name)
		return err == nil && absolute == path
	})
}

// SHA1 returns the digest by which EVALSHA calls the script: 40 digits of lower case.
func (b *Bundle) SHA1() string {
	sum := sha1.Sum([]byte(b.Text))
	return hex.EncodeToString(sum[:])
}

func readIncluded(path string) (string, error) {
	text, err := files.ReadRegular(path, MaxText)
	return string(text), err
}

// readAny reads a script, which may come from a pipe.
func readAny(path string) (string, error) {
	text, err := os.ReadFile(path)
	return string(text), err
}

type builder struct {
	o        Options
	script   string // its absolute path
	files    []string
	texts    []string
	out      strings.Builder
	pieces   []piece
	seen     map[string]bool // absolute paths
	chain    []string        // absolute paths of the files that are being added
	includes bool
	joined   bool
}

// addBefore adds the files in front of the script.
func (b *builder) addBefore() error {
	b.chain = append(b.chain, b.script)
	for _, path := range b.o.Before {
		abs, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		if b.seen[abs] {
			continue
		}
		text, err := b.o.Read(path)
		if err != nil {
			return err
		}
		at := len(b.files)
		if err := b.add(path, abs, text); err != nil {
			return err
		}
		b.put(at, len(text), b.o.Between)
		b.joined = true
	}
	b.chain = b.chain[:0]
	return nil
}

// add adds a file and what it includes.
func (b *builder) add(path, abs, text string) error {
	if len(b.files) == maxFiles {
		return fmt.Errorf("%s: the script consists of more than %d files", path, maxFiles)
	}
	b.files, b.texts = append(b.files, path), append(b.texts, text)
	return b.addText(len(b.files)-1, abs)
}

// addText adds the text of a file that is in b.files, and what it includes.
func (b *builder) addText(file int, abs string) error {
	path, text := b.files[file], b.texts[file]
	b.seen[abs] = true
	b.chain = append(b.chain, abs)
	if len(b.chain) > maxDepth {
		return fmt.Errorf("%s: more than %d files include one another", path, maxDepth)
	}
	done := 0
	for _, m := range includesOf(text) {
		b.includes = b.includes || !m.erb
		b.put(file, done, text[done:m.from])
		done = m.to
		if err := b.addIncluded(path, m); err != nil {
			return &Error{path, 1 + strings.Count(text[:m.from], "\n"), err}
		}
		if b.out.Len() > MaxText {
			return fmt.Errorf("%s: with what it includes, it is longer than %d bytes", path, MaxText)
		}
	}
	b.put(file, done, text[done:])
	b.chain = b.chain[:len(b.chain)-1]
	return nil
}

// addIncluded adds the files that an include in the file path names.
func (b *builder) addIncluded(path string, m mention) error {
	if m.erb {
		path = b.files[0] // partials are found from there
	}
	paths, err := b.find(path, m.name)
	if err != nil {
		return fmt.Errorf("include %q: %w", m.name, err)
	}
	for _, path := range paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		if at := slices.Index(b.chain, abs); at >= 0 {
			return fmt.Errorf("include %q: files include themselves: %s", m.name, cycle(b.chain[at:], b.chain[0]))
		}
		if b.seen[abs] && !m.erb {
			continue
		}
		text, err := b.o.Read(path)
		if err != nil {
			return fmt.Errorf("include %q: %w", m.name, err)
		}
		if err := b.add(path, abs, text); err != nil {
			return err
		}
	}
	return nil
}

// cycle writes a chain of files, and its first one again, as they are seen from the script.
func cycle(chain []string, script string) string {
	var names []string
	for _, path := range append(slices.Clone(chain), chain[0]) {
		if rel, err := filepath.Rel(filepath.Dir(script), path); err == nil {
			path = rel
		}
		names = append(names, filepath.ToSlash(path))
	}
	return strings.Join(names, " -> ")
}

// find returns the paths of the files that an include in the file path names.
func (b *builder) find(path, name string) ([]string, error) {
	folder := filepath.Dir(path)
	if alias, rest, ok := strings.Cut(strings.TrimPrefix(name, "<"), ">"); ok && strings.HasPrefix(name, "<") {
		at, known := b.o.Folders[alias]
		if !known {
			return nil, fmt.Errorf("the configuration names no folder <%s>", alias)
		}
		folder, name = at, strings.TrimLeft(rest, "/")
	}
	if !strings.HasSuffix(name, ".lua") {
		name += ".lua"
	}
	full := filepath.FromSlash(name)
	if !filepath.IsAbs(full) {
		full = filepath.Join(folder, full)
	}
	if !strings.ContainsAny(name, "*?[") {
		return []string{full}, nil
	}
	paths, err := filepath.Glob(full)
	if err == nil && len(paths) == 0 {
		err = os.ErrNotExist
	}
	slices.Sort(paths)
	return paths, err
}

// put adds a text, which stands in a file at from unless it is Options.Between.
func (b *builder) put(file, from int, text string) {
	if text != "" {
		b.pieces = append(b.pieces, piece{at: b.out.Len(), file: file, from: from, size: len(text)})
		b.out.WriteString(text)
	}
}

func (b *builder) finish() *Bundle {
	text := b.out.String()
	return &Bundle{Text: text, Files: b.files, texts: b.texts, joined: b.joined, pieces: b.pieces, lines: lineStarts(text)}
}

// dropEmptyLines drops all lines that are empty or blank, as long as another line follows them.
func (b *builder) dropEmptyLines() {
	text, old := b.out.String(), b.pieces
	b.out.Reset()
	b.pieces = nil
	next := 0 // of old
	keep := func(from, to int) {
		for from < to {
			for old[next].at+old[next].size <= from {
				next++
			}
			p := old[next]
			end := min(to, p.at+p.size)
			b.put(p.file, p.from+from-p.at, text[from:end])
			from = end
		}
	}
	kept := 0
	for at := 0; at < len(text); {
		blank := emptyLines(text[at:])
		keep(kept, at)
		at += blank
		kept = at
		line := strings.IndexByte(text[at:], '\n')
		if line < 0 {
			break
		}
		at += line + 1
	}
	keep(kept, len(text))
}
