package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/base/project"
)

// ErrNone is the error for files without scripts.
var ErrNone = errors.New("no scripts were found")

// Build makes the script of a path: of a Lua file with what belongs to it, as project.Build does,
// or of a string in a program, which limiter.rb#acquire names. The name may be missing if the
// program has one script. A script into which the program inserts something, or which it changes,
// is an error.
func Build(path string, o bundle.Options) (*bundle.Bundle, error) {
	file, name := SplitName(path)
	if !Knows(file) {
		return project.Build(path, o)
	}
	if o.Read == nil {
		o.Read = readProgram
	}
	text, err := o.Read(file)
	if err != nil {
		return nil, err
	}
	list, err := Find(file, text, Rules())
	if err != nil {
		return nil, err
	}
	s, err := Named(list, file, name)
	if err != nil {
		return nil, err
	}
	line := func(offset int) int { n, _ := s.Line(offset); return n }
	switch {
	case s.Changed:
		return nil, fmt.Errorf("%s:%d: the program changes this script before it sends it", file, line(s.From))
	case len(s.Holes) > 0:
		return nil, fmt.Errorf("%s:%d: the program inserts something into this script", file, line(s.Holes[0].From))
	}
	return bundle.Mapped(file, text, s.Text, s.At), nil
}

func readProgram(path string) (string, error) {
	text, err := files.ReadRegular(path, MaxFile)
	return string(text), err
}

// SplitName cuts the name of a script from the path of a program. The name of a file that exists
// stays, also if it has a #.
func SplitName(path string) (file, name string) {
	if _, err := os.Lstat(path); err == nil {
		return path, ""
	}
	for i := range path {
		if path[i] == '#' && Knows(path[:i]) {
			return path[:i], path[i+1:]
		}
	}
	return path, ""
}

// Named returns the script of a file with a name, or the only one if the name is empty. The error
// has the names that there are.
func Named(list []Script, file, name string) (*Script, error) {
	var names []string
	for i := range list {
		_, own, _ := strings.Cut(list[i].Name[len(filepath.ToSlash(file)):], "#")
		if own == name || name == "" && len(list) == 1 {
			return &list[i], nil
		}
		names = append(names, own)
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%s: %w", file, ErrNone)
	case name == "":
		return nil, fmt.Errorf("%s has several scripts; name one with #: %s", file, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("%s has no script %s, but %s", file, name, strings.Join(names, ", "))
}
