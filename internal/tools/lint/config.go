package lint

import (
	"fmt"
	"strings"
)

// DefaultRedis is the version of Redis that scripts are for unless something else is set.
const DefaultRedis = "7.0"

// Config says how to lint. The zero value is valid.
type Config struct {
	// Redis is the oldest version that scripts must run on, from 2.6 to 8.0. Default: DefaultRedis.
	Redis string
	// Servers are the servers that scripts must run on, as --server takes them: "valkey-9.1", "all",
	// or a place with rules of its own, such as "cluster". Default: Redis.
	Servers []string
	// Severities gives rules another severity: off, info, warning or error.
	Severities map[string]string
	// Globals are names that something puts in front of the scripts.
	Globals []string
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
