package aoffile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/redmoon-lua/redmoon/persist/internal/manifest"
)

// Role is what a file of a manifest is for.
type Role string

// The roles. A history file is superseded and is not loaded.
const (
	Base    Role = "base"
	Incr    Role = "incr"
	History Role = "history"
)

// File is a file that a manifest lists.
type File struct {
	Name string // without directory; the file lies beside the manifest
	Role Role
	Seq  int64
}

// maxManifest is the size from which a manifest is refused, in bytes.
const maxManifest = 16 << 20

// Manifest reads the manifest at path (appendonly.aof.manifest) and returns its files: base,
// incremental files in the order of loading, history. Errors name the path.
func Manifest(path string) ([]File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	m, err := manifest.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var files []File
	add := func(role Role, of ...manifest.File) {
		for _, file := range of {
			files = append(files, File{Name: file.Name, Role: role, Seq: file.Seq})
		}
	}
	if m.Base != nil {
		add(Base, *m.Base)
	}
	add(Incr, m.Incr...)
	add(History, m.History...)
	return files, nil
}
