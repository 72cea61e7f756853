package repo

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Root returns the folder of the main module, found from the working directory upwards, or "".
func Root() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(mod, []byte("module "+ModulePath+"\n")) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// ModulePath is the import path of the main module.
const ModulePath = "github.com/redmoon-lua/redmoon"

// Files returns the paths of the files below root whose names end in suffix, relative to root and
// with slashes. It leaves out testdata, node_modules and folders whose names begin with a dot
// (except .ci and .github).
func Files(root string, suffixes ...string) ([]string, error) {
	var list []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			hidden := strings.HasPrefix(name, ".") && name != ".ci" && name != ".github"
			if path != root && (hidden || name == "testdata" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		for _, suffix := range suffixes {
			if strings.HasSuffix(name, suffix) {
				rel, err := filepath.Rel(root, path)
				if err != nil {
					return err
				}
				list = append(list, filepath.ToSlash(rel))
				break
			}
		}
		return nil
	})
	return list, err
}
