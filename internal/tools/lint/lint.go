package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Limits of one file.
const (
	MaxText     = 2 << 20 // bytes of text
	MaxFindings = 1000
)

// Script is a text to look at.
type Script struct {
	Source string
	// Files says from which files the text is made. Nil: it is one file, whose name is "", and if
	// it has includes, nothing is known of the files that they name.
	Files *bundle.Bundle
	Part  bool // it is put into others: what it declares may be used there
	// Problem says why what the first of Files includes is not in the text.
	Problem Problem
}

// Problem is what is wrong with the includes of a file. Its zero value is nothing.
type Problem struct {
	Line int // from 1
	Text string
}

// ProblemOf returns the problem of a file, by its name in the bundle.
func ProblemOf(err *bundle.Error, name string) Problem {
	if err.File == name {
		return Problem{err.Line, err.Err.Error()}
	}
	return Problem{1, err.Error()} // in a file in front
}

// Built returns the script that a bundle is.
func Built(b *bundle.Bundle) Script { return Script{Source: b.Text, Files: b} }

// Linter looks at scripts. It is not safe for concurrent use.
type Linter struct {
	redis      string
	severities map[string]Severity
	globals    map[string]bool
	extra      map[string]bool // those of the configuration
	newest     *cmdtable.Table
	target     *cmdtable.Table
	syntax     map[*cmdtable.Spec][]cmdtable.Arg
	replies    map[*cmdtable.Spec]cmdtable.Replies
	servers    []servers.Server // that scripts must run on; none: the version redis alone
	needsKeys  bool             // each script must be called with a key
}

// New returns a linter with a configuration. The error says what is wrong with the configuration.
func New(c Config) (*Linter, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	l := &Linter{redis: c.Redis, severities: map[string]Severity{}, globals: map[string]bool{}, extra: map[string]bool{},
		newest: cmdrows.TableOf(servers.Redis80), syntax: map[*cmdtable.Spec][]cmdtable.Arg{},
		replies: map[*cmdtable.Spec]cmdtable.Replies{}}
	if l.redis == "" {
		l.redis = DefaultRedis
	}
	compat := servers.Redis70
	for _, later := range []servers.Server{servers.Redis74, servers.Redis80} {
		if !olderThan(l.redis, strings.TrimSuffix(later.Release()[:3], ".")) {
			compat = later
		}
	}
	l.target = cmdrows.TableOf(compat)
	for _, r := range rules {
		l.severities[r.ID] = r.Severity
	}
	for id, name := range c.Severities {
		l.severities[id], _ = ParseSeverity(name)
	}
	l.setServers(c.Servers)
	for _, name := range luatext.GlobalNames() {
		l.globals[name] = true
	}
	for _, name := range c.Globals {
		l.globals[name], l.extra[name] = true, true
	}
	return l, nil
}

// ofRedis returns the version of Redis since which there is something, or "".
func ofRedis(since servers.Since) string {
	release, _ := since.Of(servers.Redis)
	return release
}

// olderThan reports whether version a, such as "6.2", came before b, such as "6.2.0" or "7.4".
// Versions are compared as far as both are given.
func olderThan(a, b string) bool {
	n := min(strings.Count(a, "."), strings.Count(b, ".")) + 1
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	return servers.Compare(strings.Join(x[:n], "."), strings.Join(y[:n], ".")) < 0
}

// Lint returns the findings of one script, in the order of its files, and of the text of each.
func (l *Linter) Lint(s Script) []Finding {
	found, _ := l.lint(s)
	return found
}

// lint is Lint. It also returns the pass, which is nil if the text has no tree.
func (l *Linter) lint(s Script) ([]Finding, *pass) {
	if len(s.Source) > MaxText {
		return l.alone(s, luatree.Range{}, tooLong.ID, fmt.Sprintf("the text has more than %d bytes and is not read", MaxText)), nil
	}
	if err := luatext.Check(s.Source); err != nil {
		return l.alone(s, errorPlace(s, err.Error()), syntaxError.ID, err.Error()), nil
	}
	tree, err := luatree.Parse(s.Source)
	if err != nil {
		return l.alone(s, luatree.Range{}, tooLong.ID, err.Error()), nil
	}
	p := newPass(l, tree, s)
	for _, r := range rules {
		if r.check != nil && l.severities[r.ID] != Off {
			p.rule = r
			r.check(p)
		}
	}
	return p.finish(), p
}

// alone returns the only finding of a text that has no tree.
func (l *Linter) alone(s Script, at luatree.Range, rule, message string) []Finding {
	if l.severities[rule] == Off {
		return nil
	}
	f := newSources(s).findingAt(at)
	f.Rule, f.Severity, f.Message = rule, l.severities[rule], message
	return []Finding{f}
}

// errorPlace returns the line of the text that an error names.
func errorPlace(s Script, message string) luatree.Range {
	var line int
	for _, name := range []string{luatext.ScriptChunk + ":", luatext.LibraryChunk + ":"} {
		if at := strings.Index(message, name); at >= 0 {
			fmt.Sscanf(message[at+len(name):], "%d:", &line)
		}
	}
	t := luatree.NewTree(s.Source)
	if line < 1 || line > t.Lines() {
		return luatree.Range{}
	}
	return t.Line(line)
}

// sortFindings puts findings into the order of the files and their texts, and removes repetitions.
func (x *sources) sortFindings(list []Finding) []Finding {
	order := map[string]int{}
	for i, name := range x.files.Files {
		if _, ok := order[name]; !ok {
			order[name] = i
		}
	}
	slices.SortStableFunc(list, func(a, b Finding) int {
		if a.File != b.File {
			return order[a.File] - order[b.File]
		}
		if a.Range.From != b.Range.From {
			return a.Range.From - b.Range.From
		}
		return strings.Compare(a.Rule, b.Rule)
	})
	return slices.CompactFunc(list, func(a, b Finding) bool {
		return a.File == b.File && a.Rule == b.Rule && a.Range == b.Range && a.Message == b.Message
	})
}
