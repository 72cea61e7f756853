package scriptfiles

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
)

// Options say what to print, and where.
type Options struct {
	JSON             bool
	Stdout, Problems io.Writer // Problems gets the files that cannot be read
}

// Run prints the scripts in files, and in the files below folders whose languages are known. A path
// such as limiter.rb#acquire names one script, and Run prints its text. failed is the number of
// files that cannot be read. The error says which path or name does not exist, or that o.Stdout
// fails.
func Run(paths []string, o Options) (failed int, err error) {
	var list []embedded.Script
	text := ""
	one := false
	for _, path := range paths {
		file, name := embedded.SplitName(path)
		found, bad, err := o.find(file)
		if err != nil {
			return failed, err
		}
		failed += bad
		if name == "" {
			list = append(list, found...)
			continue
		}
		if bad > 0 {
			continue
		}
		s, err := embedded.Named(found, file, name)
		if err != nil {
			return failed, err
		}
		text, one = s.Text, true
		list = append(list, *s)
	}
	switch {
	case len(list) == 0 && failed > 0:
		return failed, nil
	case len(list) == 0:
		return failed, embedded.ErrNone
	case o.JSON:
		return failed, printJSON(o.Stdout, list)
	case one && len(paths) == 1:
		_, err := io.WriteString(o.Stdout, text)
		return failed, err
	}
	return failed, printTable(o.Stdout, list)
}

// find finds the scripts of a file, or of the files below a folder.
func (o *Options) find(path string) (list []embedded.Script, failed int, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.IsDir() && !embedded.Knows(path) {
		return nil, 0, fmt.Errorf("%s: its language is not known by the end of its name", path)
	}
	add := func(path string) {
		text, err := files.ReadRegular(path, embedded.MaxFile)
		var found []embedded.Script
		if err == nil {
			found, err = embedded.Find(path, string(text), embedded.Rules())
		}
		if err != nil {
			failed++
			fmt.Fprintf(o.Problems, "redmoon: %v\n", err)
		}
		list = append(list, found...)
	}
	if !info.IsDir() {
		add(path)
		return list, failed, nil
	}
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch base := filepath.Base(name); {
		case err != nil:
			failed++
			fmt.Fprintf(o.Problems, "redmoon: %v\n", err)
			return nil
		case d.IsDir() && name != path && (strings.HasPrefix(base, ".") || base == "node_modules" || base == "vendor"):
			return filepath.SkipDir
		case d.Type().IsRegular() && embedded.Knows(name):
			add(name)
		}
		return nil
	})
	return list, failed, err
}
