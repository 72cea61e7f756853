package luatest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// IsTest reports whether a file is one of tests, by its name: it ends in _test.lua or _spec.lua.
func IsTest(path string) bool {
	return strings.HasSuffix(path, "_test.lua") || strings.HasSuffix(path, "_spec.lua")
}

// Find returns the test files of paths: files as they are, and in folders, and all folders below,
// those that [IsTest] names. A path may be a pattern of [filepath.Glob]. Hidden folders and
// node_modules are left out. The error names a path that does not exist, or in which there are no
// test files.
func Find(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		found, err := find(path)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: there are no files *_test.lua or *_spec.lua", path)
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
		case entry.Type().IsRegular() && IsTest(base):
			files = append(files, filepath.Clean(name))
		}
		return nil
	})
	return files, err
}
