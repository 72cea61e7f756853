package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Config is the content of a configuration. The zero value is valid. Patterns are those of
// path.Match, with slashes, relative to the folder of the configuration.
type Config struct {
	// Redis is the oldest version of Redis that scripts must run on, such as "6.2". Default: 7.0.
	Redis string `toml:"redis" json:"redis"`
	// Servers are the servers that scripts must run on, as --server takes them. Default: Redis.
	Servers []string `toml:"servers" json:"servers"`
	// Exclude lists patterns of files and folders that are not read.
	Exclude []string `toml:"exclude" json:"exclude"`
	// Folders are the folders that <name> stands for in an include, relative to that of the
	// configuration.
	Folders map[string]string `toml:"folders" json:"-"`
	// Join says which files are put in front of others to make one script.
	Join []Join `toml:"join" json:"join"`
	// DropEmptyLines drops empty lines in all scripts.
	DropEmptyLines bool `toml:"drop-empty-lines" json:"-"`
	// Lint is for the linter alone.
	Lint Lint `toml:"lint" json:"-"`
}

// Lint is the part of a configuration that is for the linter.
type Lint struct {
	// Severities gives rules another severity: off, info, warning or error.
	Severities map[string]string `toml:"severities" json:"severities"`
	// Globals are names that something puts in front of the scripts.
	Globals []string `toml:"globals" json:"globals"`
}

// Join names files that stand in front of others.
type Join struct {
	// Files are patterns of the scripts.
	Files []string `toml:"files" json:"files"`
	// Before are the files in front, in order, relative to the folder of the configuration. They
	// are not scripts of their own.
	Before []string `toml:"before" json:"before"`
	// Between is a text that is put behind each file of Before.
	Between string `toml:"between" json:"-"`
}

// Parse reads a configuration in TOML.
func Parse(text []byte) (*Config, error) {
	c := &Config{}
	data, err := toml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff")))).Decode(c)
	var wrong toml.ParseError
	switch {
	case errors.As(err, &wrong):
		return nil, fmt.Errorf("line %d: %s", wrong.Position.Line, wrong.Message)
	case err != nil:
		return nil, errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	if unknown := data.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("there is no field %s", unknown[0])
	}
	return c, c.check()
}

// ParseJSON reads a configuration of the older form, which has the fields of Lint beside the
// others.
func ParseJSON(text []byte) (*Config, error) {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	c := &struct {
		Config
		Lint
	}{}
	if err := d.Decode(c); err != nil {
		return nil, inWords(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the end of the configuration")
	}
	if text[0] != '{' { // null
		return nil, errors.New("the configuration must be a JSON object")
	}
	c.Config.Lint = c.Lint
	return &c.Config, c.check()
}

// inWords returns an error of package json in words of users.
func inWords(err error) error {
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("the configuration is empty; the least is {}")
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf("the configuration must be a JSON object; its type is %s", wrong.Value)
	case errors.As(err, &wrong):
		field := strings.TrimPrefix(strings.TrimPrefix(wrong.Field, "Config."), "Lint.")
		return fmt.Errorf("the field %s cannot have the type %s", field, wrong.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("at byte %d: %w", syntax.Offset, err)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

func (c *Config) check() error {
	patterns := slices.Clone(c.Exclude)
	for _, j := range c.Join {
		patterns = append(patterns, j.Files...)
	}
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("%q: %w", p, err)
		}
	}
	for name, folder := range c.Folders {
		if name == "" || strings.ContainsAny(name, "<>/") || folder == "" {
			return fmt.Errorf("folders: %q = %q: a name without < > and /, and a path, are needed", name, folder)
		}
	}
	return nil
}

// Excludes reports whether a file is not to be read. name is relative to the folder of the
// configuration, with slashes.
func (c *Config) Excludes(name string) bool { return matches(c.Exclude, name) }

// Joined returns what stands in front of a file, by the first entry of Join that matches. For a
// file that is a part itself, this is what always stands in front of it. name is relative to the
// folder of the configuration, with slashes.
func (c *Config) Joined(name string) (j Join) {
	part := false
	for _, entry := range c.Join {
		if at := slices.Index(entry.Before, name); at >= 0 && (!part || at < len(j.Before)) {
			part, j = true, Join{Before: entry.Before[:at], Between: entry.Between}
		}
	}
	if part {
		return j
	}
	for _, entry := range c.Join {
		if matches(entry.Files, name) {
			return entry
		}
	}
	return Join{}
}

// Part reports whether a file stands in front of others, so that it is not a script of its own.
func (c *Config) Part(name string) bool {
	return slices.ContainsFunc(c.Join, func(j Join) bool { return slices.Contains(j.Before, name) })
}

// matches reports whether a pattern matches a name or a folder around it.
func matches(patterns []string, name string) bool {
	for _, p := range patterns {
		for part := name; part != "." && part != "/"; part = path.Dir(part) {
			if ok, _ := path.Match(p, part); ok {
				return true
			}
		}
	}
	return false
}
