package luacorpus

import (
	"crypto/sha1"
	"encoding/hex"
	"regexp"
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

// Script is a text of Lua for Redis.
type Script struct {
	Package string // what it comes from
	File    string // the file in the package, with slashes
	Line    int    // the line of the file at which it begins, from 1
	Redis   string // the version of Redis that it is for; "": the linter's default
	Source  string
	Before  string // the texts that the program puts in front of it
	Part    bool   // the program puts it in front of others
}

// Lint returns the findings of the script.
func (s Script) Lint() ([]lint.Finding, error) {
	l, err := lint.New(lint.Config{Redis: s.Redis})
	if err != nil {
		return nil, err
	}
	if s.Before == "" {
		return l.Lint(lint.Script{Source: s.Source, Part: s.Part}), nil
	}
	const before = "before"
	b, err := bundle.Build("", bundle.Options{Before: []string{before}, Read: func(name string) (string, error) {
		if name == before {
			return s.Before, nil
		}
		return s.Source, nil
	}})
	if err != nil {
		return nil, err
	}
	script := lint.Built(b)
	script.Part = s.Part
	return slices.DeleteFunc(l.Lint(script), func(f lint.Finding) bool { return f.File == before }), nil
}

// ID returns the beginning of the SHA1 of the text. It stays when the script moves.
func (s Script) ID() string {
	sum := sha1.Sum([]byte(s.Source))
	return hex.EncodeToString(sum[:5])
}

// usesRedis finds the calls of scripts, and aliases such as local rcall = redis.call.
var usesRedis = regexp.MustCompile(`redis\.p?call\(|=\s*redis\.p?call\b`)

// isScript reports whether a text that stands in a program is a script for Redis.
func isScript(text string) bool { return usesRedis.MatchString(text) }

// distinct removes the scripts whose text another one of the same package has already.
func distinct(list []Script) []Script {
	seen := map[[2]string]bool{}
	return slices.DeleteFunc(list, func(s Script) bool {
		key := [2]string{s.Package, s.ID()}
		again := seen[key]
		seen[key] = true
		return again
	})
}
