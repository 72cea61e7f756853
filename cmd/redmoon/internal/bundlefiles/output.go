package bundlefiles

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/base/textdiff"
)

// mapEnd is the end of the names of source maps.
const mapEnd = ".map"

// output is a file in Options.Out.
type output struct {
	name string // in the folder
	text string
}

// outputs returns the files of scripts.
func (o *Options) outputs(scripts []Script) ([]output, error) {
	var list []output
	for _, s := range scripts {
		list = append(list, output{s.name, s.Text})
		if o.Map {
			text, err := s.SourceMap(filepath.Join(o.Out, s.name))
			if err != nil {
				return nil, err
			}
			list = append(list, output{s.name + mapEnd, string(text) + "\n"})
		}
	}
	return list, nil
}

// written is the file in Options.Out that lists what Run has written there, as sha1sum does.
const written = ".redmoon-bundle"

// maxWritten is how many bytes of it are read.
const maxWritten = 16 << 20

// write writes files, or none if one of them would take the place of a file that no earlier run has
// written, or that has been changed since.
func (o *Options) write(outputs []output) error {
	before, err := o.lines()
	if err != nil {
		return err
	}
	after := slices.Clone(before)
	var changed []output
	for _, out := range outputs {
		old, err := os.ReadFile(filepath.Join(o.Out, out.name))
		switch line := writtenLine(string(old), out.name); {
		case errors.Is(err, os.ErrNotExist):
			changed = append(changed, out)
		case err != nil:
			return err
		case string(old) == out.text:
		case !slices.Contains(before, line):
			return fmt.Errorf("%s is there, and redmoon bundle has not written it as it is: remove it, or choose another folder with --out",
				filepath.Join(o.Out, out.name))
		default:
			changed = append(changed, out)
		}
		after = slices.DeleteFunc(after, func(line string) bool { return nameIn(line) == out.name })
	}
	for _, out := range outputs {
		after = append(after, writtenLine(out.text, out.name))
	}
	if err := o.list(append(before, after...)); err != nil { // both, should this run be interrupted
		return err
	}
	for _, out := range changed {
		path := filepath.Join(o.Out, out.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := files.Replace(path, out.text); err != nil {
			return err
		}
	}
	return o.list(after)
}

// lines reads what Run has written.
func (o *Options) lines() ([]string, error) {
	text, err := files.ReadRegular(filepath.Join(o.Out, written), maxWritten)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return slices.Collect(strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n")), err
}

// list writes what Run has written.
func (o *Options) list(lines []string) error {
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(nameIn(a)+a, nameIn(b)+b) })
	text := strings.Join(slices.Compact(lines), "\n") + "\n"
	path := filepath.Join(o.Out, written)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, []byte(text)) {
		return nil
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return err
	}
	return files.Replace(path, text)
}

// writtenLine returns the line of a file.
func writtenLine(text, name string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:]) + "  " + name
}

// nameIn returns the name of the file in a line.
func nameIn(line string) string {
	_, name, _ := strings.Cut(line, "  ")
	return name
}

// compare prints how files differ from what they should be.
func (o *Options) compare(outputs []output, outcome *Outcome) error {
	for _, out := range outputs {
		path := filepath.Join(o.Out, out.name)
		old, err := files.ReadRegular(path, 2*bundle.MaxText)
		diff := ""
		switch {
		case errors.Is(err, os.ErrNotExist):
			diff = path + " is missing\n"
		case err != nil:
			outcome.Failed++
			fmt.Fprintf(o.Problems, "redmoon: %v\n", err)
			continue
		case string(old) == out.text:
			continue
		case strings.HasSuffix(path, mapEnd):
			diff = path + " differs\n"
		default:
			diff = textdiff.Unified(path, path+" (built)", string(old), out.text)
		}
		outcome.Differ++
		if _, err := io.WriteString(o.Stdout, diff); err != nil {
			return err
		}
	}
	return nil
}
