package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// ConfigName is the name of a configuration file. It counts for its folder and all below it that
// have none of their own.
const ConfigName = ".redmoonlint"

// DefaultRedis is the version of Redis that scripts are for unless something else is set.
const DefaultRedis = "7.0"

// Config is the content of a configuration file, in JSON. The zero value is valid.
type Config struct {
	// Redis is the oldest version that scripts must run on, from 2.6 to 8.0. Default: DefaultRedis.
	Redis string `json:"redis,omitempty"`
	// Servers are the servers that scripts must run on, as --server takes them: "valkey-9.1", "all",
	// or a place with rules of its own, such as "cluster". Default: Redis.
	Servers []string `json:"servers,omitempty"`
	// Severities gives rules another severity: off, info, warning or error.
	Severities map[string]string `json:"severities,omitempty"`
	// Globals are names that something puts in front of the scripts.
	Globals []string `json:"globals,omitempty"`
	// Join says which files are put in front of others to make one script.
	Join []Join `json:"join,omitempty"`
	// Exclude lists patterns of files that are not read. See Join.Files for patterns.
	Exclude []string `json:"exclude,omitempty"`
}

// Join names files that stand in front of others.
type Join struct {
	// Files are patterns as path.Match has them, relative to the folder of the configuration.
	Files []string `json:"files"`
	// Before are the files in front, in order, relative to the same folder. They are not scripts
	// of their own.
	Before []string `json:"before"`
}

// ParseConfig reads a configuration.
func ParseConfig(text []byte) (*Config, error) {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	c := &Config{}
	if err := d.Decode(c); err != nil {
		return nil, inWords(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the end of the configuration")
	}
	if text[0] != '{' { // null
		return nil, errors.New("the configuration must be a JSON object")
	}
	return c, c.check()
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
		return fmt.Errorf("the field %s cannot have the type %s", wrong.Field, wrong.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("at byte %d: %w", syntax.Offset, err)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

func (c *Config) check() error {
	if err := CheckRedis(c.Redis); err != nil {
		return err
	}
	for _, name := range c.Servers {
		if err := checkServerName(name); err != nil {
			return err
		}
	}
	for id, name := range c.Severities {
		if Find(id) == nil {
			return fmt.Errorf("there is no rule %q", id)
		}
		if _, ok := ParseSeverity(name); !ok {
			return fmt.Errorf("rule %s: a severity is off, info, warning or error, not %q", id, name)
		}
	}
	for _, name := range c.Globals {
		if !isName(name) {
			return fmt.Errorf("globals: %q is not a name of Lua", name)
		}
	}
	patterns := slices.Clone(c.Exclude)
	for _, j := range c.Join {
		patterns = append(patterns, j.Files...)
	}
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("%q: %w", p, err)
		}
	}
	return nil
}

// isName reports whether a text can be the name of a variable.
func isName(text string) bool {
	for i, c := range text {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

// Excludes reports whether a file is not to be read. name is relative to the folder of the
// configuration, with slashes.
func (c *Config) Excludes(name string) bool { return matches(c.Exclude, name) }

// Before returns the files that stand in front of a file, by the first entry of Join that matches.
// For a file that is a part itself, these are the parts that always stand in front of it. name is
// relative to the folder of the configuration, with slashes.
func (c *Config) Before(name string) []string {
	var least []string
	part := false
	for _, j := range c.Join {
		if at := slices.Index(j.Before, name); at >= 0 && (!part || at < len(least)) {
			part, least = true, j.Before[:at]
		}
	}
	if part {
		return least
	}
	for _, j := range c.Join {
		if matches(j.Files, name) {
			return j.Before
		}
	}
	return nil
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

// CheckRedis returns an error unless a version is between 2.6 and 8.0, or empty.
func CheckRedis(version string) error {
	if version == "" {
		return nil
	}
	for _, part := range strings.Split(version, ".") {
		if part == "" || strings.Trim(part, "0123456789") != "" || len(part) > 3 {
			return fmt.Errorf("%q is not a version of Redis", version)
		}
	}
	if olderThan(version, "2.6") || !olderThan(version, "8.1") {
		return fmt.Errorf("version %s of Redis: known are 2.6 to 8.0", version)
	}
	return nil
}
