package damage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/persist"
)

// Kind is one way to damage the data set of a folder.
type Kind struct {
	Name       string
	File       string            // the one that is changed, below the folder
	AppendOnly bool              // the data set is an append-only file, not a dump
	Config     map[string]string // parameters without which the server repairs the damage

	change func(data []byte) ([]byte, error)
}

// The files of a data set that Write has written.
const (
	Dump      = "dump.rdb"
	Base      = "appendonlydir/appendonly.aof.1.base.rdb"
	Increment = "appendonlydir/appendonly.aof.1.incr.aof"
	Manifest  = "appendonlydir/appendonly.aof.manifest"
)

// Kinds returns all ways.
func Kinds() []Kind {
	return []Kind{
		{Name: "garbage", File: Dump, change: With("REDIS0099" + strings.Repeat("x", 100))},
		{Name: "no dump", File: Dump, change: With("no dump at all")},
		{Name: "empty", File: Dump, change: With("")},
		{Name: "a later version", File: Dump, change: Replaced("REDIS0010", "REDIS0099")},
		{Name: "cut in the head", File: Dump, change: cut(func(int) int { return 7 })},
		{Name: "cut in half", File: Dump, change: cut(half)},
		{Name: "cut at the end", File: Dump, change: cut(last)},
		{Name: "checksum", File: Dump, change: flipped(last)},
		{Name: "a byte", File: Dump, change: flipped(half)},
		{Name: "base: garbage", File: Base, change: With("REDIS0099xxxxxxxx"), AppendOnly: true},
		{Name: "base: cut in half", File: Base, change: cut(half), AppendOnly: true},
		{Name: "base: checksum", File: Base, change: flipped(last), AppendOnly: true},
		{Name: "base: commands", File: Base, change: With("*1\r\n$x\r\n"), AppendOnly: true},
		{Name: "increment: no number", File: Increment, change: Replaced("*3", "*x"), AppendOnly: true},
		{Name: "increment: no length", File: Increment, change: Replaced("$3", "$y"), AppendOnly: true},
		{Name: "increment: no command", File: Increment, change: Replaced("SET", "SXT"), AppendOnly: true},
		{Name: "increment: cut", File: Increment, change: cut(last), AppendOnly: true,
			Config: map[string]string{"aof-load-truncated": "no"}},
		{Name: "manifest: garbage", File: Manifest, change: With("no manifest\n"), AppendOnly: true},
		{Name: "manifest: empty", File: Manifest, change: With(""), AppendOnly: true},
		{Name: "manifest: a file that is not there", File: Manifest, change: Replaced("1.incr.aof", "7.incr.aof"), AppendOnly: true},
	}
}

// Apply damages the data set of a folder.
func (k Kind) Apply(dir string) error { return Change(dir, k.File, k.change) }

// Change changes a file of a folder.
func Change(dir, file string, change func([]byte) ([]byte, error)) error {
	path := filepath.Join(dir, filepath.FromSlash(file))
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if data, err = change(data); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// With makes a file one with another text.
func With(text string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return []byte(text), nil }
}

// Replaced replaces the first place of a text in a file.
func Replaced(old, text string) func([]byte) ([]byte, error) {
	return func(data []byte) ([]byte, error) {
		if !strings.Contains(string(data), old) {
			return nil, errors.New("the file has no " + old)
		}
		return []byte(strings.Replace(string(data), old, text, 1)), nil
	}
}

// CutAtTheEnd takes the last byte off a file, and FlippedAtTheEnd changes it.
var (
	CutAtTheEnd     = cut(last)
	FlippedAtTheEnd = flipped(last)
)

func cut(to func(size int) int) func([]byte) ([]byte, error) {
	return func(data []byte) ([]byte, error) { return data[:to(len(data))], nil }
}

func flipped(at func(size int) int) func([]byte) ([]byte, error) {
	return func(data []byte) ([]byte, error) {
		data[at(len(data))] ^= 0x55
		return data, nil
	}
}

func half(size int) int { return size / 2 }
func last(size int) int { return size - 1 }

// Write writes a data set that is whole into a folder: a dump, or with appendOnly also an
// append-only file.
func Write(dir string, appendOnly bool) error {
	e, err := engine.New(engine.Options{Persistence: persist.New(persist.Options{Dir: dir, AppendOnly: appendOnly})})
	if err != nil {
		return err
	}
	for _, line := range []string{"SET abc 1", "RPUSH list a b c", "HSET hash f v", "SET end 1", "SAVE"} {
		if _, doErr := e.DoStrings(context.Background(), strings.Fields(line)...); doErr != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", line, doErr))
		}
	}
	return errors.Join(err, e.Close())
}

// Content returns the files below a folder, without the lock of an engine.
func Content(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".redmoon.lock" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	return files, err
}
