package luatest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Suffix is the end of the names of test files.
const Suffix = "_test.lua"

// Find returns the test files of paths: files as they are, and in folders, and all folders below,
// the files *_test.lua. A path may be a pattern of [filepath.Glob]. Hidden folders and node_modules
// are left out. The error names a path that does not exist, or in which there are no test files.
func Find(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		found, err := find(path)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: there are no files *%s", path, Suffix)
		}
		for _, file := range found {
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files, nil
}

func find(path string) (files []string, err error) {
	info, err := os.Stat(path)
	if err != nil && strings.ContainsAny(path, "*?[") {
		matches, problem := filepath.Glob(path)
		if problem != nil {
			return nil, fmt.Errorf("%s: %w", path, problem)
		}
		for _, match := range matches {
			more, err := find(match)
			if err != nil {
				return nil, err
			}
			files = append(files, more...)
		}
		return files, nil
	}
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return []string{filepath.Clean(path)}, nil
	}
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		switch base := filepath.Base(name); {
		case err != nil:
			return err
		case entry.IsDir() && name != path && (strings.HasPrefix(base, ".") || base == "node_modules"):
			return filepath.SkipDir
		case entry.Type().IsRegular() && strings.HasSuffix(base, Suffix):
			files = append(files, filepath.Clean(name))
		}
		return nil
	})
	return files, err
}
