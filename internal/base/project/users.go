package project

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
)

// Limits of the search for the scripts that a file belongs to.
const (
	maxEntries = 20_000  // files and folders
	maxRead    = 8 << 20 // bytes of scripts
)

// MaxUsers is how many scripts that have a file are found.
const MaxUsers = 50

// Scripts returns the scripts that a file is a part of, in the order of their paths. If there is
// none, it is own, the bundle of the file itself. read must read all files; see Uses for the rest.
func (p *Project) Scripts(path string, read Read, own *bundle.Bundle) []*bundle.Bundle {
	return p.BuildUsers(path, p.Uses(path, read)[full(path)], read, own)
}

// BuildUsers is Scripts with users that Uses has found before. Those that do not have the file any
// more are left out.
func (p *Project) BuildUsers(path string, users []string, read Read, own *bundle.Bundle) []*bundle.Bundle {
	var list []*bundle.Bundle
	for _, name := range users {
		if b := p.buildFrom(name, read); b != nil && b.Has(full(path)) {
			list = append(list, b)
		}
	}
	if len(list) == 0 {
		return []*bundle.Bundle{own}
	}
	return list
}

// Uses returns, for each file that is a part of scripts, by its absolute path, the paths of these
// scripts, at most MaxUsers. Only scripts in SearchFolder are known; a large folder is searched
// only in part.
func (p *Project) Uses(path string, read Read) map[string][]string {
	built := map[string]*bundle.Bundle{}
	included := map[string]bool{}
	candidates := p.candidates(p.SearchFolder(path), read)
	for _, name := range candidates {
		if b := p.buildFrom(name, read); b != nil {
			built[name] = b
			for _, file := range b.Files[1:] {
				included[full(file)] = true
			}
		}
	}
	users := map[string][]string{}
	for _, name := range candidates {
		if built[name] == nil || included[full(name)] {
			continue
		}
		for _, file := range built[name].Files[1:] {
			if list := users[full(file)]; len(list) < MaxUsers && !slices.Contains(list, name) {
				users[full(file)] = append(list, name)
			}
		}
	}
	return users
}

// SearchFolder returns the folder in which Uses searches: that of the configuration, and without
// one the folder above that of the file.
func (p *Project) SearchFolder(path string) string {
	if p.Dir != "" {
		return p.Dir
	}
	own := filepath.Dir(full(path))
	if dir := filepath.Dir(own); dir != filepath.Dir(dir) {
		return dir
	}
	return own // not the whole disk
}

// buildFrom builds a script with what stands in front of it. It returns nil if it cannot be built.
func (p *Project) buildFrom(name string, read Read) *bundle.Bundle {
	o := bundle.Options{Read: read}
	o.Before, o.Between = p.Before(name)
	b, err := p.Build(name, o)
	if err != nil {
		return nil
	}
	return b
}

func full(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// candidates returns the files below a folder that may have others in them.
func (p *Project) candidates(dir string, read Read) []string {
	var list []string
	entries, size := 0, 0
	// What cannot be read is left out.
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		entries++
		switch {
		case err != nil && entry == nil:
			return err
		case entries > maxEntries || size > maxRead:
			return fs.SkipAll
		case err != nil:
		case entry.IsDir() && path != dir:
			if base := entry.Name(); strings.HasPrefix(base, ".") || base == "node_modules" || p.Excludes(p.Relative(path)) {
				return fs.SkipDir
			}
		case entry.Type().IsRegular() && strings.HasSuffix(path, ".lua") && !p.Excludes(p.Relative(path)):
			name := p.shorten(path)
			if len(p.Joined(p.Relative(path)).Before) > 0 {
				list = append(list, name)
			} else if text, err := read(name); err == nil {
				size += len(text)
				if bundle.Includes(text) {
					list = append(list, name)
				}
			}
		}
		return nil
	})
	return list
}
