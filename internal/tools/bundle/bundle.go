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
)

// Options say how to build.
type Options struct {
	// Folders are the folders that <name> stands for at the beginning of an include: the name
	// without the brackets, and the path of the folder.
	Folders map[string]string
	// DropEmptyLines drops the lines that are empty or blank, also where nothing is included. Where
	// something is included, Build always drops them.
	DropEmptyLines bool
	// Read returns the text of a file. Nil: it is read from disk. Only the script itself may be
	// longer than MaxText, or something else than a regular file.
	Read func(path string) (string, error)
}

// Bundle is a script that was made of files. It never changes.
type Bundle struct {
	// Text is the whole script.
	Text string
	// Files are the paths of the files in it, in the order in which they were first read: first that
	// of the script itself.
	Files []string

	texts  []string // of Files
	pieces []piece  // in the order of Text, without gaps
	lines  []int    // where the lines of Text begin
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
// An error begins with the place of the include: file:line.
func Build(path string, o Options) (*Bundle, error) {
	readScript := o.Read
	if o.Read == nil {
		o.Read, readScript = readIncluded, readAny
	}
	b := &builder{o: o, seen: map[string]bool{}}
	text, err := readScript(path)
	if err != nil {
		return nil, err
	}
	if err := b.add(path, text); err != nil {
		return nil, err
	}
	if o.DropEmptyLines || b.includes {
		b.dropEmptyLines()
	}
	return b.finish(), nil
}

// Whole returns the bundle of a script that is a file of its own.
func Whole(path, text string) *Bundle {
	b := &builder{}
	b.files, b.texts = []string{path}, []string{text}
	b.copy(0, 0, len(text))
	return b.finish()
}

// Includes reports whether a text has an include.
func Includes(text string) bool {
	return strings.Contains(text, "@include") && include.MatchString(text)
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
	files    []string
	texts    []string
	out      strings.Builder
	pieces   []piece
	seen     map[string]bool // absolute paths
	chain    []string        // absolute paths of the files that are being added
	includes bool
}

// add adds a file and what it includes.
func (b *builder) add(path, text string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	b.seen[abs] = true
	b.chain = append(b.chain, abs)
	if len(b.chain) > maxDepth {
		return fmt.Errorf("%s: more than %d files include one another", path, maxDepth)
	}
	file := len(b.files)
	b.files, b.texts = append(b.files, path), append(b.texts, text)
	done := 0
	for _, m := range include.FindAllStringSubmatchIndex(text, -1) {
		b.includes = true
		b.copy(file, done, m[0])
		done = m[1]
		if err := b.addIncluded(path, includeName(text, m)); err != nil {
			return fmt.Errorf("%s:%d: %w", path, 1+strings.Count(text[:m[0]], "\n"), err)
		}
		if b.out.Len() > MaxText {
			return fmt.Errorf("%s: with what it includes, it is longer than %d bytes", path, MaxText)
		}
	}
	b.copy(file, done, len(text))
	b.chain = b.chain[:len(b.chain)-1]
	return nil
}

// addIncluded adds the files that an include in the file path names.
func (b *builder) addIncluded(path, name string) error {
	paths, err := b.find(path, name)
	if err != nil {
		return fmt.Errorf("include %q: %w", name, err)
	}
	for _, path := range paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		if at := slices.Index(b.chain, abs); at >= 0 {
			return fmt.Errorf("include %q: files include themselves: %s", name, cycle(b.chain[at:], b.chain[0]))
		}
		if b.seen[abs] {
			continue
		}
		text, err := b.o.Read(path)
		if err != nil {
			return fmt.Errorf("include %q: %w", name, err)
		}
		if err := b.add(path, text); err != nil {
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

// copy adds a part of a file to the text.
func (b *builder) copy(file, from, to int) {
	if to > from {
		b.pieces = append(b.pieces, piece{at: b.out.Len(), file: file, from: from, size: to - from})
		b.out.WriteString(b.texts[file][from:to])
	}
}

func (b *builder) finish() *Bundle {
	text := b.out.String()
	return &Bundle{Text: text, Files: b.files, texts: b.texts, pieces: b.pieces, lines: lineStarts(text)}
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
			b.copy(p.file, p.from+from-p.at, p.from+end-p.at)
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
