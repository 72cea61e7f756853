package indentation

import "strings"

// config is an .editorconfig file.
type config struct {
	root     bool // files of folders above do not count
	sections []section
}

// section is a section of a file: properties of the files whose paths match.
type section struct {
	files      *pattern          // nil: none
	properties map[string]string // the names are in lower case
}

// parse reads a file. A line that is none of a section, a property or a comment is ignored, as
// editors do.
func parse(text string) *config {
	c := &config{}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' && line[len(line)-1] == ']' {
			c.sections = append(c.sections, section{compile(line[1 : len(line)-1]), map[string]string{}})
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(withoutComment(value))
		if n := len(c.sections); n > 0 {
			c.sections[n-1].properties[name] = value
		} else if name == "root" {
			c.root = strings.EqualFold(value, "true")
		}
	}
	return c
}

// withoutComment returns a value without the comment behind it, which older versions of
// EditorConfig allow.
func withoutComment(value string) string {
	for i := 1; i < len(value); i++ {
		if (value[i] == '#' || value[i] == ';') && (value[i-1] == ' ' || value[i-1] == '\t') {
			return value[:i]
		}
	}
	return value
}

// properties returns the properties of a file. The path is relative to the folder of c, with
// slashes.
func (c *config) properties(path string) map[string]string {
	all := map[string]string{}
	for _, s := range c.sections {
		if s.files == nil || !s.files.match(path) {
			continue
		}
		for k, v := range s.properties {
			all[k] = v
		}
	}
	return all
}
