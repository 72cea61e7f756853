package lint

import (
	"fmt"
	"slices"
	"strings"

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
	Before string // the texts that stand in front of it, joined
	Part   bool   // it stands in front of others: what it declares may be used there
}

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

// Lint returns the findings of one script, in the order of the text.
func (l *Linter) Lint(s Script) []Finding {
	found, _ := l.lint(s)
	return found
}

// lint is Lint. It also returns the pass, which is nil if the text has no tree.
func (l *Linter) lint(s Script) ([]Finding, *pass) {
	if len(s.Source)+len(s.Before) > MaxText {
		return l.alone(s.Source, luatree.Range{}, tooLong.ID, fmt.Sprintf("the text has more than %d bytes and is not read", MaxText)), nil
	}
	source := s.Before + s.Source
	if err := luatext.Check(source); err != nil {
		return l.alone(s.Source, errorPlace(s, err.Error()), syntaxError.ID, err.Error()), nil
	}
	tree, err := luatree.Parse(source)
	if err != nil {
		return l.alone(s.Source, luatree.Range{}, tooLong.ID, err.Error()), nil
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
func (l *Linter) alone(source string, at luatree.Range, rule, message string) []Finding {
	if l.severities[rule] == Off {
		return nil
	}
	f := Finding{Rule: rule, Severity: l.severities[rule], Message: message, Range: at}
	place(&f, luatree.NewTree(source))
	return []Finding{f}
}

// errorPlace returns the line that an error names.
func errorPlace(s Script, message string) luatree.Range {
	var line int
	for _, name := range []string{luatext.ScriptChunk + ":", luatext.LibraryChunk + ":"} {
		if at := strings.Index(message, name); at >= 0 {
			fmt.Sscanf(message[at+len(name):], "%d:", &line)
		}
	}
	line -= strings.Count(s.Before, "\n")
	t := luatree.NewTree(s.Source)
	if line < 1 || line > t.Lines() {
		return luatree.Range{}
	}
	return t.Line(line)
}

// place fills in the lines and columns of a finding.
func place(f *Finding, t *luatree.Tree) {
	f.Line, f.Column = t.Position(f.Range.From)
	f.EndLine, f.EndColumn = t.Position(f.Range.To)
}

// sortFindings puts findings into the order of the text and removes repetitions.
func sortFindings(list []Finding) []Finding {
	slices.SortStableFunc(list, func(a, b Finding) int {
		if a.Range.From != b.Range.From {
			return a.Range.From - b.Range.From
		}
		return strings.Compare(a.Rule, b.Rule)
	})
	return slices.CompactFunc(list, func(a, b Finding) bool { return a.Rule == b.Rule && a.Range == b.Range && a.Message == b.Message })
}
