package luatest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// readFile reads a file for the test, if it may be read.
func (f *File) readFile(path string) ([]byte, error) {
	f.noteRead(path)
	if err := f.opt.mayRead(filepath.Dir(f.Path), path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// mayRead returns an error if a test in a folder may not read a file that exists.
func (o *Options) mayRead(folder, path string) error {
	if len(o.Folders) == 0 {
		return nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil // nor can it be read
	}
	if real, err = filepath.Abs(real); err != nil {
		return err
	}
	for _, folder := range append([]string{folder}, o.Folders...) {
		if in, err := filepath.EvalSymlinks(folder); err == nil {
			if in, err = filepath.Abs(in); err == nil && isBelow(in, real) {
				return nil
			}
		}
	}
	others := strings.Join(o.Folders, ", ")
	if o.Folders[0] == "." {
		others = "this one" + strings.TrimPrefix(others, ".")
	}
	return fmt.Errorf("%s: a test may read files below its folder and %s; --allow-read FOLDER allows more", path, others)
}

// isBelow reports whether a path is a folder or below it. Both are absolute and without links.
func isBelow(folder, path string) bool {
	rest, err := filepath.Rel(folder, path)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}

// getenv returns a variable of the environment, or nil if there is none.
func (o *Options) getenv(name string) (*string, error) {
	v, ok := os.LookupEnv(name)
	switch {
	case !ok:
		return nil, nil
	case o.Env != nil && !slices.Contains(o.Env, name):
		return nil, fmt.Errorf("a test may not read the variable %s; --allow-env %s allows it", name, name)
	}
	return &v, nil
}
