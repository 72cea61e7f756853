package indentation

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/tools/luafmt"
)

// Name is the name of the files.
const Name = ".editorconfig"

// maxFile is how many bytes an .editorconfig file may have.
const maxFile = 64 << 10

// Files reads .editorconfig files, each of them once. The zero value works. It is for one
// goroutine.
type Files struct {
	// Read returns the text of a file. Default: [ReadFile].
	Read func(path string) ([]byte, error)

	read map[string]*config // by folder; nil: there is none
}

// ReadFile is the default of [Files].Read. It reads regular files only.
func ReadFile(path string) ([]byte, error) { return files.ReadRegular(path, maxFile) }

// Of returns the indentation of the script at a path. A flag wins over the files, and the files win
// over otherwise. What they leave open, such as the width of a tab, has the value of otherwise if
// that is of the same kind. The error says which file cannot be read, or which value is wrong.
func (f *Files) Of(path string, flag Flag, otherwise luafmt.Indent) (luafmt.Indent, error) {
	if flag.Given && !flag.Indent.Tab {
		return flag.Indent, nil
	}
	properties, err := f.properties(path)
	if err != nil {
		return otherwise, err
	}
	if flag.Given { // a tab; the files may say how wide it is
		properties["indent_style"], otherwise = "tab", luafmt.Indent{}
	}
	indent, err := merge(properties, otherwise)
	if err != nil {
		err = fmt.Errorf("%s of %s: %w", Name, path, err)
	}
	return indent, err
}

// properties returns what the files say about a path: the nearer file wins, and in a file the later
// section.
func (f *Files) properties(path string) (map[string]string, error) {
	all := map[string]string{}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	for dir := filepath.Dir(path); ; {
		c, err := f.in(dir)
		if err != nil {
			return nil, err
		}
		if c != nil {
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return nil, err
			}
			for k, v := range c.properties(filepath.ToSlash(name)) {
				if _, nearer := all[k]; !nearer {
					all[k] = v
				}
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir || c != nil && c.root {
			return all, nil
		}
		dir = parent
	}
}

// in returns the file of a folder, or nil if there is none.
func (f *Files) in(dir string) (*config, error) {
	if c, ok := f.read[dir]; ok {
		return c, nil
	}
	read := f.Read
	if read == nil {
		read = ReadFile
	}
	text, err := read(filepath.Join(dir, Name))
	var c *config
	switch {
	case err == nil && len(text) > maxFile:
		return nil, fmt.Errorf("%s: longer than %d bytes", filepath.Join(dir, Name), maxFile)
	case err == nil:
		c = parse(string(text))
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if f.read == nil {
		f.read = map[string]*config{}
	}
	f.read[dir] = c
	return c, nil
}

// merge returns an indentation from the properties of a script and, where they are missing, from
// otherwise.
func merge(properties map[string]string, otherwise luafmt.Indent) (luafmt.Indent, error) {
	get := func(name string) string {
		if v := strings.ToLower(properties[name]); v != "unset" {
			return v
		}
		return ""
	}
	indent := otherwise
	switch style := get("indent_style"); style {
	case "":
	case "tab", "space":
		indent.Tab = style == "tab"
		if indent.Tab != otherwise.Tab {
			indent.Width = 0
		}
	default:
		return otherwise, fmt.Errorf("indent_style = %s: must be tab or space", style)
	}
	name, size := "indent_size", get("indent_size")
	if tab := get("tab_width"); tab != "" && (indent.Tab || size == "" || size == "tab") {
		name, size = "tab_width", tab
	}
	if size == "" || size == "tab" {
		return indent, nil
	}
	n, ok := width(size)
	if !ok {
		return otherwise, fmt.Errorf("%s = %s: must be from 1 to %d", name, size, luafmt.MaxIndent)
	}
	indent.Width = n
	return indent, nil
}
