package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/files"
)

// Names of configurations. One counts for its folder and all below it that have none of their own.
const (
	Name    = "redmoon.toml"
	OldName = ".redmoonlint" // in JSON; its Join is for the linter alone
)

// MaxConfig is how long a configuration may be, in bytes.
const MaxConfig = 1 << 20

// Project is a configuration with its folder. It never changes.
type Project struct {
	Config
	Dir  string // absolute; "": there is no configuration
	File string // its path; "": there is none
	// Absolute makes all paths absolute. Otherwise those below the working folder are relative to
	// it.
	Absolute bool
}

// Read reads the file at an absolute path. Its error must wrap fs.ErrNotExist if there is none.
type Read func(path string) (string, error)

// ReadFile is a Read for files on disk.
func ReadFile(path string) (string, error) {
	text, err := files.ReadRegular(path, MaxConfig)
	return string(text), err
}

// MaxText is how many bytes ReadText reads of a file.
const MaxText = 2<<20 + 1

// ReadText is a Read for scripts, which reads a long file only in part.
func ReadText(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, &fs.PathError{Op: "read", Path: path, Err: errors.New("it is not a regular file")})
	}
	b, err := io.ReadAll(io.LimitReader(f, MaxText))
	return string(b), err
}

// At returns the configuration that stands in a folder, whose path must be absolute, or nil.
func At(dir string, read Read) (*Project, error) {
	file, old := filepath.Join(dir, Name), filepath.Join(dir, OldName)
	text, err := read(file)
	oldText, oldErr := read(old)
	switch {
	case err == nil && oldErr == nil:
		return nil, fmt.Errorf("%s and %s stand in one folder; move everything to %s", file, OldName, Name)
	case err == nil:
		return Load(file, text)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case oldErr == nil:
		return Load(old, oldText)
	case !errors.Is(oldErr, fs.ErrNotExist):
		return nil, oldErr
	}
	return nil, nil
}

// Load returns the configuration of a file. It is JSON if its name is OldName, or ends in .json,
// and otherwise TOML.
func Load(file, text string) (*Project, error) {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	parse := Parse
	if filepath.Base(file) == OldName || filepath.Ext(file) == ".json" {
		parse = ParseJSON
	}
	c, err := parse([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &Project{Config: *c, Dir: dir, File: file}, nil
}

// Find returns the nearest configuration in a folder or above. If there is none, it is empty.
func Find(dir string, read Read) (*Project, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for {
		if p, err := At(dir, read); p != nil || err != nil {
			return p, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return &Project{}, nil
		}
		dir = parent
	}
}

// Build makes one script of a file and what belongs to it, by the nearest configuration above it.
// What o says counts more. Of Options.Read, only the script itself need not be a file on disk.
func Build(path string, o bundle.Options) (*bundle.Bundle, error) {
	p, err := Find(filepath.Dir(path), ReadFile)
	if err != nil {
		return nil, err
	}
	return p.Build(path, o)
}

// Build makes one script of a file and what belongs to it. What o says counts more.
func (p *Project) Build(path string, o bundle.Options) (*bundle.Bundle, error) {
	return bundle.Build(path, p.Options(path, o))
}

// Options adds to options what the configuration says about a script.
func (p *Project) Options(path string, o bundle.Options) bundle.Options {
	folders := map[string]string{}
	for name, folder := range p.Folders {
		folders[name] = p.Path(folder)
	}
	for name, folder := range o.Folders {
		folders[name] = folder
	}
	o.Folders = folders
	o.DropEmptyLines = o.DropEmptyLines || p.DropEmptyLines
	if o.Before == nil && filepath.Base(p.File) != OldName {
		o.Before, o.Between = p.Before(path)
	}
	return o
}

// Before returns the paths of the files in front of a script, and the text between them.
func (p *Project) Before(path string) (before []string, between string) {
	j := p.Joined(p.Relative(path))
	for _, name := range j.Before {
		before = append(before, p.Path(name))
	}
	return before, j.Between
}

// Path returns the path of a file or folder that the configuration names.
func (p *Project) Path(name string) string {
	full := filepath.FromSlash(name)
	if !filepath.IsAbs(full) {
		full = filepath.Join(p.Dir, full)
	}
	return p.shorten(full)
}

func (p *Project) shorten(path string) string {
	if p.Absolute {
		return path
	}
	return Shorten(path)
}

// Shorten returns an absolute path as one that is relative to the working folder, if it is below
// it.
func Shorten(path string) string {
	if here, err := filepath.Abs("."); err == nil {
		if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// Relative returns a path as the patterns of the configuration see it.
func (p *Project) Relative(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil || p.Dir == "" {
		return filepath.ToSlash(path)
	}
	name, err := filepath.Rel(p.Dir, absolute)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(name)
}
