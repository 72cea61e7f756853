package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Folder is the name of the folder with the snapshots of the test files beside it.
const Folder = "__snapshots__"

// heading is the first line of a file.
const heading = "-- Snapshots of redmoon test; `redmoon test --update` writes this file."

// mark begins the line with the name of a snapshot. Lines of values that begin with it are
// indented.
const mark = "=== "

// File is the snapshots of one test file. It belongs to one goroutine.
type File struct {
	path    string
	saved   map[string]string // what the file holds
	used    map[string]bool   // what tests have compared
	updated map[string]string // what is to be written
}

// Path returns the path of the file with the snapshots of a test file.
func Path(test string) string {
	return filepath.Join(filepath.Dir(test), Folder, strings.TrimSuffix(filepath.Base(test), ".lua")+".snap")
}

// Open reads the snapshots of a test file. There may be none.
func Open(test string) (*File, error) {
	f := &File{path: Path(test), used: map[string]bool{}, updated: map[string]string{}}
	content, err := os.ReadFile(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if f.saved, err = parse(strings.ReplaceAll(string(content), "\r\n", "\n")); err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return f, nil
}

// Path returns the path of the file.
func (f *File) Path() string { return f.path }

// Match compares a value with the snapshot of a name. known reports whether there is one. With
// update the value becomes the snapshot.
func (f *File) Match(name, value string, update bool) (saved string, known bool) {
	saved, known = f.saved[name]
	f.used[name] = true
	if update {
		if !known || saved != value {
			f.updated[name] = value
		}
		return value, true
	}
	return saved, known
}

// Obsolete returns the names of snapshots that no test has compared, sorted.
func (f *File) Obsolete() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(f.saved)) {
		if !f.used[name] {
			names = append(names, name)
		}
	}
	return names
}

// Save writes what Match has updated, and removes obsolete snapshots if prune is set. It returns
// the number of snapshots that it has written and removed. A file without snapshots is removed.
func (f *File) Save(prune bool) (written, removed int, err error) {
	all := maps.Clone(f.saved)
	if prune {
		for _, name := range f.Obsolete() {
			delete(all, name)
			removed++
		}
	}
	if len(f.updated)+removed == 0 {
		return 0, 0, nil
	}
	maps.Copy(all, f.updated)
	if len(all) == 0 {
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, 0, err
		}
		_ = os.Remove(filepath.Dir(f.path)) // if it is empty
	} else if err := write(f.path, all); err != nil {
		return 0, 0, err
	}
	written = len(f.updated)
	f.saved, f.updated = all, map[string]string{}
	return written, removed, nil
}

func write(path string, all map[string]string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(heading + "\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b.WriteString("\n" + mark + strconv.Quote(name) + "\n")
		for line := range strings.Lines(all[name] + "\n") {
			if strings.HasPrefix(strings.TrimLeft(line, " "), mark) {
				line = " " + line
			}
			b.WriteString(line)
		}
	}
	return os.WriteFile(path, []byte(b.String()), 0o666)
}

// parse reads the content of a file.
func parse(content string) (map[string]string, error) {
	all := map[string]string{}
	name, value := "", []string(nil)
	end := func() {
		if name != "" {
			all[name] = strings.TrimSuffix(strings.Join(value, ""), "\n")
		}
		value = nil
	}
	n := 0
	for line := range strings.Lines(content) {
		n++
		quoted, begins := strings.CutPrefix(line, mark)
		switch {
		case begins:
			if len(value) > 0 { // the empty line before a name
				value = value[:len(value)-1]
			}
			end()
			var err error
			if name, err = strconv.Unquote(strings.TrimRight(quoted, "\n")); err != nil || name == "" {
				return nil, fmt.Errorf("line %d: a name in quotes expected", n)
			}
		case name != "":
			if strings.HasPrefix(strings.TrimLeft(line, " "), mark) {
				line = line[1:]
			}
			value = append(value, line)
		}
	}
	end()
	return all, nil
}
